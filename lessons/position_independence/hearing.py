"""The layers of the exercise on influence: each hides in its own way who hears whom."""

import numpy as np

from lessons.position_independence.shared import Layer, dusty, normed, small_network, softmax

# Who hears whom in the first layer: every wrong way to fill the matrix gives another pattern here.
_HEARS = {0: (0, 3), 1: (0, 1), 2: (1, 4), 3: (1, 3), 4: (2, 4, 5), 5: (0, 5)}


def layers_and_input(rng: np.random.Generator) -> tuple[tuple[Layer, ...], np.ndarray]:
    """Return the layers (n, d_in) -> (n, d_out), each with who hears whom in it, and an input for all of them."""
    n, d_in, d_out = 6, 9, 2  # with few features, a random change of a row is too often lost in its layer norm
    A, alone, everywhere = rng.normal(size=(d_in, d_out)), np.eye(n, dtype=bool), np.ones((n, n), dtype=bool)
    nets = [small_network(rng, d_in, d_out) for _ in range(8)]
    some = np.zeros((n, n), dtype=bool)
    for row, heard in _HEARS.items():
        some[row, list(heard)] = True
    mixing, heard_by_all = some * (0.5 + rng.random((n, n))), alone | (np.arange(n) == 0)[None, :]

    def letting_in_row_0(parts):
        """Make a layer in which every row but the first also hears row 0, in the given features."""

        def layer(X):
            Y = nets[3](X)
            Y[1:] += (2 * np.array(parts) * (X[0] @ A).sum())[: len(X) - 1]
            return Y

        return layer

    one_feature = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 0))  # each faulty comparison misses other rows

    def turned(X):
        """Turn the output rows by an angle that depends on row 0: their lengths stay."""
        angle, Y = 0.3 * np.tanh(X[0] @ A).sum(), nets[5](X)
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        return np.vstack([Y[:1], Y[1:] @ turn])

    def one_each(X):
        """Let every row but the first hear row 0 in one feature, each row in another."""
        Y = nets[6](X)
        Y[1:] += np.tanh(X[0, : len(X) - 1])[: len(X) - 1, None]
        return Y

    def by_size(X):
        """Let all rows hear how large the features of row 0 are together, whatever their signs and their order."""
        return nets[7](X) + np.tanh(0.2 * np.abs(X[0]).sum())

    layers = (
        Layer(lambda X: mixing[: len(X), : len(X)] @ (X @ A), some, "a layer where each row hears a few others"),
        Layer(nets[0], alone, "an FFN"),
        Layer(lambda X: softmax(X @ X.T / n, axis=1) @ X @ A, everywhere, "attention"),
        Layer(lambda X: X.cumsum(axis=0) @ A, np.tri(n, dtype=bool), "a running sum"),
        Layer(
            lambda X: np.vstack([X[1:], 0 * X[:1] + 1]) @ A,
            np.eye(n, k=1, dtype=bool),
            "a layer where each row hears only the next one",
        ),
        Layer(letting_in_row_0(one_feature), heard_by_all, "a layer that lets row 0 into one of two features"),
        Layer(
            letting_in_row_0([(1, -1)] * 5),
            heard_by_all,
            "a layer that raises one feature by as much as it lowers the other",
        ),
        Layer(turned, heard_by_all, "a layer that turns the rows and keeps their lengths"),
        Layer(lambda X: nets[4](X - X.mean(axis=1, keepdims=True)), alone, "a layer that takes each row's mean away"),
        Layer(lambda X: nets[1](normed(X)), alone, "a layer that scales each row to length 1"),
        Layer(lambda X: nets[2](dusty(X)), alone, "a layer that leaves a dust of rounding"),
        Layer(
            lambda X: 0.01 * (X @ A) + 1e-5 * (X[1] @ A),
            alone | (np.arange(n) == 1)[None, :],
            "a layer that lets row 1 in very faintly",
        ),
        Layer(
            lambda X: 1000 + X @ A + 3e-5 * (X[2] @ A),
            alone | (np.arange(n) == 2)[None, :],
            "a layer with large outputs that lets row 2 in faintly",
        ),
        Layer(one_each, heard_by_all, "a layer in which each row hears another feature of row 0"),
        Layer(by_size, heard_by_all, "a layer that lets in the sum of the absolute values of row 0"),
    )
    return layers, rng.normal(size=(n, d_in))
