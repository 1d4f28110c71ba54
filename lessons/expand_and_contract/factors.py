"""An axis of expansion factors, and what is recalled at each of them."""

import numpy as np

from courseware.page.style import HIDDEN


def recall_axes(axes, factors, recalls):
    """Plot the share of pairs recalled at each factor, in a narrow panel: each seed, and a line through the means."""
    axes.semilogx(factors, 100 * recalls.mean(axis=1), "-", color=HIDDEN)
    axes.semilogx(np.repeat(factors, recalls.shape[1]), 100 * recalls.ravel(), "o", **small(HIDDEN))
    factor_ticks(axes, factors)
    axes.set_xticks(factors, [times(factor).removesuffix("×") for factor in factors])
    axes.set(ylabel="pairs recalled (%)", ylim=(-6, 106))


def factor_ticks(axes, factors):
    """Write the factors themselves below the axis."""
    axes.set_xticks(factors, [times(factor) for factor in factors])
    axes.minorticks_off()
    axes.set(xlabel="expansion factor, d_ff / d_model", xlim=(factors.min() / 1.25, factors.max() * 1.25))


def small(color):
    """Return the look of a point that is one seed."""
    return {"color": color, "markersize": 4, "alpha": 0.7}


def times(factor):
    """Write one expansion factor, such as "½×"."""
    return {0.25: "¼", 0.5: "½"}.get(float(factor), f"{float(factor):g}") + "×"
