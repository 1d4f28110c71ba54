"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import numpy as np


# %% numerical_gradient
def numerical_gradient(f, a, step):
    """Return the gradient of f at the array a, by central differences."""
    ### BEGIN SOLUTION: return TODO
    gradient = np.zeros_like(a)
    for place in np.ndindex(a.shape):
        high, low = a.copy(), a.copy()
        high[place] += step
        low[place] -= step
        gradient[place] = (f(high) - f(low)) / (2 * step)
    return gradient
    ### END SOLUTION
    ### WHY: One number moves at a time, in a copy, so each difference belongs to that number and `a` stays as it was.
    ### WHY: With one step on each side, what bends f cancels; from below to above the way is 2 · step.


# %% backward
def backward(x, target, W1, W2, z, h, y):
    """Return dW1, db1, dW2, db2, dx: the gradients of the loss."""
    ### BEGIN SOLUTION: dW1, db1, dW2, db2, dx = TODO, TODO, TODO, TODO, TODO
    dy = 2 * (y - target) / y.size
    dW2 = h.T @ dy
    db2 = dy.sum(axis=0)
    dh = dy @ W2.T
    dz = dh * (z > 0)
    dW1 = x.T @ dz
    db1 = dz.sum(axis=0)
    dx = dz @ W1.T
    ### END SOLUTION
    return dW1, db1, dW2, db2, dx
    ### WHY: Each line of the forward pass is undone in turn, the last one first.
    ### WHY: A number that is used in many places collects a sum: a bias from every row, x from every hidden unit.


# %% train
def train(gradients, parameters, rate, momentum, steps):
    """Return the parameters after so many steps with momentum."""
    ### BEGIN SOLUTION: return TODO
    here = [one.copy() for one in parameters]
    velocities = [np.zeros_like(one) for one in parameters]
    for _ in range(steps):
        for k, gradient in enumerate(gradients(here)):
            velocities[k] = momentum * velocities[k] + gradient
            here[k] = here[k] - rate * velocities[k]
    return here
    ### END SOLUTION
    ### WHY: The gradients are asked for once in a step, before anything moves, so all four belong to the same weights.
    ### WHY: The velocities outlive the step: that is the memory.
