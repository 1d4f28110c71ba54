"""Right answers to the exercise of inside_a_language_model, written in many styles."""

import numpy as np

STYLES = {
    "inside_a_language_model.my_edit": [
        lambda: ("def", "!", 60),
        lambda: ("the", "Q", 50),
        lambda: ["self.", "z", 80.0],
        lambda: (" in", "i", 40),
        lambda: ("{", "Q", np.float64(100)),
    ],
}
