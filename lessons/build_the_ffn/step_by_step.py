"""Exercise: take the course's module apart and return all three arrays on the way."""

import itertools
import math

from course_lib.model.ffn import PositionWiseFeedForward
from course_lib.model.one_thread import torch
from lessons.build_the_ffn.shared import SHAPES, by_loops, named_sizes, weights
from whywrong.task import Case, Exercise, Fault, HalfRight, Key, Mistake, Returns
from whywrong.todo import holds_todo

gelu, silu = torch.nn.functional.gelu, torch.nn.functional.silu

#: The activations of the modules, each from number to number: the oracle's own.
_ACTIVATIONS = {
    "relu": lambda z: max(z, 0.0),
    "gelu": lambda z: z * (1 + math.erf(z / math.sqrt(2))) / 2,
    "silu": lambda z: z / (1 + math.exp(-z)),
    "sigmoid": lambda z: 1 / (1 + math.exp(-z)),
}


def _cases(rng):
    cases = []
    for (leading, d_model, d_ff), activation in zip(SHAPES, _ACTIVATIONS, strict=True):
        x = torch.from_numpy(rng.normal(size=(*leading, d_model)))
        ffn = _ffn(weights(rng, d_model, d_ff), activation)
        cases.append(Case((ffn, x), named_sizes(leading, d_model, d_ff)))
    return cases


def _ffn(arrays, activation):
    """Build the course's FFN with the given NumPy weights, float64, in eval mode."""
    W1, b1, W2, b2 = (torch.from_numpy(array) for array in arrays)
    ffn = PositionWiseFeedForward(*W1.shape, dropout=0.25, activation=activation).double().eval()
    ffn.load_state_dict({"up.weight": W1.T, "up.bias": b1, "down.weight": W2.T, "down.bias": b2})
    return ffn


def _oracle(ffn, x):
    W1, b1, W2, b2 = (part.detach().numpy().T for part in (ffn.up.weight, ffn.up.bias, ffn.down.weight, ffn.down.bias))
    steps = by_loops(x.numpy(), W1, b1, W2, b2, _ACTIVATIONS[ffn.activation.__name__])
    return tuple(torch.from_numpy(step) for step in steps)


def _run(answer, case):
    """Call the answer, and see that the module keeps its weights."""
    ffn, x = case.args
    before = [parameter.detach().clone() for parameter in ffn.parameters()]
    try:
        result = answer(ffn, x)
    except ValueError as error:
        if getattr(error, "axis", None) != "d_model":
            raise
        words = (
            "`ffn.hidden` and `ffn` itself take rows of d_model numbers, since both begin with `up`. So what has been "
        )
        raise Fault(Key.RAISES, words + "through `up` must not go in again.") from None
    if ffn.training:
        raise Fault(
            Key.MUTATES, "Your code switched the module to train mode, in which dropout is on: leave it in eval mode."
        )
    if holds_todo(result):
        return result
    for name, value in zip("zhy", result if isinstance(result, (tuple, list)) else (), strict=False):
        if isinstance(value, torch.nn.Module) or (callable(value) and not torch.is_tensor(value)):
            words = f"Your {name} is a part of the module, not what that part computes: call it, as in ffn.up(x)."
            raise Fault(Key.TYPE, words)
    if not all(bool((old == new).all()) for old, new in zip(before, ffn.parameters(), strict=True)):
        raise Fault(Key.MUTATES, "Your code changed the weights of the module: only read them.")
    if _in_another_order(result, ffn, x):
        raise Fault(Key.SHAPE, "Your three results are right, but their order is not: return z, h, y.")
    return result


def _in_another_order(result, ffn, x):
    """Tell whether a result holds z, h and y, with y not at the end, so that its shapes would be found wrong."""
    if not isinstance(result, (tuple, list)) or len(result) != 3 or not all(map(torch.is_tensor, result)):
        return False
    if any(one.dtype != x.dtype for one in result):
        return False
    *others, y = _parts(ffn, x)
    return any(
        all(one.shape == right.shape and torch.allclose(one, right) for one, right in zip(result, order, strict=True))
        for order in itertools.permutations((*others, y))
        if order[2] is not y
    )


def _parts(ffn, x):
    z = ffn.up(x)
    h = ffn.activation(z)
    return z, h, ffn.down(h)


def _changed(change):
    """Make a wrong step_by_step from the right z, h and y."""
    return lambda ffn, x: change(ffn, x, *_parts(ffn, x))


EXERCISE = Exercise(
    id="build_the_ffn.step_by_step",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("z", ("...", "d_ff")), Returns("h", ("...", "d_ff")), Returns("y", ("...", "d_model"))),
    run=_run,
    mistakes=(
        HalfRight(
            "z-activated",
            _changed(lambda ffn, x, z, h, y: (h, h, y)),
            "h and y are right, but your z has already passed through the activation.",
        ),
        HalfRight(
            "h-not-activated",
            _changed(lambda ffn, x, z, h, y: (z, z, y)),
            "z and y are right, but your h has not passed through the activation.",
        ),
        Mistake(
            "activation-skipped",
            _changed(lambda ffn, x, z, h, y: (z, z, ffn.down(z))),
            "The activation is left out: h equals z, and the output is linear in x.",
        ),
        HalfRight(
            "y-from-z",
            _changed(lambda ffn, x, z, h, y: (z, h, ffn.down(z))),
            "z and h are right, but the second layer reads z instead of h.",
        ),
        Mistake(
            "always-relu",
            _changed(lambda ffn, x, z, h, y: (z, z.relu(), ffn.down(z.relu()))),
            "You always use ReLU, but some of these modules were made with another activation: ask the module for its own.",
        ),
        HalfRight(
            "always-relu-in-h",
            _changed(lambda ffn, x, z, h, y: (z, z.relu(), y)),
            "z and y are right, but h always comes from ReLU: ask the module for its own activation.",
        ),
        Mistake(
            "always-gelu",
            _changed(lambda ffn, x, z, h, y: (z, gelu(z), ffn.down(gelu(z)))),
            "You always use GELU, but some of these modules were made with another activation: ask the module for its own.",
        ),
        HalfRight(
            "always-gelu-in-h",
            _changed(lambda ffn, x, z, h, y: (z, gelu(z), y)),
            "z and y are right, but h always comes from GELU: ask the module for its own activation.",
        ),
        Mistake(
            "always-silu",
            _changed(lambda ffn, x, z, h, y: (z, silu(z), ffn.down(silu(z)))),
            "You always use SiLU, but some of these modules were made with another activation: ask the module for its own.",
        ),
        Mistake(
            "always-sigmoid",
            _changed(lambda ffn, x, z, h, y: (z, z.sigmoid(), ffn.down(z.sigmoid()))),
            "You always use the sigmoid, but some of these modules have another activation: ask the module for its own.",
        ),
        Mistake(
            "always-relu-and-residual",
            _changed(lambda ffn, x, z, h, y: (z, z.relu(), ffn.down(z.relu()) + x)),
            "Two things are wrong: h always comes from ReLU, and x is added to the output.",
        ),
        Mistake(
            "relu-in-place",
            _changed(lambda ffn, x, z, h, y: (z.relu(), z.relu(), ffn.down(z.relu()))),
            "Your z has lost its negative values as well, because relu_ and inplace=True change z itself. And you always use ReLU.",
        ),
        Mistake(
            "h-twice",
            _changed(lambda ffn, x, z, h, y: (z, ffn.activation(h), ffn.down(ffn.activation(h)))),
            "You applied the activation twice, which makes no difference only for ReLU.",
        ),
        HalfRight(
            "h-twice-only",
            _changed(lambda ffn, x, z, h, y: (z, ffn.activation(h), y)),
            "z and y are right, but h has passed through the activation twice: `ffn.hidden` contains it already.",
        ),
        Mistake(
            "hidden-for-z",
            _changed(lambda ffn, x, z, h, y: (h, ffn.activation(h), ffn.down(ffn.activation(h)))),
            "Your z is the result of `ffn.hidden`, which includes the activation, and then you apply it once more.",
        ),
        HalfRight(
            "hidden-for-z-only",
            _changed(lambda ffn, x, z, h, y: (h, ffn.activation(h), y)),
            "y is right, but your z is the result of `ffn.hidden`, which includes the activation, so h has it twice.",
        ),
        HalfRight(
            "z-activated-y-from-z",
            _changed(lambda ffn, x, z, h, y: (h, h, ffn.down(z))),
            "Only h is right: your z has passed through the activation, and your y has not.",
        ),
        Mistake(
            "swapped-everywhere",
            _changed(lambda ffn, x, z, h, y: (h, z, ffn.down(z))),
            "z and h are swapped, and the second layer reads the one before the activation.",
        ),
        Mistake(
            "z-h-swapped",
            _changed(lambda ffn, x, z, h, y: (h, z, y)),
            "z and h are swapped: z comes before the activation.",
        ),
        HalfRight(
            "activation-last",
            _changed(lambda ffn, x, z, h, y: (z, h, ffn.activation(y))),
            "z and h are right, but the output passes through the activation once more.",
        ),
        HalfRight(
            "residual",
            _changed(lambda ffn, x, z, h, y: (z, h, x + y)),
            "z and h are right, but x is added to the output: that happens in the block around the FFN.",
        ),
        HalfRight(
            "no-up-bias",
            _changed(lambda ffn, x, z, h, y: (z - ffn.up.bias, h, y)),
            "h and y are right, but the bias of the first layer is missing in z.",
        ),
        Mistake(
            "no-up-bias-at-all",
            lambda ffn, x: (
                x @ ffn.up.weight.T,
                ffn.activation(x @ ffn.up.weight.T),
                ffn.down(ffn.activation(x @ ffn.up.weight.T)),
            ),
            "The bias of the first layer is missing, which changes z, h and y.",
        ),
        HalfRight(
            "no-down-bias",
            _changed(lambda ffn, x, z, h, y: (z, h, y - ffn.down.bias)),
            "z and h are right, but the bias of the second layer is missing in the output.",
        ),
        Mistake(
            "no-biases",
            lambda ffn, x: (
                x @ ffn.up.weight.T,
                ffn.activation(x @ ffn.up.weight.T),
                ffn.activation(x @ ffn.up.weight.T) @ ffn.down.weight.T,
            ),
            "You use only the matrices, but each layer has a bias as well.",
        ),
        HalfRight(
            "applied-twice",
            _changed(lambda ffn, x, z, h, y: (z, h, ffn(y))),
            "z and h are right, but the output went through the whole network a second time.",
        ),
        HalfRight(
            "y-is-x",
            _changed(lambda ffn, x, z, h, y: (z, h, x.clone())),
            "z and h are right, but your y is x again. The output has the same shape but other values.",
        ),
        Mistake(
            "z-h-swapped-relu",
            _changed(lambda ffn, x, z, h, y: (z.relu(), z, y)),
            "Two things are wrong: z and h are swapped, and h always comes from ReLU.",
            two=True,
        ),
    ),
    hints=(
        "The module is made of parts that you can call one after the other: `.up`, `.activation` and `.down`. Its method `.hidden(x)` does the first two at once.",
        "z and h have shape (..., d_ff), y has shape (..., d_model).",
        "Start with: z = ffn.up(x). Which part of the module comes next?",
    ),
    right="You have taken the module apart and put it together again.",
)
