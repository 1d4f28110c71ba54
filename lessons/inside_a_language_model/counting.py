"""What the exercises that count units share: the largest first, until their sum is a share of the whole."""

import itertools

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


_DRAWN: dict = {}  # which draw tells the answers apart, by the exercise and the state of the generator


def told_apart(exercise: str, rng, draw, answers) -> list:
    """Draw cases until no two answers give the same counts: counts are small numbers, and often equal by chance.

    A check draws the same cases again and again, so the draw that did it is remembered.
    """
    start = exercise, str(rng.bit_generator.state)
    if start in _DRAWN:
        return [draw() for _ in range(_DRAWN[start])][-1]
    for number in itertools.count(1):
        cases = draw()
        counts = [tuple(answer(*case.args) for case in cases) for answer in answers]
        if len(set(counts)) == len(counts):
            _DRAWN[start] = number
            return cases
