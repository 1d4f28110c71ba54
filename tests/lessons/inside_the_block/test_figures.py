"""What the figures draw and say follows their data, and data that do not fit are refused."""

import re

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex

from course_lib.model.block import EncoderBlock
from course_lib.model.probes import stream_parts
from course_lib.page.style import INPUT
from lessons.inside_the_block import figures

POST = ["branch", "attention", "add", "norm1", "branch", "ffn", "add", "norm2"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.wiring({}), "orders must hold at least one"),
        (lambda: figures.wiring({"a": []}), "must not be empty"),
        (lambda: figures.wiring({"a": ["softmax"]}), "unknown step in orders\\['a'\\] 'softmax'"),
        (lambda: figures.wiring({"a": ["branch", "branch"]}), "must close each branch"),
        (lambda: figures.wiring({"a": ["add"]}), "must close each branch"),
        (lambda: figures.wiring({"a": ["branch", "ffn"]}), "nor end inside a branch"),
        (lambda: figures.ablation(["a"], ["t"], np.ones((2, 1, 3))), "with models = 1, but its shape is"),
        (lambda: figures.ablation(["a"], ["t"], np.ones((1, 2, 3))), "with tasks = 1, but its shape is"),
        (lambda: figures.token_differences(["a"], np.ones((2, 1, 3))), "with stacks = 1, but its shape is"),
        (lambda: figures.ablation([], ["t"], np.ones((1, 1, 3))), "models must be a non-empty list of names"),
        (lambda: figures.ablation(["a"], [1], np.ones((1, 1, 3))), "tasks must be a non-empty list of names"),
        (lambda: figures.head_losses(["a", "b"], np.ones((3, 4))), "with kinds = 2, but its shape is"),
        (lambda: figures.stream_shares({}), "histories must hold at least one"),
        (lambda: figures.stream_shares({"a": np.ones((1, 2, 3))}), "must have shape"),
        (lambda: figures.stream_shares({"a": np.ones((1, 3, 2, 4, 5))}), "with parts = 3, but its shape is"),
        (
            lambda: figures.stream_shares({"a": np.ones((1, 3, 3, 4, 5)), "b": np.ones((1, 2, 3, 4, 5))}),
            "with depths = 3, but its shape is",
        ),
        (lambda: figures.head_losses(["a"], np.full((1, 2), np.nan)), "losses must be finite"),
    ],
)
def test_wrong_figure_data(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_captions_follow_the_data():
    assert "Norms on the stream itself: a 2." in figures.wiring({"a": POST})[1]
    losses = np.full((2, 1, 3), 0.25)
    losses[1] = 0
    caption = figures.ablation(["a", "b"], ["task"], losses)[1]
    assert "task: b. Solved means an error below 0.05. All other runs end at 1/4, to 1e-3: True" in caption
    losses[0, 0, 0] = 0.2
    assert "to 1e-3: False" in figures.ablation(["a", "b"], ["task"], losses)[1]
    caption = figures.head_losses(["1 head", "2 heads"], [[0.25, 0.1], [0, 0]])[1]
    assert "below 1/8: False" in caption and "1 head: 0 of 2; 2 heads: 2 of 2." in caption
    assert "1/8" not in figures.head_losses(["2 heads"], [[0, 0]])[1]
    found = np.array([[[1, 1e-14]], [[1, 0.5]]])
    caption = figures.token_differences(["a", "b"], found)[1]
    assert "with random weights: b 0.50 to 0.50; the others below 1e-10." in caption
    assert "Below 1e-10: from layer 1 on a." in caption
    assert "weights: all below 1e-10." in figures.token_differences(["a"], found[:1])[1]
    caption = figures.token_differences(["b"], found[1:])[1]
    assert "weights: b 0.50 to 0.50." in caption and "1e-10" not in caption


def history(seed):
    """Split the stream of two pre-norm blocks, (3, 3, 5, 8)."""
    torch.manual_seed(seed)
    stack = [EncoderBlock(8, 2, 16, norm_first=True).double().eval() for _ in range(2)]
    return stream_parts(stack, torch.randn(5, 8, dtype=torch.float64))


def test_shares_sum_to_one_and_follow_the_controls():
    histories = np.stack([history(seed) for seed in range(2)])
    shown = figures.stream_shares({"pre-norm": histories})
    assert "After 0 pre-norm blocks with random weights, 100 % of a token is its input, 0 %" in shown.move(
        depth=0, order="pre-norm"
    )
    data, caption = shown.update(depth=1, order="pre-norm")
    assert "After 1 pre-norm block " in caption
    shares = [int(number) for number in re.findall(r"(\d+) %", caption)[:3]]
    assert sum(shares) == pytest.approx(100, abs=1)
    lines = [line["data"][1] for line in data["lines"]]
    assert np.round([line[1] for line in lines]).tolist() == shares
    np.testing.assert_allclose(np.sum(lines, axis=0), 100)
    heights = [bar["height"] for bar in data["bars"]]
    np.testing.assert_allclose(heights, histories[0, 1, :, 0].sum(axis=0))
    for wrong in ({"depth": 9, "order": "pre-norm"}, {"depth": 1, "order": "post-norm"}):
        with pytest.raises(ValueError, match=r"depth must be an integer from 0 to 2|unknown order 'post-norm'"):
            shown.update(**wrong)


def test_the_words_that_a_question_needs_are_filled():
    figure, caption = figures.questions(["a", "big", "bank"], {"both?": [0, 2], "second?": [1]})
    words = {tuple(np.round(text.get_position(), 6)): text.get_text() for text in figure.axes[0].texts}
    filled = []
    for patch in figure.axes[0].patches:
        if to_hex(patch.get_facecolor()) == INPUT.lower():
            middle = patch.get_x() + patch.get_width() / 2, patch.get_y() + patch.get_height() / 2
            filled.append(words[tuple(np.round(middle, 6))])
    assert filled == ["a", "bank", "big"] and caption.startswith("Which question about “bank” needs attention")
