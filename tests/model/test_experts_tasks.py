"""The tasks, the counts and the batches that lesson 09 works with."""

import numpy as np
import pytest
import torch

from course_lib.model import accounting, tasks, training
from course_lib.model.accounting import count_parameters, mixture_parameters
from course_lib.model.experts import MixtureOfExperts


def test_each_cluster_has_a_linear_map_of_its_own():
    x, y, cluster = tasks.clusters(600, 2, count=3, d_model=4)
    assert x.shape == y.shape == (2, 600, 4) and cluster.shape == (2, 600) and x.dtype == torch.float64
    assert set(cluster.flatten().tolist()) == {0, 1, 2}
    ones = torch.ones(600, 1, dtype=torch.float64)
    for seed in range(2):
        design = torch.cat([x[seed], ones], dim=1)
        for index in range(3):
            rows = cluster[seed] == index
            fit = torch.linalg.lstsq(design[rows], y[seed, rows]).solution
            torch.testing.assert_close(design[rows] @ fit, y[seed, rows], rtol=0, atol=1e-10)
        fit = torch.linalg.lstsq(design, y[seed]).solution
        assert (design @ fit - y[seed]).square().mean() > 0.3
    np.testing.assert_allclose(y.std(dim=(1, 2), correction=0), 1, rtol=1e-12)


def test_centres_and_the_common_vector():
    x, _, cluster = tasks.clusters(8000, 1, count=4, distance=6, common=10)
    means = torch.stack([x[0, cluster[0] == index].mean(dim=0) for index in range(4)])
    plain = tasks.clusters(8000, 1, count=4, distance=6)[0]
    shift = x - plain
    assert shift.std(dim=1).max() < 1e-12 and shift[0, 0].norm().item() == pytest.approx(10)
    assert torch.allclose((means - shift[0, 0]).norm(dim=1), torch.full((4,), 6.0, dtype=torch.float64), atol=0.3)


def test_smooth_targets_are_scaled():
    x, y = tasks.smooth(500, 3)
    assert x.shape == y.shape == (3, 500, 8)
    np.testing.assert_allclose(y.mean(dim=1), 0, atol=1e-12)
    np.testing.assert_allclose(y.std(dim=(1, 2), correction=0), 1, rtol=1e-12)


@pytest.mark.parametrize("task", [tasks.clusters, tasks.smooth])
def test_a_seed_does_not_depend_on_the_others(task):
    assert torch.equal(task(50, 1, first_seed=1)[0][0], task(50, 2)[0][1])
    before = torch.random.get_rng_state()
    task(5)
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tasks.clusters(0), ValueError, "n must be"),
        (lambda: tasks.clusters(5, count=0), ValueError, "count must be"),
        (lambda: tasks.clusters(5, distance=-1), ValueError, "distance must be"),
        (lambda: tasks.clusters(5, common="much"), TypeError, "common must be"),
        (lambda: tasks.clusters(5, first_seed=-1), ValueError, "first_seed must be"),
        (lambda: tasks.smooth(5, units=0.5), TypeError, "units must be"),
        (lambda: mixture_parameters(8, 16, 8, 9), ValueError, "k must be"),
        (lambda: mixture_parameters(8, 16, 8, 1, 1), TypeError, "gated must be"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("gated", [False, True])
def test_mixture_parameters_equal_a_count(gated):
    layer = MixtureOfExperts(6, 10, 5, 2, gated=gated)
    found = mixture_parameters(6, 10, 5, 2, gated)
    assert found["held"] == count_parameters(layer)
    assert found["held"] - found["at work"] == 3 * count_parameters(layer.experts[0])


@pytest.mark.parametrize("name", ["Mixtral 8x7B", "DeepSeek-V3"])
def test_mixture_parameters_agree_with_the_table_of_models(name):
    model = next(model for model in accounting.published_models() if model.name == name)
    layer = mixture_parameters(model.d_model, model.d_ff, model.experts, model.experts_per_token, model.gated)
    idle = accounting.total_parameters(model) - accounting.active_parameters(model)
    assert idle == (model.n_layers - model.dense_layers) * (layer["held"] - layer["at work"])


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


@pytest.mark.parametrize("y", [torch.ones(6, dtype=torch.float64), torch.ones(2, 6, 5, dtype=torch.float64)])
def test_batches_of_targets_that_do_not_fit(y):
    with pytest.raises(ValueError, match="y must have the shape|batch must divide the number of rows of x and y"):
        training.fit(training.networks((3, 4, 3), 2), tasks.pairs(6, 3, 2)[0], y, batch=2)


def test_a_penalty_is_not_part_of_the_losses():
    x, y = tasks.pairs(6, 3, 2)
    runs = []
    for weight in (0, 1):
        many = training.networks((3, 4, 3), 2)
        penalty = lambda _, many=many, w=weight: w * many.parameters[0].square().sum(dim=(1, 2))  # noqa: E731
        runs.append((training.fit(many, x, y, steps=20, penalty=penalty), many))
    assert np.array_equal(runs[0][0].losses[0], runs[1][0].losses[0])
    assert (runs[0][1].parameters[0].norm() > runs[1][1].parameters[0].norm()).item()


def test_batch_must_divide_the_rows():
    x, y = tasks.pairs(6, 3, 2)
    with pytest.raises(ValueError, match="batch must divide the number of rows of x and y, but 4 does not divide 6"):
        training.fit(training.networks((3, 4, 3), 2), x, y, batch=4)
