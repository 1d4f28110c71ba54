"""What the figures draw and say follows their data, and data that do not fit are refused."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

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


def test_the_words_that_a_question_needs_are_filled():
    figure, caption = figures.questions(["a", "big", "bank"], {"both?": [0, 2], "second?": [1]})
    words = {tuple(np.round(text.get_position(), 6)): text.get_text() for text in figure.axes[0].texts}
    filled = []
    for patch in figure.axes[0].patches:
        if to_hex(patch.get_facecolor()) == INPUT.lower():
            middle = patch.get_x() + patch.get_width() / 2, patch.get_y() + patch.get_height() / 2
            filled.append(words[tuple(np.round(middle, 6))])
    assert filled == ["a", "bank", "big"] and caption.startswith(
        "Each question is asked at “bank”: which needs attention"
    )
