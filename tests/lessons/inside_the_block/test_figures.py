"""What the captions say follows the data, also data that no notebook stores."""

import numpy as np

from lessons.inside_the_block import figures

POST = ["branch", "attention", "add", "norm1", "branch", "ffn", "add", "norm2"]


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
    assert "weights: b 0.50 to 0.50." in caption and caption.count("1e-10") == 2  # where lines end
