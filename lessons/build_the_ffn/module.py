"""Exercise: the FFN as a torch module; the check puts its own weights into its layers."""

import numpy as np

from course_lib.model.one_thread import nn, torch
from lessons.build_the_ffn.shared import SHAPES, by_loops, named_sizes, weights
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns
from whywrong.todo import TODO, holds_todo


def _cases(rng):
    cases = []
    for leading, d_model, d_ff in (*SHAPES, ((1, 4), 5, 3)):
        x = 5 * torch.from_numpy(rng.normal(size=(*leading, d_model)))  # so that an upper limit of ReLU shows
        arrays = [torch.from_numpy(array) for array in weights(rng, d_model, d_ff)]
        cases.append(Case((x, arrays, d_model, d_ff), named_sizes(leading, d_model, d_ff)))
    return cases


def _oracle(x, arrays, d_model, d_ff):
    return torch.from_numpy(by_loops(x.numpy(), *(array.numpy() for array in arrays))[2])


def _run(answer, case):
    """Make the module, give it the weights of the case, and return its output in eval mode."""
    x, arrays, d_model, d_ff = case.args
    ffn = _made(answer, d_model, d_ff)
    if holds_todo([getattr(ffn, name, None) for name in ("up", "down")]):
        return TODO
    _check_parts(answer, ffn, d_model, d_ff)
    ffn.double().eval()
    _copy_weights(ffn, *arrays)
    before = x.clone()
    y = _output(ffn, x, seed=0)
    if isinstance(y, np.ndarray):
        raise Fault(
            Key.TYPE,
            "The output must be a torch tensor, but yours is a NumPy array, and no gradient passes through NumPy.",
        )
    if torch.is_tensor(y) and torch.equal(x, before):  # else the general checks speak of it
        _look_closer(ffn, y, case)
    return y


def _made(answer, d_model, d_ff):
    """Make an FFN of the learner's class, with words of our own for the most frequent fault."""
    try:
        return answer(d_model, d_ff)
    except AttributeError as error:
        if "Module.__init__() call" not in str(error):
            raise
        message = "A module cannot take in layers yet: the first line of __init__ must be super().__init__(), with both pairs of brackets."
        raise Fault(Key.RAISES, message) from None


def _check_parts(answer, ffn, d_model, d_ff):
    if not isinstance(ffn, nn.Module):
        raise Fault(Key.TYPE, "FFN must be a torch module: write class FFN(nn.Module).")
    _check_layer(answer, ffn, "up", d_model, d_ff)
    _check_layer(answer, ffn, "down", d_ff, d_model)


def _check_layer(answer, ffn, name, d_in, d_out):
    """See that a layer is there, with a weight and a bias of the right shapes that training can reach."""
    layer = getattr(ffn, name, None)
    if layer is None:
        found = [child for child, _ in ffn.named_children()]
        have = (
            f"the parts of yours are called {', '.join(found)}"
            if found
            else f"yours has no parts yet: write self.{name} = …"
        )
        raise Fault(Key.TYPE, f"FFN needs an attribute {name!r}, but {have}.")
    if not isinstance(layer, nn.Module):
        raise Fault(
            Key.TYPE, f"The part {name!r} must be a layer such as nn.Linear, but it is of type {type(layer).__name__}."
        )
    weight, bias = getattr(layer, "weight", None), getattr(layer, "bias", None)
    if weight is None:
        raise Fault(
            Key.TYPE,
            f"The part {name!r} is of type {type(layer).__name__}, which has no weight: use nn.Linear(d_in, d_out).",
        )
    if bias is None:
        raise Fault(
            Key.NONE, f"The layer {name!r} has no bias: both layers of the equation have one, so leave bias=False out."
        )
    if tuple(weight.shape) != (d_out, d_in):
        d_model, d_ff = (d_in, d_out) if name == "up" else (d_out, d_in)
        message = (
            f"With d_model = {d_model} and d_ff = {d_ff}, {name}.weight has shape {tuple(weight.shape)}; expected is "
            f"{(d_out, d_in)}. {_why(answer, name, tuple(weight.shape), d_model, d_ff)}"
        )
        raise Fault(Key.SHAPE, message)


def _why(answer, name, shape, d_model, d_ff):
    """Say what is behind a wrong shape, by what another module of the same class has."""
    if (name == "up" and shape == (d_model, d_ff)) or (name == "down" and shape == (d_ff, d_model)):
        return "nn.Linear takes the number of inputs first, then the number of outputs."
    if tuple(getattr(_made(answer, d_model + 1, d_ff + 2), name).weight.shape) == shape:
        return "It is the same whatever d_model and d_ff are: use the arguments instead of numbers of your own."
    return f"`{name}` leads from {'d_model to d_ff' if name == 'up' else 'd_ff to d_model'} features."


def _copy_weights(ffn, W1, b1, W2, b2):
    with torch.no_grad():
        for layer, W, b in ((ffn.up, W1, b1), (ffn.down, W2, b2)):
            layer.weight.copy_(W.T)
            layer.bias.copy_(b)


def _output(ffn, x, seed):
    """Call the module; what its forward makes anew has the dtype of x."""
    torch.default_generator.manual_seed(seed)  # torch.manual_seed notes the stack for each kind of device
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(x.dtype)
    try:
        return ffn(x)
    finally:
        torch.set_default_dtype(dtype)


def _look_closer(ffn, y, case):
    """See that an output has no axis too many, comes out again, and lets the layers be trained."""
    x, arrays = case.args[:2]
    if y.ndim == x.ndim + 1 and y.shape[0] == 1:
        message = (
            f"For x of shape {tuple(x.shape)} the output has shape {tuple(y.shape)}: an axis of size 1 was added in "
            "front and never removed. nn.Linear takes any leading shape, so none is needed."
        )
        raise Fault(Key.SHAPE, message)
    if y.shape != x.shape:
        return  # the general checks speak of it
    if not _same(_output(ffn, x, seed=1), y):
        raise Fault(Key.VALUE, _why_random(ffn, x, y))
    if y.dtype == x.dtype and torch.allclose(y, _oracle(*case.args), rtol=1e-7, atol=1e-9):
        _check_trainable(ffn, x, arrays)


def _why_random(ffn, x, y):
    """Say why two calls differ: layers whose weights do not matter are not the ones that are called."""
    unfelt = []
    for name in ("up", "down"):
        weight = getattr(ffn, name).weight
        kept = weight.detach().clone()
        with torch.no_grad():
            weight.mul_(3)
        if _same(_output(ffn, x, seed=0), y):
            unfelt.append(name)
        with torch.no_grad():
            weight.copy_(kept)
    lead = "Two calls with the same x differ in eval mode"
    if unfelt:
        names = " and ".join(unfelt)
        return (
            f"{lead}, and the weights of {names} change nothing: does forward make new layers? Call self.{unfelt[0]}."
        )
    return f"{lead}: something in forward is random, such as a dropout that never switches off."


def _same(one, other):
    if not torch.is_tensor(one) or (one.shape, one.dtype) != (other.shape, other.dtype):
        return False
    return torch.allclose(one, other, rtol=0, atol=1e-9, equal_nan=True)


def _check_trainable(ffn, x, arrays):
    """See that a module whose values are right has the right gradients, and that it holds nothing else."""
    x = x.clone().requires_grad_()
    trained = [ffn.up.weight, ffn.up.bias, ffn.down.weight, ffn.down.bias, x]
    up, down, linear = trained[:2], trained[2:4], nn.functional.linear
    both = [_output(ffn, x, seed=0), linear(linear(x, *up).relu(), *down)]
    found, right = [
        torch.autograd.grad(y.sum(), trained, allow_unused=True) if y.requires_grad else [None] * 5 for y in both
    ]
    same = [one is not None and torch.allclose(one, other) for one, other in zip(found, right, strict=True)]
    if not all(same):
        says = "x gets no gradient through the module, so nothing before it"
        if not all(same[:4]):
            says = "not all weights get their gradient, so not all of the module"
        message = f"The values are right, but {says} can be trained: look for detach, .data or no_grad."
        raise Fault(Key.VALUE, message)
    spare = sum(parameter.numel() for parameter in ffn.parameters()) - sum(array.numel() for array in arrays)
    if spare:
        raise Fault(Key.VALUE, "The values are right, but the module holds more numbers than its two layers need.")


class _Layers(nn.Module):
    """The two layers, made as they should be."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)


def _wrong(forward):
    """Make a class whose objects have the right layers and a wrong forward(ffn, x)."""

    class FFN(_Layers):
        def forward(self, x):
            return forward(self, x)

    return FFN


def _bent(bend):
    """Make a class with another function between its layers."""
    return _wrong(lambda ffn, x: ffn.down(bend(ffn.up(x))))


EXERCISE = Exercise(
    id="build_the_ffn.module",
    kind="class",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("the output", ("...", "d_model")),),
    run=_run,
    mistakes=(
        Mistake(
            "no-activation",
            _bent(lambda z: z),
            "forward calls up and down with nothing between them, and that is one linear layer in two steps.",
        ),
        Mistake(
            "relu-last",
            _wrong(lambda ffn, x: ffn.down(ffn.up(x)).relu()),
            "ReLU comes after down; it belongs between up and down.",
        ),
        Mistake(
            "relu-twice",
            _wrong(lambda ffn, x: ffn.down(ffn.up(x).relu()).relu()),
            "The output of down passes through ReLU as well, and loses its negative values.",
        ),
        Mistake(
            "relu-on-input",
            _wrong(lambda ffn, x: ffn.down(ffn.up(x.relu()))),
            "ReLU acts on x; it belongs on the output of up.",
        ),
        Mistake(
            "relu-everywhere",
            _wrong(lambda ffn, x: ffn.down(ffn.up(x.relu()).relu())),
            "ReLU acts on x as well, so the network never sees the negative values of its input.",
        ),
        Mistake("gelu", _bent(nn.functional.gelu), "The activation is GELU; the exercise asks for ReLU."),
        Mistake("silu", _bent(nn.functional.silu), "The activation is SiLU; the exercise asks for ReLU."),
        Mistake("tanh", _bent(lambda z: z.tanh()), "The activation is tanh; the exercise asks for ReLU."),
        Mistake("sigmoid", _bent(lambda z: z.sigmoid()), "The activation is the sigmoid; the exercise asks for ReLU."),
        Mistake("elu", _bent(nn.functional.elu), "The activation is ELU; the exercise asks for ReLU."),
        Mistake(
            "leaky",
            _bent(nn.functional.leaky_relu),
            "The activation is leaky ReLU, which lets a hundredth of a negative value through.",
        ),
        Mistake("abs", _bent(lambda z: z.abs()), "Negative hidden values become positive; ReLU makes them 0."),
        Mistake(
            "minus-relu",
            _bent(lambda z: (-z).relu()),
            "The sign is flipped inside ReLU: a large z must stay large.",
        ),
        Mistake("squared", _bent(lambda z: z.relu() ** 2), "The hidden values are squared after ReLU."),
        Mistake("clipped", _bent(lambda z: z.clamp(0, 1)), "Hidden values above 1 are cut off; ReLU has no upper end."),
        Mistake(
            "softmax-hidden",
            _bent(lambda z: z.softmax(-1)),
            "A softmax runs over the hidden values, but ReLU acts on each hidden value separately.",
        ),
        Mistake(
            "softmax-output",
            _wrong(lambda ffn, x: ffn.down(ffn.up(x).relu()).softmax(-1)),
            "The output passes through a softmax, but it should be a vector of features, not of probabilities.",
        ),
        Mistake(
            "residual",
            _wrong(lambda ffn, x: x + ffn.down(ffn.up(x).relu())),
            "x is added to the output: the residual connection belongs to the block around the FFN.",
        ),
        Mistake(
            "norm-output",
            _wrong(lambda ffn, x: nn.functional.layer_norm(ffn.down(ffn.up(x).relu()), x.shape[-1:])),
            "The output is normalised: layer norm belongs to the block around the FFN.",
        ),
        Mistake(
            "norm-input",
            _wrong(lambda ffn, x: ffn.down(ffn.up(nn.functional.layer_norm(x, x.shape[-1:])).relu())),
            "x is normalised first: layer norm belongs to the block around the FFN.",
        ),
        Mistake(
            "tied",
            _wrong(lambda ffn, x: nn.functional.linear(ffn.up(x).relu(), ffn.up.weight.T, ffn.down.bias)),
            "The way down uses the matrix of up, transposed, and never reads that of down.",
        ),
        Mistake(
            "no-activation-relu-on-input",
            _wrong(lambda ffn, x: ffn.down(ffn.up(x.relu())).relu()),
            "ReLU comes before up and after down, but it is missing between the two.",
        ),
        Mistake(
            "relu-last-and-residual",
            _wrong(lambda ffn, x: ffn.down(ffn.up(x)).relu() + x),
            "Two things are wrong: ReLU comes after down instead of between the two layers, and x is added to the output.",
        ),
        Mistake(
            "half-abs",
            _bent(lambda z: z.abs() / 2),
            "Half of the size of z comes through on both sides of zero; ReLU gives z above zero and 0 below.",
        ),
        Mistake(
            "step",
            _bent(lambda z: (z > 0).to(z.dtype)),
            "The hidden values are 0 or 1: ReLU keeps the size of z where it is positive.",
        ),
        Mistake(
            "gelu-and-residual",
            _wrong(lambda ffn, x: x + ffn.down(nn.functional.gelu(ffn.up(x)))),
            "Two things are wrong: the activation is GELU, and x is added to the output.",
        ),
        Mistake(
            "no-activation-and-residual",
            _wrong(lambda ffn, x: x + ffn.down(ffn.up(x))),
            "Two things are wrong: there is no activation between up and down, and x is added to the output.",
        ),
        Mistake(
            "no-up-bias",
            _wrong(lambda ffn, x: ffn.down(nn.functional.linear(x, ffn.up.weight).relu())),
            "You use the matrix of up without its bias. Call the layer instead, which uses both.",
        ),
        Mistake(
            "no-down-bias",
            _wrong(lambda ffn, x: nn.functional.linear(ffn.up(x).relu(), ffn.down.weight)),
            "You use the matrix of down without its bias. Call the layer instead, which uses both.",
        ),
        Mistake(
            "position-mean",
            _wrong(
                lambda ffn, x: (
                    ffn.down(ffn.up(x).relu())
                    if x.ndim == 1
                    else ffn.down(ffn.up(x).relu()).mean(-2, keepdim=True).expand_as(x)
                )
            ),
            "All positions get the same output, their mean. Each position should be computed separately.",
        ),
        Mistake(
            "applied-twice",
            _wrong(lambda ffn, x: ffn.down(ffn.up(ffn.down(ffn.up(x).relu())).relu())),
            "x goes through the two layers twice.",
        ),
    ),
    hints=(
        "A module makes its layers once, in __init__, and uses them in forward.",
        "up turns d_model features into d_ff, down turns d_ff into d_model; forward keeps every leading axis.",
        "Start __init__ with: super().__init__(), then self.up = …. In forward, ReLU comes in between: h = torch.relu(…).",
    ),
    right="This is the network inside a transformer layer, and torch can train it.",
)
