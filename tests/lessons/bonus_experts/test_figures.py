"""What the figures draw and say follows their data, also data that no notebook stores."""

import numpy as np
from matplotlib.path import Path

from lessons.bonus_experts import figures

RNG = np.random.default_rng(0)
SHARES = RNG.dirichlet(np.ones(4), size=(2, 3))
TABLES = RNG.dirichlet(np.ones(5), size=(2, 3))
MAPS = [np.eye(6), np.eye(6) + np.eye(6, k=-2)]

SAMPLES = {
    "errors": lambda: figures.errors_by_network(["dense", "mixture"], [[0.5, 0.6, 0.7], [0.02, 0.04, 0.03]]),
    "favourites": lambda: figures.favourites(np.array([[1.0, -1.0, 0.0, 0.2], [0.5, 0.5, -1.0, 0.1]])),
    "loads": lambda: figures.loads(["plain", "balanced"], SHARES),
    "specialisation": lambda: figures.specialisation(["before", "after"], TABLES, [[0.5, 0.7], [0.9, 1.0]]),
    "reach": lambda: figures.reach_maps(["no limit", "limit"], MAPS),
}  # fmt: skip


def regions():
    return figures.regions(np.array([[1.0, -1.0, 0.0, 0.2], [0.5, 0.5, -1.0, 0.1]]))


def test_regions_and_gates_follow_the_router():
    data, caption = regions().update(experts=3, k=1, temperature=1.0)
    assert "largest gate is 1 everywhere" in caption and "3 experts, k = 1, temperature 1: 3 of" in caption
    W = np.array([[1.0, -1.0, 0.0], [0.5, 0.5, -1.0]])
    tokens = np.random.default_rng(0).normal(size=(300, 2))
    inside = np.stack([Path(one["xy"]).contains_points(tokens) for one in data["regions"]])
    logits = np.sort(tokens @ W, axis=1)
    clear = logits[:, -1] - logits[:, -2] > 0.05  # the border is drawn to a quarter of a degree
    np.testing.assert_array_equal(inside[:3, clear].argmax(axis=0), (tokens @ W).argmax(axis=1)[clear])
    assert (inside[:, clear].sum(axis=0) == 1).all() and not inside[3].any()
    assert [one["text"] for one in data["numbers"]] == [one["text"] for one in data["names"]] == ["1", "2", "3", ""]
    for number, one in enumerate(data["numbers"][:3]):
        assert (one["position"] @ W).argmax() == number
    gates = np.array([one["data"][1] for one in data["gates"][:3]])
    np.testing.assert_allclose(gates.sum(axis=0), 1)
    assert set(np.unique(gates)) == {0.0, 1.0}
    both = [regions().update(experts=3, k=2, temperature=t)[0]["gates"][:3] for t in (3.0, 0.2)]
    warm, cold = (np.array([one["data"][1] for one in gates]) for gates in both)
    assert ((warm > 0).sum(axis=0) == 2).all() and warm.max() < cold.max()
    assert np.array_equal(warm.argmax(axis=0), cold.argmax(axis=0))  # the temperature moves no border


def test_captions():
    assert "dense 0.6 [0.5, 0.7]; mixture 0.03 [0.02, 0.04]" in SAMPLES["errors"]()[1]
    _, caption = figures.loads(["way"], [[[0.0, 0.25, 0.75, 0.0], [0.25, 0.25, 0.5, 0.0]]])
    assert "an even load, 0.25" in caption and "way: 1.5 of 4, the busiest has 0.62" in caption
    assert "in 2 seeds 0.6 [0.5, 0.7]" in SAMPLES["specialisation"]()[1]
    assert "limit: 4 off the diagonal, 0 of them from a later" in SAMPLES["reach"]()[1]
    _, caption = figures.reach_maps(["up"], [np.eye(4) + np.eye(4, k=1)])
    assert "up: 3 off the diagonal, 3 of them from a later" in caption
