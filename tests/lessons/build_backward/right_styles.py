"""Right answers to the exercises of "Build: the backward pass", in styles other than that of the worked solutions."""

import numpy as np

# ---- numerical_gradient ----------------------------------------------------------------------------------------------


def moved_in_place_and_put_back(f, a, step):
    gradient = np.empty(a.shape)
    for place in np.ndindex(*a.shape):
        kept = a[place]
        a[place] = kept + step
        high = f(a)
        a[place] = kept - step
        low = f(a)
        a[place] = kept
        gradient[place] = (high - low) / (2 * step)
    return gradient


def moved_back_by_addition(f, a, step):
    gradient = np.zeros(a.shape)
    for place in np.ndindex(a.shape):
        a[place] += step
        high = f(a)
        a[place] -= 2 * step
        low = f(a)
        a[place] += step
        gradient[place] = (high - low) / step / 2
    return gradient


def by_unit_arrays(f, a, step):
    units = np.eye(a.size).reshape(a.size, *a.shape)
    return np.array([(f(a + step * unit) - f(a - step * unit)) / (2 * step) for unit in units]).reshape(a.shape)


def by_flat_places(function, array, h):
    found = []
    for i in range(array.size):
        e = np.zeros(array.size)
        e[i] = h
        e = e.reshape(array.shape)
        found.append((function(array + e) - function(array - e)) / (h + h))
    return np.reshape(found, array.shape)


def by_nditer(f, a, step):
    gradient = np.zeros_like(a)
    places = np.nditer(a, flags=["multi_index"])
    while not places.finished:
        i = places.multi_index
        up, down = np.array(a), np.array(a)
        up[i], down[i] = a[i] + step, a[i] - step
        gradient[i] = 0.5 * (f(up) - f(down)) / step
        places.iternext()
    return gradient


def mean_of_both_sides(f, a, step):
    here, gradient = f(a), np.zeros_like(a)
    for place, _ in np.ndenumerate(a):
        high, low = a.copy(), a.copy()
        high[place] += step
        low[place] -= step
        gradient[place] = ((f(high) - here) / step + (here - f(low)) / step) / 2
    return gradient


# ---- forward ---------------------------------------------------------------------------------------------------------


def backward_where(x, target, W1, W2, z, h, y):
    n, d_out = y.shape
    dy = (y - target) * (2 / (n * d_out))
    dz = np.where(z > 0, dy @ W2.T, 0)
    return x.T @ dz, dz.sum(0), h.T @ dy, dy.sum(0), dz @ W1.T


def backward_einsum(x, target, W1, W2, z, h, y):
    dy = 2 / y.size * (y - target)
    dz = np.einsum("nk,jk->nj", dy, W2) * (h > 0)
    dW1, dW2 = np.einsum("ni,nj->ij", x, dz), np.einsum("nj,nk->jk", h, dy)
    return dW1, np.einsum("nj->j", dz), dW2, np.einsum("nk->k", dy), np.einsum("nj,ij->ni", dz, W1)


def backward_row_by_row(x, target, W1, W2, z, h, y):
    dW1, db1, dW2, db2 = np.zeros_like(W1), np.zeros(W1.shape[1]), np.zeros_like(W2), np.zeros(W2.shape[1])
    dx = np.zeros_like(x)
    for i in range(len(x)):
        dy = 2 * (y[i] - target[i]) / y.size
        dz = (W2 @ dy) * (z[i] > 0)
        dW2 += np.outer(h[i], dy)
        db2 += dy
        dW1 += np.outer(x[i], dz)
        db1 += dz
        dx[i] = W1 @ dz
    return dW1, db1, dW2, db2, dx


def backward_mask_in_place(x, target, W1, W2, z, h, y):
    dy = 2 * (y - target) / y.size
    dz = dy @ W2.T
    dz[z <= 0] = 0
    return [x.T @ dz, np.ones(len(x)) @ dz, h.T @ dy, np.ones(len(x)) @ dy, dz @ W1.T]


def backward_heaviside(X, t, A, B, z, h, y):
    gap = (y - t) / y.size
    dy = gap + gap
    dz = dy.dot(B.T) * np.heaviside(z, 0)
    return (dz.T @ X).T, dz.sum(axis=0), (dy.T @ h).T, dy.sum(axis=0), (A @ dz.T).T


# ---- train -----------------------------------------------------------------------------------------------------------


def train_with_the_rate_in_the_velocity(gradients, parameters, rate, momentum, steps):
    here = list(parameters)
    velocities = [0 * one for one in here]
    for _ in range(steps):
        velocities = [momentum * v - rate * g for v, g in zip(velocities, gradients(here), strict=True)]
        here = [one + v for one, v in zip(here, velocities, strict=True)]
    return here


def train_by_name(gradients, parameters, rate, momentum, steps):
    W1, b1, W2, b2 = (one.copy() for one in parameters)
    v1, v2, v3, v4 = 0, 0, 0, 0
    for _ in range(steps):
        g1, g2, g3, g4 = gradients([W1, b1, W2, b2])
        v1, v2, v3, v4 = momentum * v1 + g1, momentum * v2 + g2, momentum * v3 + g3, momentum * v4 + g4
        W1 = W1 - rate * v1
        b1 = b1 - rate * v2
        W2 = W2 - rate * v3
        b2 = b2 - rate * v4
    return W1, b1, W2, b2


def train_in_place_on_copies(gradients, parameters, rate, momentum, steps):
    here = [np.array(one) for one in parameters]
    velocities = [np.zeros(one.shape) for one in here]
    for _ in range(steps):
        for p, v, g in zip(here, velocities, gradients(here), strict=True):
            v *= momentum
            v += g
            p -= rate * v
    return here


def train_by_last_places(gradients, parameters, rate, momentum, steps):
    """The heavy ball: each step repeats a part of the last one (Polyak 1964)."""
    before = here = [one.copy() for one in parameters]
    for _ in range(steps):
        found = gradients(here)
        after = [p - rate * g + momentum * (p - q) for p, q, g in zip(here, before, found, strict=True)]
        before, here = here, after
    return tuple(here)


def train_while(gradients, parameters, rate, momentum, steps):
    here, velocities = [one + 0 for one in parameters], None
    while steps > 0:
        found = gradients(here)
        if velocities is None:
            velocities = [np.array(g) for g in found]
        else:
            velocities = [momentum * v + g for v, g in zip(velocities, found, strict=True)]
        here = [p - rate * v for p, v in zip(here, velocities, strict=True)]
        steps -= 1
    return here


STYLES = {
    "build_backward.numerical_gradient": [
        moved_in_place_and_put_back,
        moved_back_by_addition,
        by_unit_arrays,
        by_flat_places,
        by_nditer,
        mean_of_both_sides,
    ],
    "build_backward.backward": [
        backward_where,
        backward_einsum,
        backward_row_by_row,
        backward_mask_in_place,
        backward_heaviside,
    ],
    "build_backward.train": [
        train_with_the_rate_in_the_velocity,
        train_by_name,
        train_in_place_on_copies,
        train_by_last_places,
        train_while,
    ],
}
