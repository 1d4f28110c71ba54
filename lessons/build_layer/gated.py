"""Exercise: a SwiGLU network that is as large as a plain FFN with biases."""

import numpy as np

from course_lib.model.one_thread import nn, torch
from lessons.build_layer.shared import check_mode, check_parts, made, random_tensors
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns
from whywrong.todo import TODO, holds_todo

_PARTS = ("gate", "up", "down")
_LEADS = {
    "gate": "It leads from d_model to the hidden features.",
    "up": "It leads from d_model to as many hidden features as the gate.",
    "down": "It leads from the hidden features to d_model.",
}
#: d_model and d_ff; many, so that a wrong rule for the width is not right by chance
_SIZES = ((9, 40), (16, 64), (4, 7), (5, 23), (12, 48), (7, 100), (3, 10), (11, 31), (20, 90))


def width_of(d_model: int, d_ff: int) -> int:
    """Return the largest hidden width at which three matrices hold no more numbers than the plain FFN with biases."""
    return _plain(d_model, d_ff) // (3 * d_model)


def _cases(rng):
    cases = []
    for leading, d_model, d_ff in (((5,), 9, 40), ((2, 3), 16, 64), ((), 4, 7)):
        h = width_of(d_model, d_ff)
        x, *weights = random_tensors(rng, (*leading, d_model), (h, d_model), (h, d_model), (d_model, h))
        sizes = {"d_model": d_model} | ({"seq_len": leading[-1]} if leading else {})
        cases.append(Case((x, weights, d_model, d_ff), sizes))
    return cases


def _oracle(x, weights, d_model, d_ff):
    gate, up, down = weights
    z = (x[..., None, :] * gate).sum(-1)
    hidden = z / (1 + torch.exp(-z)) * (x[..., None, :] * up).sum(-1)
    return (hidden[..., None, :] * down).sum(-1)


def _run(answer, case):
    """Make the module, look at its width, give it the weights of the case, and return its output."""
    x, weights, d_model, d_ff = case.args
    ffn = made(answer, d_model, d_ff)
    if holds_todo([getattr(ffn, name, None) for name in _PARTS]):
        return TODO
    arguments = f"d_model = {d_model} and d_ff = {d_ff}"
    _check_width(answer)
    h = width_of(d_model, d_ff)
    shapes = {"gate": ((h, d_model), None), "up": ((h, d_model), None), "down": ((d_model, h), None)}
    check_parts("SwiGLU", ffn, shapes, arguments, _LEADS)
    ffn.double().eval()
    with torch.no_grad():
        for name, weight in zip(_PARTS, weights, strict=True):
            getattr(ffn, name).weight.copy_(weight)
    before = x.clone()
    y = _called(ffn, x)
    if isinstance(y, np.ndarray):
        raise Fault(
            Key.TYPE, "The output must be a torch tensor, and yours is a NumPy array: no gradient passes through it."
        )
    right = torch.is_tensor(y) and (y.shape, y.dtype) == (x.shape, x.dtype) and torch.equal(x, before)
    if right and torch.allclose(y, _oracle(*case.args), rtol=1e-7, atol=1e-9):
        _check_trainable(ffn, y, d_model * h * 3)
        check_mode(ffn, y, lambda: _called(ffn, x))
    return y


def _called(ffn, x):
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(x.dtype)
    try:
        return ffn(x)
    finally:
        torch.set_default_dtype(dtype)


def _check_trainable(ffn, y, size):
    trained = [getattr(ffn, name).weight for name in _PARTS]
    found = torch.autograd.grad(y.sum(), trained, allow_unused=True) if y.requires_grad else [None]
    if any(one is None for one in found):
        raise Fault(
            Key.VALUE,
            "The output is right, but no gradient reaches all of its weights, so it cannot be trained: look for detach, "
            ".data or no_grad.",
        )
    if sum(one.numel() for one in ffn.parameters()) > size:
        raise Fault(Key.VALUE, "The output is right, but the module holds more numbers than its three layers need.")


def _plain(d_model, d_ff):
    """Return how many numbers the plain FFN holds."""
    return 2 * d_model * d_ff + d_ff + d_model


#: A wrong rule for the hidden width -> what it is.
_RULES = {
    lambda d, f: f: "The hidden width is d_ff itself: a third matrix then makes the network half as large again.",
    lambda d, f: 2 * f // 3: (
        "The hidden width is two thirds of d_ff, which leaves out that the plain FFN has biases and yours has none."
    ),
    lambda d, f: round(
        2 * f / 3
    ): "The hidden width is two thirds of d_ff, rounded; the biases of the plain FFN count too.",
    lambda d, f: f // 2: "The hidden width is half of d_ff: with three matrices in place of two, two thirds is nearer.",
    lambda d, f: 3 * f // 2: "The hidden width is larger than d_ff: three matrices in place of two must be narrower.",
    lambda d, f: 4 * d: "The hidden width is 4 · d_model, whatever d_ff is.",
    lambda d, f: 8 * d // 3: "The hidden width is 8/3 · d_model, whatever d_ff is.",
    lambda d, f: round(
        _plain(d, f) / (3 * d)
    ): "The width is rounded to the nearest number: round down, or it may be too large.",
    lambda d, f: -(-_plain(d, f) // (3 * d)): "The width is rounded up: round down, or the network is too large.",
    lambda d, f: width_of(d, f) - 1: "One hidden unit more still fits.",
    lambda d, f: width_of(d, f) + 1: "One hidden unit less would fit.",
    lambda d, f: _plain(d, f) // (2 * d): "There are three matrices to pay for, and you divide by the price of two.",
    lambda d, f: (_plain(d, f) - d) // (3 * d + 2): "The width leaves room for biases, and this network has none.",
    lambda d, f: 44: "The hidden width is always 44: compute it from d_model and d_ff.",
}


def _check_width(answer):
    """Say of a wrong hidden width what it is, where a rule that we know gives the same at all sizes."""
    widths = [_width(made(answer, *sizes)) for sizes in _SIZES]
    wrong = [place for place, sizes in enumerate(_SIZES) if widths[place] not in (None, width_of(*sizes))]
    if not wrong:
        return
    (d_model, d_ff), width = _SIZES[wrong[0]], widths[wrong[0]]
    says = (
        f"With d_model = {d_model} and d_ff = {d_ff} the hidden width is {width}, so yours has {3 * d_model * width:,} "
        f"numbers in its matrices and the plain FFN {_plain(d_model, d_ff):,}."
    )
    for rule, message in _RULES.items():
        if widths == [rule(*sizes) for sizes in _SIZES]:
            raise Fault(Key.VALUE, f"{says} {message}")
    raise Fault(Key.VALUE, f"{says} Choose the largest width at which it has no more.")


def _width(ffn):
    """Return the hidden width, if gate and up agree on it and read d_model."""
    weight = getattr(getattr(ffn, "gate", None), "weight", None)
    return weight.shape[0] if weight is not None and weight.ndim == 2 else None


def _wrong(forward):
    """Make a class whose objects have the right layers and a wrong forward(ffn, x)."""

    class SwiGLU(nn.Module):
        def __init__(self, d_model, d_ff):
            super().__init__()
            h = width_of(d_model, d_ff)
            self.gate, self.up = (nn.Linear(d_model, h, bias=False) for _ in range(2))
            self.down = nn.Linear(h, d_model, bias=False)

        def forward(self, x):
            return forward(self, x)

    return SwiGLU


def _gated(bend):
    return _wrong(lambda ffn, x: ffn.down(bend(ffn.gate(x)) * ffn.up(x)))


EXERCISE = Exercise(
    id="build_layer.gated",
    kind="class",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("the output", ("...", "d_model")),),
    run=_run,
    mistakes=(
        Mistake(
            "silu-on-up",
            _wrong(lambda ffn, x: ffn.down(ffn.gate(x) * nn.functional.silu(ffn.up(x)))),
            "SiLU acts on up; it belongs on the gate.",
        ),
        Mistake(
            "silu-on-product",
            _wrong(lambda ffn, x: ffn.down(nn.functional.silu(ffn.gate(x) * ffn.up(x)))),
            "SiLU acts on the product; it belongs on the gate alone.",
        ),
        Mistake(
            "silu-on-both",
            _wrong(lambda ffn, x: ffn.down(nn.functional.silu(ffn.gate(x)) * nn.functional.silu(ffn.up(x)))),
            "SiLU acts on both branches; it belongs on the gate alone.",
        ),
        Mistake(
            "sigmoid", _gated(torch.sigmoid), "The gate is a sigmoid, which is GLU; SwiGLU takes SiLU, z · sigmoid(z)."
        ),
        Mistake("gelu", _gated(nn.functional.gelu), "The gate is GELU, which is GEGLU; SwiGLU takes SiLU."),
        Mistake(
            "gelu-tanh",
            _gated(lambda z: nn.functional.gelu(z, approximate="tanh")),
            "The gate is GELU in its tanh form, which is GEGLU; SwiGLU takes SiLU.",
        ),
        Mistake(
            "gelu-sigmoid",
            _gated(lambda z: z * torch.sigmoid(1.702 * z)),
            "The gate is GELU in its sigmoid form, which is GEGLU; SiLU has no factor 1.702.",
        ),
        Mistake("relu", _gated(torch.relu), "The gate is ReLU, which is ReGLU; SwiGLU takes SiLU."),
        Mistake("no-bend", _gated(lambda z: z), "The gate has no activation: SiLU is missing."),
        Mistake(
            "added",
            _wrong(lambda ffn, x: ffn.down(nn.functional.silu(ffn.gate(x)) + ffn.up(x))),
            "The two branches are added; they are multiplied.",
        ),
        Mistake(
            "no-gate",
            _wrong(lambda ffn, x: ffn.down(nn.functional.silu(ffn.up(x)))),
            "The gate is never called: this is a plain FFN with SiLU.",
        ),
        Mistake(
            "no-up",
            _wrong(lambda ffn, x: ffn.down(nn.functional.silu(ffn.gate(x)))),
            "up is never called: this is a plain FFN with SiLU.",
        ),
        Mistake(
            "residual",
            _wrong(lambda ffn, x: x + ffn.down(nn.functional.silu(ffn.gate(x)) * ffn.up(x))),
            "x is added to the output: the residual belongs to the layer around it.",
        ),
    ),
    hints=(
        "Count the numbers of the plain FFN, two matrices and two biases, and divide them among three matrices without biases.",
        "gate and up have weights of shape (hidden, d_model), down one of shape (d_model, hidden); // rounds down.",
        "Start __init__ with: super().__init__(), then hidden = … // (3 * d_model), as 3 * d_model is what a hidden unit costs.",
    ),
    right="Three matrices, one product, and no more numbers than before.",
)
