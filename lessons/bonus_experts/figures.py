"""Figures of lesson 09: experts and the router that picks them."""

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from courseware.arguments import array, integer, items, real
from courseware.formats import spread
from courseware.page.caption import Caption
from courseware.page.interactive import Interactive
from courseware.page.style import (
    FIFTH,
    HIDDEN,
    INPUT,
    ONE_SIDED,
    OUTPUT,
    REFERENCE,
    SIXTH,
    SMALL,
    WIDE,
    blank,
    ink,
    styled,
)

# Each expert has a colour, a marker and a line style of its own, so that no colour is needed to tell them apart.
EXPERTS = (
    (INPUT, "o", "-"),
    (OUTPUT, "s", "--"),
    (HIDDEN, "^", ":"),
    (REFERENCE, "x", "-."),
    (FIFTH, "D", (0, (5, 1, 1, 1, 1, 1))),
    (SIXTH, "+", (0, (1, 1))),
)
RADIUS = 2.0  # of the circle along which the gates are drawn
_NETWORKS = ((REFERENCE, "s"), (INPUT, "D"), (OUTPUT, "o"), (HIDDEN, "^"), (FIFTH, "v"), (SIXTH, "P"))
_REACHED = ListedColormap(["white", INPUT, OUTPUT])  # nothing, its own output, another one's
_TICKS = np.array([0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0])


@styled
def favourites(W_router) -> tuple[Figure, str]:
    """Show for tokens of a plane which expert is the strongest; W_router as in `regions`."""
    W = array("W_router", W_router, ("d_model", "E"), {"d_model": 2})[:, : len(EXPERTS)]
    ticks = np.linspace([-5.2, -2.2], [5.2, 2.2], 23)
    plane = np.stack(np.meshgrid(*ticks.T), axis=-1).reshape(-1, 2)
    best = (plane @ W).argmax(axis=1)
    figure, axes = blank(WIDE)
    for number, (color, marker, _) in enumerate(EXPERTS[: W.shape[1]], 1):
        axes.plot(*plane[best == number - 1].T, marker, color=color, markersize=4, linestyle="", label=f"{number}")
    axes.set(xlabel="feature 1", ylabel="feature 2")
    axes.legend(title="network", loc="center left", bbox_to_anchor=(1.0, 0.5))
    shares = ", ".join(f"{100 * share:.0f} %" for share in np.bincount(best, minlength=W.shape[1]) / len(best))
    message = f"Each mark is a token of two numbers; its colour and shape show which of {W.shape[1]} small networks works for it."
    return figure, Caption(
        message, f"Shares of the tokens, by network: {shares}. The router that chooses is not trained."
    )


@styled
def regions(W_router) -> Interactive:
    """Show which expert every token of a plane goes to, and the gates along a circle; keywords experts, k, temperature.

    Args:
        W_router: shape (2, E); column i belongs to expert i, and the first `experts` columns are used.
    """
    W = array("W_router", W_router, ("d_model", "E"), {"d_model": 2})[:, : len(EXPERTS)]
    degrees = np.arange(0, 360.5, 0.5)
    circle = RADIUS * _directions(degrees)
    figure, (left, right) = blank(WIDE, columns=2, width_ratios=(5, 6))
    moving = {"regions": [], "numbers": [], "gates": [], "names": []}
    for number, (color, marker, line) in enumerate(EXPERTS[: W.shape[1]], 1):
        moving["regions"] += left.fill([], [], facecolor=color, alpha=0.4, edgecolor="black", linewidth=0.8)
        moving["numbers"].append(left.text(0, 0, "", ha="center", va="center"))
        looks = {"color": color, "marker": marker, "linestyle": line, "markevery": (7 * number, 60), "markersize": 5}
        moving["gates"] += right.plot([], [], **looks)
        moving["names"].append(right.text(0, 0, "", color=color, ha="center", va="bottom"))
    around = left.plot(*circle.T, color="black", linewidth=1, linestyle="--")
    left.set(title="strongest expert", xlabel="feature 1", ylabel="feature 2", aspect="equal")
    left.set(xlim=(-3.2, 3.2), ylim=(-2.2, 2.2), anchor="W")  # as high as the panel beside it
    right.set(title="gates along the circle", xlabel="angle in degrees", ylabel="gate")
    right.set(xlim=(0, 360), ylim=(0, 1.15), xticks=range(0, 361, 90), yticks=(0, 0.5, 1))

    def update(experts, k, temperature):
        experts = integer("experts", experts, 2, W.shape[1])
        k, temperature = integer("k", k, 1, experts), real("temperature", temperature, 0, open_low=True)
        logits = circle @ W[:, :experts]
        best, gates = logits.argmax(axis=1), np.zeros((len(circle), W.shape[1]))
        gates[:, :experts] = _gates(logits / temperature, k)
        regions, numbers, names = [], [], []
        for index, column in enumerate(gates.T):
            border, middle = _sector(degrees, best == index)
            regions.append({"xy": border})
            numbers.append({"text": f"{index + 1}" if (best == index).any() else "", "position": middle})
            top = np.flatnonzero(column > column.max() - 1e-3)
            top = top[: 1 + np.flatnonzero(np.diff(top, append=np.inf) > 1)[0]]  # the first of its highest places
            above = degrees[top].mean(), column.max() + 0.02
            names.append({"text": f"{index + 1}" if column.max() > 0.02 else "", "position": above})
        lines = [{"data": (degrees, column) if index < experts else ([], [])} for index, column in enumerate(gates.T)]
        data = {"regions": regions, "numbers": numbers, "gates": lines, "names": names}
        used = len(set(best.tolist()))
        largest = gates.max(axis=1)
        between = f"between {largest.min():.2f} and {largest.max():.2f}"
        if largest.min() > 0.995:
            between = "1 everywhere"
        message = f"{experts} experts, k = {k}, temperature {temperature:.3g}: {used} of the experts are the strongest "
        return data, Caption(f"{message}somewhere in the plane.", f"Along the circle the largest gate is {between}.")

    return Interactive(figure, update, moving, over=around)


def _directions(degrees):
    """Return vectors of length 1 at some angles, shape (n, 2)."""
    return np.stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], axis=1)


def _sector(degrees, here):
    """Return the border of the sector that holds some angles of a circle, far beyond the picture, and its middle.

    Args:
        degrees: from 0 to 360 in equal steps; here: whether each belongs to the sector.
    """
    step, here = degrees[1], here[:-1]
    if not here.any():
        return np.zeros((20, 2)), (0.0, 0.0)
    first = degrees[np.flatnonzero(here & ~np.roll(here, 1))[0]] - step / 2  # half-way to the neighbour's first angle
    last = first + step * here.sum()
    border = 40 * _directions(np.linspace(first, last, 19))
    return np.concatenate([[[0, 0]], border]), tuple(0.65 * RADIUS * _directions([(first + last) / 2])[0])


def _gates(logits, k):
    """Return a softmax over the k largest logits of each row, and 0 elsewhere."""
    least = np.sort(logits, axis=1)[:, -k][:, None]
    e = np.where(logits >= least, np.exp(logits - logits.max(axis=1, keepdims=True)), 0)
    return e / e.sum(axis=1, keepdims=True)


@styled
def errors_by_network(names, errors) -> tuple[Figure, str]:
    """Plot the errors of some networks, one row each and one mark for each seed.

    Args:
        names: the networks, at most six.
        errors: shape (networks, seeds); within one seed all networks have the same data.
    """
    names = items("names", names, "strings")
    errors = _portable(array("errors", errors, ("networks", "seeds"), {"networks": len(names)}))
    figure, axes = blank(WIDE)
    for row, (values, (color, marker)) in enumerate(zip(errors, _NETWORKS, strict=False)):
        axes.plot(values, np.full(len(values), row), marker, color=color, alpha=0.8, markersize=6)
        axes.plot([values.mean()] * 2, [row - 0.28, row + 0.28], color=color)
    axes.set(xscale="log", xlabel="error on fresh tokens (1 = always answering the mean)")
    axes.set(ylim=(len(names) - 0.5, -0.5), xlim=(errors.min() / 1.3, max(1.0, errors.max()) * 1.15))
    axes.set_yticks(range(len(names)), names)
    ticks = _TICKS[(axes.get_xlim()[0] < _TICKS) & (axes.get_xlim()[1] > _TICKS)]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    parts = "; ".join(f"{name} {spread(row)}" for name, row in zip(names, errors, strict=True))
    means = "; ".join(f"{name}: {row.mean():.2g}" for name, row in zip(names, errors, strict=True))
    rest = f"Errors of {errors.shape[1]} seeds on fresh tokens, mean [range] (bar: mean): {parts}."
    return figure, Caption(f"Mean errors: {means}.", rest)


@styled
def loads(names, shares) -> tuple[Figure, str]:
    """Plot which share of the tokens each expert gets, the busiest first, one panel for each way of training.

    Args:
        names: the ways, shape (ways,).
        shares: shape (ways, seeds, E); the shares of one seed sum to 1.
    """
    names = items("names", names, "strings")
    shares = np.sort(array("shares", shares, ("ways", "seeds", "E"), {"ways": len(names)}), axis=2)[:, :, ::-1]
    ways, seeds, experts = shares.shape
    figure, many = blank(WIDE, columns=ways, sharey=True)
    ranks = np.arange(1, experts + 1)
    for axes, rows, name in zip(np.atleast_1d(many), shares, names, strict=True):
        axes.axhline(1 / experts, color=REFERENCE, linestyle="--", linewidth=1.5)
        axes.plot(np.tile(ranks, seeds), rows.ravel(), "o", color=HIDDEN, markersize=4, alpha=0.8)
        axes.plot(ranks, rows.mean(axis=0), color=HIDDEN)
        axes.set(title=name, xlabel="expert, busiest first", xticks=ranks)
    first = np.atleast_1d(many)[0]
    first.set(ylabel="share of the tokens", ylim=(-0.02, None))
    parts = "; ".join(
        f"{name}: {(rows == 0).sum(axis=1).mean():.2g} of {experts}, the busiest has {rows[:, 0].mean():.2f}"
        for name, rows in zip(names, shares, strict=True)
    )
    unused = ", ".join(f"{name} {(rows == 0).sum(axis=1).mean():.2g}" for name, rows in zip(names, shares, strict=True))
    rest = (
        f"Shares of the tokens in {seeds} seeds (line: mean; dashed: an even load, {1 / experts:.3g}). "
        f"Unused experts, and the share of the busiest one: {parts}."
    )
    return figure, Caption(f"How many of {experts} experts no token chooses, on average: {unused}.", rest)


@styled
def specialisation(names, tables, all_shares) -> tuple[Figure, str]:
    """Draw to which expert each cluster's tokens go, as heatmaps.

    Args:
        names: of the routers, shape (routers,).
        tables: one seed's, shape (routers, C, E); row c holds the shares of cluster c's tokens, with the sum 1.
        all_shares: of each router and seed, the mean over the clusters of the favourite expert's share, shape
            (routers, seeds).
    """
    sizes = {"routers": len(items("names", names, "strings"))}
    tables = array("tables", tables, ("routers", "C", "E"), sizes)
    all_shares = array("all_shares", all_shares, ("routers", "seeds"), sizes)
    figure, many = blank(WIDE, columns=len(names), sharey=True)
    for axes, table, name in zip(np.atleast_1d(many), tables, names, strict=True):
        picture = axes.imshow(table, cmap=ONE_SIDED, vmin=0, vmax=1, aspect="auto")
        for (row, column), value in np.ndenumerate(table):
            if value >= 0.1:
                color = ink(picture.to_rgba(value)[:3])
                axes.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize=SMALL, color=color)
        axes.set(title=name, xlabel="expert", xticks=range(table.shape[1]), yticks=range(table.shape[0]))
    np.atleast_1d(many)[0].set_ylabel("cluster")
    figure.colorbar(picture, ax=list(np.atleast_1d(many)), label="share of the tokens")
    parts = "; ".join(
        f"{name}: here {table.max(axis=1).mean():.2f}, in {all_shares.shape[1]} seeds {spread(shares)}"
        for name, table, shares in zip(names, tables, all_shares, strict=True)
    )
    here = ", ".join(f"{name} {table.max(axis=1).mean():.2f}" for name, table in zip(names, tables, strict=True))
    rest = (
        "Which share of a cluster's tokens (row) goes to which expert (column), one seed. "
        f"Share of the favourite expert, mean over the clusters: {parts}."
    )
    return figure, Caption(f"The share of a cluster's favourite expert, mean over the clusters: {here}.", rest)


@styled
def reach_maps(names, matrices) -> tuple[Figure, str]:
    """Draw which output rows move when one input row is replaced: marks where they do.

    Args:
        names: of the layers or tests, shape (n,).
        matrices: one for each, shape (tokens, tokens), not negative; row i is the output, column j the input.
    """
    matrices, sizes = items("matrices", matrices, "one matrix for each name"), {}
    if len(matrices) != len(names):
        raise ValueError(f"matrices must hold {len(names)} items, one for each name, but {len(matrices)} were given.")
    figure, many = blank(WIDE, columns=len(names), sharey=True)
    parts, counts = [], []
    for axes, name, matrix in zip(np.atleast_1d(many), names, matrices, strict=True):
        matrix = array("matrices", matrix, ("tokens", "tokens"), sizes)
        off = (matrix > 0) & ~np.eye(len(matrix), dtype=bool)
        axes.imshow((matrix > 0) + 1.0 * off, cmap=_REACHED, vmin=0, vmax=2)
        axes.set(title=name, xlabel="input token", xticks=range(0, len(matrix), 3), yticks=range(0, len(matrix), 3))
        later = int(np.triu(off, 1).sum())
        counts.append(f"{name} {off.sum()}")
        parts.append(f"{name}: {off.sum()} off the diagonal, {later} of them from a later token to an earlier one")
    np.atleast_1d(many)[0].set_ylabel("output token")
    rest = (
        f"Which of {sizes['tokens']} outputs (down) react to which inputs (across): blue on the diagonal, "
        f"vermilion off it. {'; '.join(parts)}."
    )
    return figure, Caption(f"Outputs that react to another token: {', '.join(counts)}.", rest)


def _portable(values):
    """Keep six significant digits: further ones differ between processors, and may move a pixel at its edge."""
    scale = 10.0 ** (5 - np.floor(np.log10(np.maximum(np.abs(values), 1e-300))))
    return np.round(values * scale) / scale
