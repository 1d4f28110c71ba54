"""What the exercises that count units share: the largest first, until their sum is a share of the whole."""

import numpy as np


def needed(sizes, share) -> int:
    """Return how many of the sizes, the largest first, make the share of their sum."""
    running = np.cumsum(np.sort(sizes)[::-1])
    return int((running < share * running[-1] * (1 - 1e-12)).sum()) + 1


def one_by_one(sizes: list[float], share) -> int:
    """Return the same without NumPy: take the largest that is left, until the share is reached."""
    left, goal, total = list(sizes), share * sum(sizes), 0.0
    while total < goal * (1 - 1e-12):
        total += left.pop(left.index(max(left)))
    return len(sizes) - len(left)


def upwards(sizes, share) -> int:
    """Return the count of somebody who begins with the smallest."""
    return unsorted(np.sort(sizes), share)


def unsorted(sizes, share) -> int:
    """Return the count of somebody who takes the sizes in the order in which they stand."""
    running = np.cumsum(sizes)
    return int(np.searchsorted(running, share * running[-1]) + 1)


def told_apart(draw, answers) -> list:
    """Draw cases until no two answers give the same counts: counts are small numbers, and often equal by chance."""
    while True:
        cases = draw()
        counts = [tuple(answer(*case.args) for case in cases) for answer in answers]
        if len(set(counts)) == len(counts):
            return cases
