"""What lesson 09 says, measured again: the threshold of the block, the claims, the questions, and its figures."""

import itertools
import os
from collections import Counter

import numpy as np
import pytest

from course_lib import accounting, ffn, tasks, training
from course_lib._torch import nn, torch
from course_lib.exercises import catalogue, grade
from course_lib.figures import review as figures
from course_lib.lessons import l09


def looking_back(x):
    """Return x and what the fixed head brings, one row for each token."""
    h = x.clone()
    h[..., 2:4] += x.roll(1, dims=-2)[..., :2]
    return h.flatten(0, 1)


def trained_errors(many, steps=200):
    """Train networks in the block of the lesson and return their errors on fresh pointers."""
    around = training.Networks(many.parameters, lambda p, h: (h + many.forward(p, h))[..., 4:])
    (x, y), (fresh, turned) = tasks.turns(64, seed=0), tasks.turns(256, seed=1)
    training.fit(around, looking_back(x), y.flatten(0, 1), steps=steps, rate=0.03, schedule="cosine")
    return training.mean_squared_error(around(looking_back(fresh)), turned.flatten(0, 1)).numpy()


# ---- the task --------------------------------------------------------------------------------------------------------


def test_turns():
    x, y = tasks.turns(50, 5, seed=3)
    assert x.shape == (50, 5, 6) and y.shape == (50, 5, 2) and x.dtype == y.dtype == torch.float64
    assert torch.equal(x, tasks.turns(50, 5, seed=3)[0]) and not torch.equal(x, tasks.turns(50, 5, seed=4)[0])
    assert (x[..., 2:] == 0).all()
    pointer, turn = x[..., 0] + 1j * x[..., 1], y[..., 0] + 1j * y[..., 1]
    for token in range(5):
        torch.testing.assert_close(pointer[:, token - 1] * turn[:, token], pointer[:, token])
    torch.testing.assert_close(pointer.abs(), torch.ones(50, 5, dtype=torch.float64))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [((0,), ValueError, "n must"), ((2.5,), TypeError, "n must"), ((3, 1), ValueError, "seq_len must")],
)
def test_turns_refuses(arguments, error, words):
    with pytest.raises(error, match=words):
        tasks.turns(*arguments)


def test_no_affine_answer_beats_a_constant():
    x, y = tasks.turns(40_000, 3, seed=5)
    h, y = looking_back(x).numpy(), y.flatten(0, 1).numpy()
    h = np.hstack([h[:, :4], np.ones((len(h), 1))])
    error = np.mean((h @ np.linalg.lstsq(h, y, rcond=None)[0] - y) ** 2)
    assert error == pytest.approx(0.5, abs=2e-3)


# ---- the threshold ---------------------------------------------------------------------------------------------------


def test_a_plain_network_reaches_the_threshold_from_every_start():
    many = training.networks((6, 14, 6), 50)
    assert many.size == 188 <= l09.BUDGET < training.networks((6, 15, 6), 1).size
    assert trained_errors(many).max() < l09.THRESHOLD / 2


@pytest.mark.parametrize(("activation", "width"), [("identity", 14), ("relu", 4)])
def test_linear_and_narrow_networks_never_do(activation, width):
    assert trained_errors(training.networks((6, width, 6), 20, activation)).min() > 5 * l09.THRESHOLD


def test_gated_networks_reach_it_too():
    many = training.gated_networks((6, 9, 6), 20)
    assert many.size <= l09.BUDGET and accounting.gated_parameters(6, 11) == 198
    assert trained_errors(many).max() < l09.THRESHOLD / 2


def block(make):
    class MyBlock(nn.Module):
        def __init__(self):
            super().__init__()
            self.ffn = make()

        def forward(self, x):
            h = looking_back(x).unflatten(0, x.shape[:2])
            return h + self.ffn(h)

    return MyBlock


def layers(activation):
    return nn.Sequential(nn.Linear(6, 14), activation, nn.Linear(14, 6))


class NoInit(nn.Module):
    def __init__(self):
        self.up = nn.Linear(6, 14)


def test_the_check_trains_as_the_notebook_does():
    """Both start from the same kind of weights, on the same pointers; so a width passes or fails in both."""
    for width in (4, 14):
        passed = grade("review.block", block(lambda width=width: ffn.PositionWiseFeedForward(6, width, 0.0)), 0)
        assert (passed.key == "correct") == bool((trained_errors(training.networks((6, width, 6), 3)) < 0.02).all())


def test_the_check_is_deterministic_and_independent_of_the_session():
    answer = block(lambda: ffn.PositionWiseFeedForward(6, 14, 0.0))
    for dtype, seed in itertools.product((torch.float32, torch.float64), (0, 1)):
        torch.set_default_dtype(dtype)
        torch.manual_seed(seed)
        try:
            assert grade("review.block", answer).key == "correct"
            assert torch.get_default_dtype() == dtype
        finally:
            torch.set_default_dtype(torch.float32)


def test_the_check_works_in_a_live_notebook(monkeypatch):
    monkeypatch.delenv("COURSE_STATIC", raising=False)
    assert os.environ.get("COURSE_STATIC") is None
    assert grade("review.block", block(lambda: ffn.SwiGLUFeedForward(6, 11))).key == "correct"


@pytest.mark.parametrize(
    ("answer", "key", "words"),
    [
        (block(lambda: ffn.SwiGLUFeedForward(6, 16)), "mistake:over-budget", "more than 200"),
        (block(lambda: ffn.PositionWiseFeedForward(6, 14, 0.0, "identity")), "mistake:linear", "sum rule"),
        (block(lambda: nn.Linear(6, 6)), "mistake:linear", "sum rule"),
        (block(lambda: nn.LayerNorm(6)), "mistake:no-better-than-constant", "than a constant"),
        (block(lambda: layers(nn.Softmax(dim=1))), "mistake:mixes-positions", ""),
        (block(lambda: layers(nn.Softmax(dim=2))), "mistake:narrow", "above the threshold"),
        (block(lambda: lambda h: nn.functional.dropout(h, 0.5)), "value", "Two calls"),
        (block(lambda: lambda h: 0 * h - 1), "value", "every parameter at 0"),
        (block(lambda: lambda h: None), "raises", ""),
        (NoInit, "raises", "super"),
    ],
)
def test_other_blocks(answer, key, words):
    verdict = grade("review.block", answer, 0)
    assert verdict.key == key, verdict
    assert words in verdict.message


# ---- the claims ------------------------------------------------------------------------------------------------------

ROUNDS = ["review.predict_parts", "review.predict_numbers", "review.predict_evidence"]
JUDGEMENTS = dict(zip("ABCDEFGHIJKLMNOPQR", "hfhfft fhfhht ffffht".replace(" ", ""), strict=True))
WORDS = {"t": "true", "h": "half", "f": "false"}


def right(letters):
    return {letter: WORDS[JUDGEMENTS[letter]] for letter in letters}


@pytest.mark.parametrize(("id", "letters"), list(zip(ROUNDS, ("ABCDEF", "GHIJKL", "MNOPQR"), strict=True)))
def test_every_wrong_judgement_has_a_reply(id, letters):
    assert grade(id, right(letters)).key == "correct"
    replies = set()
    for letter, word in itertools.product(letters, WORDS.values()):
        verdict = grade(id, right(letters) | {letter: word})
        if word != right(letters)[letter]:
            assert verdict.key == f"mistake:{letter}-{word}" and verdict.message.startswith(f"{letter}: ")
            replies.add(verdict.message)
    assert len(replies) == 12
    halves = Counter(right(letters).values())["half"]
    assert f"{ {1: 'One', 2: 'Two', 3: 'Three'}[halves] } of the claims" in catalogue()[id].hints[1]


def test_the_first_wrong_judgement_is_the_one_that_is_answered():
    wrong = dict.fromkeys("ABCDEF", "true")
    assert grade("review.predict_parts", wrong).key == "mistake:A-true"
    assert grade("review.predict_parts", wrong | right("ABC")).key == "mistake:D-true"


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        ({"B": "maybe"}, "value", "claim B by one of the words"),
        ({"B": 1}, "type", "claim B must be a word"),
        ({"B": None}, "type", "claim B must be a word"),
    ],
)
def test_other_judgements(change, key, words):
    verdict = grade("review.predict_parts", right("ABCDEF") | change)
    assert verdict.key == key and words in verdict.message


def test_missing_judgements():
    verdict = grade("review.predict_numbers", right("GHIJK"))
    assert verdict.key == "value" and "Claim L is missing" in verdict.message
    assert "6 claims" in grade("review.predict_numbers", "half false").message
    assert grade("review.predict_numbers", ["false"] * 6).key == "type"


def test_what_the_claims_rest_on():
    models = {model.name: model for model in accounting.published_models()}
    assert all(model.d_ff > model.d_model for model in models.values() if not model.experts)
    shares = accounting.layer_share(512, 2048)
    assert shares["norm"] < 1e-3 and round(shares["ffn"], 2) == 0.67
    found = [accounting.ffn_share(model) for model in models.values()]
    assert min(found) < 0.41 and max(found) > 0.9 and sum(share > 0.9 for share in found) >= 1
    at_d = accounting.projection_multiply_adds(512), accounting.mixing_multiply_adds(512, 512)
    assert at_d[0] == 2 * at_d[1]  # two thirds of attention's cost at n = d
    later = [model for model in models.values() if model.year >= 2022]
    assert all(model.gated for model in later)
    assert {model.ffn_name for name, model in models.items() if name.startswith(("BERT", "GPT"))} == {"GELU"}
    assert {model.ffn_name for name, model in models.items() if name.startswith("Gemma")} == {"GEGLU"}


# ---- the questions ---------------------------------------------------------------------------------------------------


def test_the_review_is_long_and_balanced():
    questions = l09.QUESTIONS
    assert len(questions) >= 24
    places = Counter(next(i for i, option in enumerate(q.options) if option.right) for q in questions)
    assert all(8 <= places[place] <= 12 for place in range(3))
    ranks = Counter()
    for question in questions:
        lengths = sorted(len(option.text) for option in question.options)
        ranks[lengths.index(len(next(o.text for o in question.options if o.right)))] += 1
    assert ranks[0] <= 0.5 * len(questions), "the right option is the shortest too often"


def test_no_question_repeats_one_of_another_lesson():
    from course_lib.exercises.api import lessons

    prompts = [question.prompt for lesson in lessons() for question in lesson.questions]
    assert len(set(prompts)) == len(prompts)


def test_numbers_in_questions():
    assert accounting.ffn_parameters(10, 40) == 850 and accounting.ffn_parameters(10, 40, bias=False) == 800
    assert accounting.crossover_length(512, 2048) == 1024 < 4096
    models = {model.name: model for model in accounting.published_models()}
    assert models["BERT-base"].d_ff == models["GPT-2 small"].d_ff == 4 * 768 == 3072
    assert models["LLaMA-7B"].ffn_name == "SwiGLU" and round(accounting.ffn_share(models["DeepSeek-V3"]), 2) == 0.98


# ---- the figures -----------------------------------------------------------------------------------------------------


def test_turns_figure_says_the_angles():
    angle = np.radians([10, 50, 20])
    x = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    turn = angle - np.roll(angle, 1)
    figure, caption = figures.turns(x, np.stack([np.cos(turn), np.sin(turn)], axis=1))
    assert "−10°, +40°, −30°" in caption
    assert len(figure.axes) == 6


def test_answers_figure_says_what_it_shows():
    x, y = tasks.turns(3, 4)
    turned = torch.stack([-y[..., 1], y[..., 0]], dim=-1)  # a right angle off
    shown = figures.answers(x, y, torch.stack([y, turned, 0.5 * y]), ["right", "off", "short"])
    assert "error 0;" in shown.update(sequence=1, network="right") or "e-" in shown.update(sequence=1, network="right")
    assert "by up to 90°" in shown.update(sequence=2, network="off")
    assert "0.50 to 0.50 long" in shown.update(sequence=3, network="short")
    for wrong in ({"sequence": 0, "network": "off"}, {"sequence": 1, "network": "best"}):
        with pytest.raises(ValueError, match="must be"):
            shown.update(**wrong)


def test_errors_figure_counts_what_lies_below():
    _, caption = figures.errors_by_kind(["a", "b"], [188, 200], [[0.1, 0.3], [0.01, 0.03]], 0.02)
    assert "a 0.2 [0.1, 0.3], 0 of 2 below" in caption and "b 0.02 [0.01, 0.03], 1 of 2 below" in caption


@pytest.mark.parametrize(
    "call",
    [
        lambda: figures.errors_by_kind(["a"], [1], [[0.0, 1.0]], 0.02),
        lambda: figures.errors_by_kind(["a"], [1, 2], [[1.0]], 0.02),
        lambda: figures.errors_by_kind(["a", "b"], [1], [[1.0]], 0.02),
        lambda: figures.errors_by_kind(["a"], [1], [[1.0]], 0),
        lambda: figures.turns(np.ones((3, 1)), np.ones((3, 2))),
        lambda: figures.turns(np.ones((3, 2)), np.ones((4, 2))),
        lambda: figures.answers(np.ones((2, 3, 6)), np.ones((2, 3, 2)), np.ones((1, 2, 4, 2)), ["a"]),
        lambda: figures.answers(np.ones((2, 3, 6)), np.ones((2, 3, 3)), np.ones((1, 2, 3, 3)), ["a"]),
        lambda: figures.answers(np.ones((2, 3, 6)), np.ones((2, 3, 2)), np.ones((1, 2, 3, 2)), ["a", "b"]),
    ],
)
def test_figures_refuse_what_does_not_fit(call):
    with pytest.raises(ValueError):
        call()
