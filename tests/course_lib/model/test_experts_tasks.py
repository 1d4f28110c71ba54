"""The tasks, the counts and the batches that lesson 09 works with."""

import numpy as np
import torch

from course_lib.model import tasks, training


def test_batches_go_round():
    x, y = tasks.pairs(6, 3, 2)
    seen = []
    history = training.fit(training.networks((3, 4, 3), 2), x, y, steps=5, batch=2, after=seen.append)
    assert [torch.equal(rows, x[:, start : start + 2]) for rows, start in zip(seen, (0, 2, 4, 0, 2), strict=True)] == [
        True
    ] * 5
    assert history.losses.shape == (6, 2)


def test_no_more_than_a_batch_is_held_at_once():
    x, y = tasks.pairs(600, 3, 2)
    many, rows = training.networks((3, 4, 3), 2), []

    def forward(parameters, x):
        rows.append(x.shape[-2])
        return many.forward(parameters, x)

    training.fit(training.Networks(many.parameters, forward), x, y, steps=5, batch=2)
    assert set(rows) == {2}


def test_a_penalty_is_not_part_of_the_losses():
    x, y = tasks.pairs(6, 3, 2)
    runs = []
    for weight in (0, 1):
        many = training.networks((3, 4, 3), 2)
        penalty = lambda _, many=many, w=weight: w * many.parameters[0].square().sum(dim=(1, 2))  # noqa: E731
        runs.append((training.fit(many, x, y, steps=20, penalty=penalty), many))
    assert np.array_equal(runs[0][0].losses[0], runs[1][0].losses[0])
    assert (runs[0][1].parameters[0].norm() > runs[1][1].parameters[0].norm()).item()
