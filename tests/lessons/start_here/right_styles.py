"""Right answers of many styles."""

import numpy as np


def loop(x):
    result = []
    for value in x:
        result.append(value + value)
    return np.array(result)


def in_place_on_a_copy(array):
    array = array.copy()
    array *= 2
    return array


def filled(x):
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = x[i] * 2
    return y


class Doubler:
    """A callable object."""

    def __call__(self, x):
        return np.einsum("i,j->i", x, np.ones(2))


def prints(x):
    print("working on", x)
    return np.add(x, x)


STYLES = {
    "start_here.double": [
        loop,
        in_place_on_a_copy,
        filled,
        Doubler(),
        prints,
        lambda x: x / 0.5,
        lambda *args: np.stack([args[0], args[0]]).sum(axis=0),
    ],
}
