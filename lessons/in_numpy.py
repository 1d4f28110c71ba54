"""Say in NumPy's words what an exercise says in torch's: its sentences, its starter and its worked cell."""

import re

WORDS = {
    "torch.nn.functional.gelu": "gelu",
    "torch.erf": "erf",
    "torch.exp": "np.exp",
    "dim=": "axis=",
    "dead.double()": "dead",
    "minutes · torch": "minutes · NumPy",
}
_ERF = "import math\n\nerf = np.vectorize(math.erf)  # NumPy has no erf: this one applies math.erf to every value"
_GELU = '''\
import math


def gelu(z):
    """Return the exact GELU, z Φ(z), of every value; z is a NumPy array of any shape."""
    return z * (1 + np.vectorize(math.erf)(z / 2**0.5)) / 2'''
# What torch has and NumPy has not is given above the function that is to be written.
GIVEN = {"relu_vs_gelu.gelu_slope": _ERF, "bonus_swiglu.geglu": _GELU}
# Exercises about torch itself, which is not to be had in a web page. Others on tensors are asked with arrays there.
NEEDS_TORCH = frozenset(
    {
        "build_the_ffn.module",
        "inside_a_language_model.my_edit",
        "review.block",
        "build_layer.one_head",
        "build_layer.all_heads",
        "build_layer.layer_norm",
        "build_layer.layer",
        "build_layer.gated",
        "build_microscope.hidden_values",
        "build_microscope.side_effects",
    }
)
_ANY = re.compile("|".join(rf"(?<![\w.]){re.escape(word)}" for word in sorted(WORDS, key=len, reverse=True)))


def in_numpy(text: str) -> str:
    """Return a sentence or code with the words of NumPy in place of torch's.

    >>> in_numpy("gate = torch.nn.functional.gelu(z); (h == 0).all(dim=0)")
    'gate = gelu(z); (h == 0).all(axis=0)'
    """
    return _ANY.sub(lambda match: WORDS[match[0]], text)


def given(id: str) -> str:
    """Return the code that is given above the function of an exercise, or ""."""
    return f"{GIVEN[id]}\n\n\n" if id in GIVEN else ""


def cell(id: str, code: str) -> str:
    """Return the starter of an exercise, its worked cell or half of it, in the words of NumPy, below what is given."""
    return given(id) + in_numpy(code)
