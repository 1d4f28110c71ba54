"""Exercise: find the three matrices of one FFN among the weights of a Llama, and write them as this course does."""

import numpy as np

from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns

_PARTS = ("gate_proj", "up_proj", "down_proj")


class State(dict):
    """The weights of a model by name, which says what is wrong with a name that it does not have."""

    def __missing__(self, name):
        words = f"`state` has no key {name!r}. Its keys are whole names, such as 'model.layers.1.mlp.gate_proj.weight'."
        if isinstance(name, str) and "{" in name:
            words += " A number takes the place of {…} only if an f stands before the quotes."
        raise Fault(Key.RAISES, words)


def _cases(rng):
    """Draw small models of twelve layers; of the layers 1, 10 and 11 all names hold "layers.1"."""
    return [_case(rng, *sizes) for sizes in ((5, 13, 1, 1), (4, 7, 1, -1), (6, 3, 8, 1))]


def _case(rng, d_model, d_ff, layer, step):
    shapes = {
        "self_attn.q_proj": (d_model, d_model),
        "self_attn.o_proj": (d_model, d_model),
        "mlp.gate_proj": (d_ff, d_model),
        "mlp.up_proj": (d_ff, d_model),
        "mlp.down_proj": (d_model, d_ff),
        "post_attention_layernorm": (d_model,),
    }
    state = State({"model.embed_tokens.weight": rng.normal(size=(9, d_model))})
    for place in range(12)[::step]:
        for part, shape in shapes.items():
            state[f"model.layers.{place}.{part}.weight"] = rng.normal(size=shape)
    state["model.norm.weight"] = rng.normal(size=d_model)
    return Case((state, layer), {"d_model": d_model, "d_ff": d_ff})


def _entry_by_entry(state, layer):
    """Fill each matrix by what it does: entry [i, j] leads from the number i to the number j."""
    found = []
    for part in _PARTS:
        stored = state[".".join(("model", "layers", str(layer), "mlp", part, "weight"))]
        matrix = np.empty(stored.shape[::-1])
        for out, row in enumerate(stored):
            for into, value in enumerate(row):
                matrix[into, out] = value
        found.append(matrix)
    return tuple(found)


def _stored(state, layer):
    return [state[f"model.layers.{layer}.mlp.{part}.weight"] for part in _PARTS]


def _changed(change):
    """Make a wrong answer from the three stored matrices."""
    return lambda state, layer: change(*_stored(state, layer))


def _any_layer_that_begins_so(state, layer):
    """Take the last layer whose name holds "layers.1", where layer 1 is asked for."""
    last = max(place for place in range(12) if str(place).startswith(str(layer)))
    return tuple(one.T for one in _stored(state, last))


EXERCISE = Exercise(
    id="real_model.from_llama",
    kind="function",
    cases=_cases,
    oracle=_entry_by_entry,
    returns=(
        Returns("W_gate", ("d_model", "d_ff")),
        Returns("W_up", ("d_model", "d_ff")),
        Returns("W_down", ("d_ff", "d_model")),
    ),
    mistakes=(
        Mistake(
            "exchanged",
            _changed(lambda gate, up, down: (up.T, gate.T, down.T)),
            "W_gate and W_up have changed places: the activation would act on the wrong branch.",
        ),
        Mistake(
            "reshaped",
            _changed(
                lambda gate, up, down: (gate.reshape(down.shape), up.reshape(down.shape), down.reshape(gate.shape))
            ),
            "You reshape the matrices, which keeps the numbers in their order and puts them into other rows. A transpose, `.T`, makes rows of columns.",
        ),
        Mistake(
            "chosen-by-shape",
            _changed(lambda gate, up, down: (down, down, gate)),
            "Your matrices have the shapes of ours without a transpose, because they are not the ones asked for: W_gate and W_up come from down_proj, and W_down from gate_proj.",
        ),
        Mistake(
            "down-from-up",
            _changed(lambda gate, up, down: (gate.T, up.T, up)),
            "Your W_down is up_proj's weight as it is stored. It has the right shape, but down_proj has a matrix of its own.",
        ),
        Mistake(
            "gate-twice",
            _changed(lambda gate, up, down: (gate.T, gate.T, down.T)),
            "W_gate and W_up are the same matrix, that of gate_proj.",
        ),
        Mistake(
            "layer-before",
            lambda state, layer: tuple(one.T for one in _stored(state, layer - 1)),
            "These are the matrices of the layer before: `layer` counts from 0, as the names do.",
        ),
        Mistake(
            "layer-0",
            lambda state, layer: tuple(one.T for one in _stored(state, 0)),
            "You always take layer 0; the argument `layer` says which one is asked for.",
        ),
        Mistake(
            "begins-alike",
            _any_layer_that_begins_so,
            "For layer 1 you return the matrices of layer 11, whose name begins like that of layer 1. Compare the whole name, up to the dot behind the number.",
        ),
    ),
    hints=(
        "Three names, three matrices. nn.Linear keeps each matrix the other way round than we write it.",
        "gate_proj and up_proj are stored as (d_ff, d_model), down_proj as (d_model, d_ff); we write (d_model, d_ff) and (d_ff, d_model).",
        'Start with: gate = state[f"model.layers.{layer}.mlp.gate_proj.weight"].',
    ),
    right="Any Llama's FFN can be read into ours like this.",
)
