"""Odd arguments to every public function: a result, or a TypeError or ValueError that names the argument."""

import importlib
import inspect
import re
import traceback

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course_lib.model import accounting, excerpts, language_model, reading, tasks, training
from course_lib.model.one_thread import torch
from courseware.page import style
from courseware.page.interactive import Interactive

MODULES = (
    *(
        f"course_lib.model.{name}"
        for name in ("activations", "ffn", "numpy_ffn", "block", "experts", "tasks", "training", "probes")
    ),
    *(f"course_lib.model.{name}" for name in ("language_model", "reading", "contexts", "excerpts", "edit")),
    "course_lib.model.accounting",
    "course_lib.model.published",
    *(f"courseware.page.{name}" for name in ("display", "output", "interactive")),
)

X = torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(3, 4)
A = X.numpy()
ROWS = torch.nn.Linear(4, 4, dtype=torch.float64)
MODEL = accounting.published_models()[0]
WRITER = language_model.LanguageModel(4, 1, 2, 8, 6).eval().requires_grad_(False)
TEXT = "def f(self): return self.x"
SEEN = reading.read(WRITER, TEXT)
HERE = np.arange(len(SEEN.bits)) % 3 == 0
NEW = {"w": np.ones(4), "bias": 0.5, "values": np.ones(4)}


def interactive():
    """Make a small figure that a slider can move."""
    figure, axes = style.blank()
    line = axes.plot([0, 1], [0, 1])[0]
    return Interactive(figure, lambda value: ({"line": {"ydata": [0, value]}}, f"A line to {value}."), {"line": line})


# For each public function: arguments that are right. The names of the parameters are those that errors must mention.
RIGHT = {
    "ffn.PositionWiseFeedForward": {"d_model": 4, "d_ff": 8, "dropout": 0.0, "activation": "gelu"},
    "ffn.GatedFeedForward": {"d_model": 4, "d_ff": 8, "activation": "silu", "bias": True, "dropout": 0.0},
    "ffn.SwiGLUFeedForward": {"d_model": 4, "d_ff": 8, "bias": False, "dropout": 0.0},
    "ffn.swiglu_width": {"d_model": 4, "multiple_of": 8},
    "numpy_ffn.gated_forward": {"x": A, "W_gate": np.ones((4, 6)), "W_up": np.ones((4, 6)), "W_down": np.ones((6, 4))},
    "block.EncoderBlock": {"d_model": 4, "n_heads": 2, "d_ff": 8, "causal": True, "dropout": 0.0, "norm_first": True},
    "tasks.xor": {},
    "tasks.wave": {"n": 10},
    "tasks.pairs": {"n": 3, "d_model": 4, "seeds": 2, "first_seed": 0},
    "tasks.capitals": {},
    "tasks.tokens": {"copies": 2, "seed": 0},
    "tasks.clusters": {"n": 4, "seeds": 2, "count": 3, "d_model": 4, "distance": 1.0, "common": 0.5, "first_seed": 0},
    "experts.MixtureOfExperts": {"d_model": 4, "d_ff": 3, "n_experts": 3, "k": 2, "router": "switch", "capacity": 2},
    "experts.route": {"logits": X, "k": 2, "router": "mixtral"},
    "experts.kept": {"chosen": X > 0, "capacity": 2},
    "tasks.turns": {"n": 2, "seq_len": 3, "seed": 0},
    "training.assembled": {"forward": lambda part, x: part.up(x), "seeds": 2, "activation": "relu", "up": (2, 3)},
    "training.gated_networks": {"sizes": (2, 3, 1), "seeds": 2, "activation": "relu", "first_seed": 0},
    "training.transformers": {"d_in": 2, "seq_len": 3, "seeds": 2, "d_model": 4, "heads": 2, "layers": 1, "d_ff": 8},
    "training.networks": {"sizes": (2, 3, 1), "seeds": 2, "activation": "relu", "first_seed": 0},
    "training.narrowed": {"many": training.networks((2, 3, 1), 2), "widths": [1, 2]},
    "training.fit": {"many": training.networks((2, 3, 1), 2), "x": tasks.xor()[0], "y": tasks.xor()[1], "steps": 2},
    "probes.influence": {"f": ROWS, "x": X, "seed": 0},
    "probes.rank": {"h": X},
    "accounting.ffn_parameters": {"d_model": 4, "d_ff": 8, "bias": True},
    "accounting.gated_parameters": {"d_model": 4, "d_ff": 8, "bias": True},
    "accounting.attention_parameters": {"d_model": 4, "bias": True, "n_heads": 2, "n_kv_heads": 1, "head_dim": 2},
    "accounting.latent_attention_parameters": {
        **{"d_model": 8, "n_heads": 2, "head_dim": 4},
        **{"query_rank": 4, "key_value_rank": 4, "rope_dim": 2},
    },
    "accounting.layer_norm_parameters": {"d_model": 4, "bias": True},
    "accounting.layer_share": {"d_model": 4, "d_ff": 8, "bias": True, "decoder": False},
    "accounting.count_parameters": {"module": ROWS},
    "accounting.ffn_multiply_adds": {"d_model": 4, "d_ff": 8, "gated": False},
    "accounting.projection_multiply_adds": {"d_model": 4},
    "accounting.mixing_multiply_adds": {"d_model": 4, "seq_len": 5},
    "accounting.crossover_length": {"d_model": 4, "d_ff": 16, "projections": True},
    "accounting.mixture_parameters": {"d_model": 4, "d_ff": 8, "n_experts": 3, "k": 2, "gated": False},
    "published.published_models": {},
    "accounting.ffn_total": {"model": MODEL},
    "accounting.model_parts": {"model": MODEL},
    "accounting.total_parameters": {"model": MODEL},
    "accounting.active_parameters": {"model": MODEL},
    "accounting.ffn_share": {"model": MODEL},
    "language_model.LanguageModel": {"d_model": 4, "n_blocks": 1, "n_heads": 2, "d_ff": 8, "seq_len": 6},
    "language_model.checked": {"model": WRITER},
    "language_model.encoded": {"text": TEXT},
    "language_model.untrained": {"seed": 0},
    "language_model.trained": {},
    "language_model.record": {},
    "language_model.study": {},
    "language_model.write": {"model": WRITER, "prompt": "def", "length": 3, "temperature": 0.7, "seed": 0},
    "language_model.checksum": {"arrays": {"a": A}},
    "reading.of_part": {"part": "B"},
    "reading.read": {"model": WRITER, "text": TEXT, "change": {"ffn 1": torch.zeros_like}, "inside": False},
    "reading.promoted": {"model": WRITER, "block": 1},
    "reading.widened": {"model": WRITER, **NEW},
    "reading.with_unit": {"model": WRITER, "seen": SEEN, **NEW},
    "reading.unit_for": {"inputs": SEEN.inputs[0], "here": HERE},
    "reading.fitted_unit": {"inputs": SEEN.inputs[0], "here": HERE, "ridge": 0.1, "steps": 3},
    "reading.followers": {"h": SEEN.hidden[0], "following": SEEN.following, "strongest": 3},
    "contexts.ends_with": {"text": TEXT, "words": "self"},
    "contexts.contexts": {"excerpt": excerpts.excerpt("A", 200)},
    "contexts.f1": {"found": HERE, "wanted": HERE},
    "contexts.scores": {"h": SEEN.hidden[0], "truths": HERE[:, None], "least": 2},
    "contexts.best_names": {"h": SEEN.hidden[0], "truths": HERE[:, None], "least": 2},
    "contexts.best_limit": {"values": SEEN.inputs[0][:, 0], "wanted": HERE},
    "edit.rank_one": {"weight": X.T, "bias": None, "h": X[0], "key": X[0], "wanted": X[:, 0]},
    "excerpts.excerpt": {"part": "A", "length": 50},
    "display.show": {"figure": interactive().figure, "caption": "words"},
    "display.table": {"rows": [[1, 2]], "columns": ["a", "b"], "caption": "words"},
    "display.in_code": {"source": "x = 1"},
    "output.text": {"markdown": "words"},
    "interactive.Range": {"label": "x", "low": 0, "high": 2, "step": 1, "start": 1},
    "interactive.Choice": {"label": "x", "options": ("a", "b"), "start": 0},
}
# Results and containers that only the course's own code makes, and what needs a running notebook.
NOT_FUZZED = {
    "activations.Activation",
    "training.Networks",
    "training.History",
    "published.PublishedModel",
    "output.replace_cells",  # this and the next stay with a shell that other tests use
    "output.before_errors",
    "output.live",
    "output.still",
    "output.image",
    "output.below",
    "output.ran",
    "output.picture",
    "experts.Routing",
    # these take parts of a Routing
    "experts.largest",
    "experts.balance_loss",
    "experts.second_choice",
    "experts.mixtures",
    "experts.MixtureNetworks",
    "display.in_columns",
    "display.in_markdown",
    "interactive.Interactive",
    "interactive.Explorer",
    # read-only results; and what reads a file, see tests/course_lib/model/test_language_model.py
    "reading.Reading",
    "excerpts.Excerpt",
    "language_model.load",
    # a loss is handed to fit, which checks what it gets
    "per_seed.uniform_start",
    "training.mean_squared_error",
}

NUMBERS = st.one_of(
    st.integers(-3, 12),
    st.floats(-3, 12),
    st.sampled_from([float("nan"), float("inf"), -float("inf"), -(10**30), 1e-300, True, np.int64(3), np.float32(0.5)]),
)
ARRAYS = st.builds(
    lambda shape, dtype, fill: np.full(shape, fill).astype(dtype),
    st.lists(st.integers(0, 4), max_size=3).map(tuple),
    st.sampled_from([np.float64, np.float32, np.int64, bool, complex]),
    st.sampled_from([0.0, 1.0, -2.5]),
) | st.sampled_from([np.array([np.nan, 1.0]), np.array([["a"]]), np.array([None, 1], dtype=object)])
TENSORS = ARRAYS.filter(lambda array: array.dtype.kind in "fibc").map(torch.from_numpy)
OTHERS = st.sampled_from(
    [None, "", "relu", "words", b"bytes", [], [1, 2], [[1], [2, 3]], (), {}, {"a": 1}, set(), object()]
)
CALLABLES = st.sampled_from([len, np.sum, torch.relu, lambda x: x, lambda x: None, lambda *a: "word", int, object])
ODD = st.one_of(NUMBERS, ARRAYS, TENSORS, OTHERS, CALLABLES)


def public_functions():
    """Return every public function and class of the fuzzed modules, by name."""
    found = {}
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        short = module_name.rpartition(".")[2]
        for name, thing in vars(module).items():
            own = getattr(thing, "__module__", None) == module.__name__
            if callable(thing) and own and not name.startswith("_"):
                found[f"{short}.{name}"] = thing
    return found


TAKE_FUNCTIONS = {"f", "activation", "forward", "penalty", "after"}
FUNCTIONS = public_functions()
for _name, _function in FUNCTIONS.items():
    if _name.startswith("activations.") and _name != "activations.Activation":
        RIGHT[_name] = {"name_or_function": "gelu"} if _name.endswith(".activation") else {"x": X}
    if _name.startswith("numpy_ffn.") and _name not in RIGHT:
        RIGHT[_name] = {"x": A}
FUZZED = sorted(set(RIGHT) & set(FUNCTIONS))


def test_every_public_function_is_fuzzed():
    assert set(FUNCTIONS) - set(RIGHT) - NOT_FUZZED == set()
    assert set(RIGHT) - set(FUNCTIONS) == set()


@pytest.mark.parametrize("name", FUZZED)
def test_right_arguments_are_accepted(name):
    FUNCTIONS[name](**RIGHT[name])


def kind(value) -> str:
    """Return what a value is at first sight: "number", "numbers" or "words", or "" for anything else."""
    try:
        array = np.asarray(list(value) if isinstance(value, dict) else value)
    except Exception:  # ragged, or no array at all
        return ""
    if array.size == 0:
        return ""
    if array.dtype.kind in "fiu" and array.ndim:
        return "numbers"
    if array.dtype.kind in "fiu":
        return "number" if np.isfinite(array) else ""
    return "words" if array.dtype.kind == "U" and array.ndim else ""


def names_it(argument, arguments, right, message) -> bool:
    """Tell whether an error speaks of the malformed argument.

    Where it is of the right kind and only contradicts the others, the error may speak of one of those.
    """
    known = {"name_or_function": "activation"}.get(argument, argument)  # what its callers call it
    found = kind(arguments[argument])
    if found and found == kind(right[argument]) and (found != "number" or "low" in right):
        known = rf"({'|'.join(right)})"
    return re.search(rf"\b{known}\b", message) is not None


@pytest.mark.usefixtures("shell")  # what shows something behaves otherwise without one
@pytest.mark.parametrize("name", [name for name in FUZZED if RIGHT[name]])
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_odd_arguments_give_a_result_or_a_clear_error(name, data):
    parameters = [
        key for key in inspect.signature(FUNCTIONS[name]).parameters if key not in ("loss", "ffn", "display_id")
    ]
    odd = data.draw(st.sampled_from(parameters))
    arguments = {**RIGHT[name], odd: data.draw(ODD)}
    try:
        FUNCTIONS[name](**arguments)
    except (TypeError, ValueError, RuntimeError) as error:
        if callable(arguments[odd]) and odd in TAKE_FUNCTIONS:
            return  # the function that was handed over may raise what it likes
        if "f" in arguments and "course_lib" not in traceback.extract_tb(error.__traceback__)[-1].filename:
            return  # so may this one, when x does not fit it
        assert not isinstance(error, RuntimeError), error
        right = dict.fromkeys(parameters) | RIGHT[name]
        assert names_it(odd, arguments, right, str(error)), f"{odd} is not named: {error!r}"


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(codes=ODD)
def test_odd_codes_to_the_language_model(codes):
    try:
        logits = WRITER(codes)
    except (TypeError, ValueError) as error:
        assert re.search(r"\bcodes\b", str(error)), error
    else:
        assert logits.shape == (*codes.shape, 97)


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(x=ODD, kind=st.sampled_from(["PositionWiseFeedForward", "GatedFeedForward", "EncoderBlock"]))
def test_odd_inputs_to_the_modules(x, kind):
    name = ("block." if kind == "EncoderBlock" else "ffn.") + kind
    module = FUNCTIONS[name](**RIGHT[name])
    try:
        y = module(x)
    except (TypeError, ValueError) as error:
        assert re.search(r"\bx\b", str(error)), error
    else:
        assert y.shape == x.shape
