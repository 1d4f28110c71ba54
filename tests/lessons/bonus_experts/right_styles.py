"""Right answers to the exercises of bonus_experts, written in many styles."""

from math import comb

import numpy as np
import torch

from course_lib.model import experts


def with_minus_infinity(logits, k):
    least = np.sort(logits, axis=-1)[:, -k]
    z = np.where(logits >= least[:, None], logits, -np.inf)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


def divided_afterwards(logits, k):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    ranks = (-p).argsort(axis=1).argsort(axis=1)
    p = p * (ranks < k)
    return p / p.sum(axis=1, keepdims=True)


def token_by_token(logits, k):
    rows = []
    for row in logits:
        gates = np.zeros_like(row)
        best = np.argpartition(row, -k)[-k:]
        gates[best] = np.exp(row[best] - row[best].max())
        rows.append(gates / gates.sum())
    return np.array(rows)


def in_torch(logits, k):
    z = torch.from_numpy(logits)
    values, places = z.topk(k)
    return torch.zeros_like(z).scatter(1, places, values.softmax(dim=1)).numpy()


def from_the_course(logits, k):
    return experts.route(torch.from_numpy(logits), k).gates.numpy()


def with_fancy_indices(logits, k):
    order = np.argsort(-logits, axis=1)[:, :k]
    rows = np.arange(len(logits))[:, None]
    gates = np.zeros(logits.shape)
    gates[rows, order] = np.exp(logits[rows, order])
    gates /= gates.sum(axis=1)[:, None]
    return gates


def with_flat_indices(x, chosen, gates, mine):
    y, k = np.zeros_like(x), chosen.shape[1]
    for number, expert in mine.items():
        flat = np.flatnonzero(chosen == number)
        if len(flat):
            y[flat // k] += gates.ravel()[flat][:, None] * expert(x[flat // k])
    return y


def with_masks(x, chosen, gates, mine):
    y = np.zeros_like(x)
    for number in mine:
        here = chosen == number
        rows = here.any(axis=1)
        y[rows] += (gates * here).sum(axis=1)[rows, None] * mine[number](x[rows])
    return y


def added_at_once(x, chosen, gates, mine):
    """Collect all parts, and let np.add.at add each of them."""
    found = [(np.where(chosen == number), expert) for number, expert in mine.items()]
    tokens = np.concatenate([places[0] for places, _ in found])
    weights = np.concatenate([gates[places] for places, _ in found])
    y = np.zeros_like(x)
    np.add.at(y, tokens, weights[:, None] * np.concatenate([expert(x[places[0]]) for places, expert in found]))
    return y


def as_mixtral(x, chosen, gates, mine):
    x, chosen, gates = map(torch.from_numpy, (x, chosen, gates))
    y = torch.zeros_like(x)
    for number, expert in mine.items():
        slot, tokens = torch.where(number == chosen.T)
        y.index_add_(0, tokens, gates[tokens, slot, None] * torch.from_numpy(expert(x[tokens].numpy())))
    return y.numpy()


def as_matrices(x, chosen, gates, mine):
    result = 0
    for number, network in mine.items():
        mask = (chosen == number).any(axis=1)
        spread = np.eye(len(x))[:, mask]  # (tokens, rows)
        result = result + spread @ (gates[chosen == number][:, None] * network(x[mask]))
    return result


def by_values(f):
    rng = np.random.default_rng(5)
    logits = 2 * rng.normal(size=(40, 6))
    g, right = f(logits, 2), from_the_course(logits, 2)
    if np.allclose(g, right):
        return "correct"
    if np.allclose(g, from_the_course(logits, 1)):
        return "one too few"
    if np.isin(g, [0, 0.5]).all():
        return "equal gates"
    if ((g > 0).sum(axis=1) > 2).any() and np.allclose(g.sum(axis=1), 1):
        return "zero logits"
    if np.allclose(g.sum(axis=0), 1):
        return "wrong axis"
    if np.allclose(g.sum(axis=1), 1):
        return "wrong expert"
    over_all = torch.from_numpy(logits).softmax(dim=1).numpy()
    return "not renormalised" if np.allclose(g[g > 0], over_all[g > 0]) else "zero logits"


def by_two_rows(f):
    logits = np.array([[3.0, 1.0, 2.0, -4.0], [0.0, 6.0, -1.0, 1.0]])
    g = np.round(f(logits, 2), 6)
    e = lambda *z: np.round(np.exp(z) / np.exp(z).sum(), 6)  # noqa: E731
    if np.array_equal(g[0, [0, 2]], e(3, 2)) and np.array_equal(g[1, [1, 3]], e(6, 1)) and (g > 0).sum() == 4:
        return "Correct"
    if np.allclose(g.sum(axis=0), 1, atol=1e-5):
        return "wrong axis"
    if (g[0] > 0).sum() == 1:
        return "one too few"
    if g[0, 0] == g[0, 2]:
        return "equal gates"
    if np.allclose(g.sum(axis=1), 1, atol=1e-5):
        return "zero logits" if (g[0] > 0).all() else "wrong expert"
    return "not renormalised" if np.isclose(g[0, 0], e(3, 1, 2, -4)[0]) else " zero  logits"


def by_changes(f):
    logits = np.random.default_rng(1).normal(size=(9, 5))
    g, moved = f(logits, 2), f(logits + 50, 2)
    if (g > 0).sum() == 9:
        return "one too few"
    if not np.allclose(g, moved):
        return "ZERO LOGITS"
    if not np.allclose(f(logits[:4], 2), g[:4]):
        return "wrong axis"
    if g[g > 0].std() < 1e-9:
        return "equal gates"
    if g.sum(axis=1).min() < 0.999:
        return "not renormalised"
    return "wrong expert" if any(row.argmax() != z.argmax() for row, z in zip(g, logits, strict=True)) else "correct"


def by_candidates(f):
    def softmax(z, axis=1):
        return np.exp(z) / np.exp(z).sum(axis=axis, keepdims=True)

    z = np.random.default_rng(2).normal(size=(30, 4))
    top = (-z).argsort(axis=1).argsort(axis=1) < 3
    candidates = {
        "correct": with_minus_infinity(z, 3),
        "not renormalised": softmax(z) * top,
        "equal gates": top / 3,
        "one too few": with_minus_infinity(z, 2),
        "wrong axis": softmax(np.where((-z).argsort(axis=0).argsort(axis=0) < 3, z, -np.inf), 0),
    }
    for name, gates in candidates.items():
        if np.allclose(f(z, 3), gates):
            return name
    zeros = softmax(np.where(top, z, 0))
    return "zero logits" if any(np.allclose(f(z, 3), one) for one in (zeros, zeros * top)) else "wrong expert"


def by_many_tests(f):
    z = np.random.default_rng(3).normal(size=(60, 7))
    g = np.asarray(f(z, 3))
    rows = g.sum(axis=1)
    names = {
        "wrong axis": np.allclose(g.sum(axis=0), 1) and not np.allclose(rows, 1),
        "one too few": ((g > 0).sum(axis=1) == 2).all(),
        "equal gates": np.ptp(g[g > 0]) < 1e-12,
        "zero logits": not np.allclose(f(z - 7, 3), g),
        "not renormalised": rows.max() < 1,
        "wrong expert": not np.array_equal(g.argmax(1), z.argmax(1)),
        "correct": True,
    }
    return next(name for name, holds in names.items() if holds)


BORROWED = {
    "bonus_experts.gates": [from_the_course],
}

STYLES = {
    "bonus_experts.gates": [
        with_minus_infinity,
        divided_afterwards,
        token_by_token,
        in_torch,
        with_fancy_indices,
    ],
    "bonus_experts.dispatch": [with_flat_indices, with_masks, added_at_once, as_mixtral, as_matrices],
    "bonus_experts.which_router_bug": [by_values, by_two_rows, by_changes, by_candidates, by_many_tests],
}
