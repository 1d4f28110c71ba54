"""Train many seeds at once: one short loop, with the update rule written out.

Every parameter has the seeds as its leading dimension, so 200 small networks cost about as much as two. What is
trained are the course's own modules: the feed-forward networks run the code of `course_lib.model.ffn`, with nothing
exchanged but each nn.Linear for one that holds a matrix for every seed. (torch.func.vmap gives the same numbers to the
last bit, in 1.3 to 3 times the time.) The update rule stands here in full because loading torch.optim takes longer
than most trainings of this course.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from course_lib.model.activations import activation as activation_named
from course_lib.model.ffn import GatedFeedForward, PositionWiseFeedForward
from course_lib.model.one_thread import nn, torch
from course_lib.model.per_seed import Linears, Pointwise, uniform_start
from courseware import formats
from courseware.arguments import choice, described, function, integer, is_tensor, items, real, spreads


@dataclass
class Networks:
    """The same small network once per seed.

    parameters: tensors of shape (seeds, …); `fit` changes them in place.
    forward: (parameters, x) -> output of shape (seeds, n, d_out); x of shape (n, d_in) or (seeds, n, d_in).
    """

    parameters: list[torch.Tensor]
    forward: Callable

    @property
    def size(self) -> int:
        """The number of parameters of one network."""
        return sum(parameter[0].numel() for parameter in self.parameters)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Return the outputs of all seeds, shape (seeds, n, d_out), without gradients."""
        with torch.no_grad():
            return self.forward(self.parameters, x)


def networks(sizes, seeds: int, activation="relu", *, first_seed: int = 0) -> Networks:
    """Make layers of the given sizes, once per seed, with the activation between the layers.

    Three sizes (d_model, d_ff, d_model) are the `PositionWiseFeedForward` of the course, without dropout; its second
    layer may also lead to another width. Weights and biases start uniform in ±1/√fan_in, as in `torch.nn.Linear`. Each
    seed draws from a generator of its own, so a seed's network does not depend on the others. The parameters stand in
    the order of the layers, weight (seeds, d_in, d_out) before bias (seeds, 1, d_out).

    Args:
        sizes: the widths from input to output, at least two.
        seeds: how many networks.
        activation: a name of `activations.ACTIVATIONS` or a callable; "identity" leaves the layers linear.
        first_seed: the seed of the first network; the others follow.

    Raises:
        TypeError, ValueError: a size, seeds or first_seed is no positive integer, or the activation is unknown.
    """
    sizes = _checked_sizes(sizes)
    if len(sizes) < 2:
        raise ValueError(f"sizes must hold at least two widths, input and output, but {sizes} was given.")
    between = activation_named(activation)
    with torch.device("meta"):  # a frame without numbers
        if len(sizes) == 3:
            module = PositionWiseFeedForward(*sizes[:2], activation=between, dropout=0)
            module.down = nn.Linear(*sizes[1:])
        else:
            first, *others = itertools.starmap(nn.Linear, itertools.pairwise(sizes))
            module = nn.Sequential(first, *(part for layer in others for part in (Pointwise(between), layer)))
    return _once_per_seed(module, seeds, first_seed)


def gated_networks(sizes, seeds: int, activation="silu", *, first_seed: int = 0) -> Networks:
    """Make gated feed-forward networks with biases, once per seed (Shazeer 2020, section 2).

        y = (activation(x W_gate + b_gate) ⊙ (x W_up + b_up)) W_down + b_down

    They are the `GatedFeedForward` of the course; its last layer may also lead to another width. Weights and biases
    start as in `networks`. The parameters stand in the order gate, up, down, weight before bias.

    Args:
        sizes: the three widths d_in, d_ff, d_out.
        seeds: how many networks.
        activation: of the gate; a name of `activations.ACTIVATIONS` or a callable.
        first_seed: the seed of the first network; the others follow.

    Raises:
        TypeError, ValueError: a size, seeds or first_seed is no positive integer, there are not three sizes, or the
            activation is unknown.
    """
    sizes = _checked_sizes(sizes)
    if len(sizes) != 3:
        raise ValueError(f"sizes must hold three widths, (d_in, d_ff, d_out), but {sizes} was given.")
    with torch.device("meta"):
        module = GatedFeedForward(*sizes[:2], activation=activation, bias=True)
        module.down = nn.Linear(*sizes[1:])
    return _once_per_seed(module, seeds, first_seed)


def _once_per_seed(module, seeds, first_seed) -> Networks:
    """Exchange every nn.Linear of a module for `Linears` and draw their numbers; the rest of its code stays."""
    seeds, first_seed = integer("seeds", seeds), integer("first_seed", first_seed, 0)
    generators = [torch.Generator().manual_seed(first_seed + seed) for seed in range(seeds)]
    layers, parameters = [], []
    for name, layer in list(module.named_children()):
        if isinstance(layer, nn.Linear):
            layers.append(Linears())
            setattr(module, name, layers[-1])
            d_in, d_out = layer.in_features, layer.out_features
            parameters += [uniform_start(generators, d_in, d_out), uniform_start(generators, 1, d_out, fan_in=d_in)]

    def forward(parameters, x):
        for layer, *lent in zip(layers, parameters[::2], parameters[1::2], strict=True):
            layer.lent = lent
        return module(x.expand(len(parameters[0]), *x.shape[-2:]))

    return Networks(parameters, forward)


def _checked_sizes(sizes) -> list[int]:
    return [integer(f"sizes[{index}]", size) for index, size in enumerate(items("sizes", sizes, "integers"))]


def narrowed(many: Networks, widths) -> Networks:
    """Keep only the first `widths[i]` hidden units of network i, by setting the others to zero for good.

    A unit whose weights are all zero gives 0 and gets no gradient, so training leaves it at zero. In this way networks
    of many widths train in one batch.

    Args:
        many: networks with one hidden layer.
        widths: one width for each network.

    Raises:
        ValueError: there is more than one hidden layer, or widths has another length or a width that does not fit.
    """
    _check_networks(many)
    widths = items("widths", widths, "integers")
    if len(many.parameters) != 4:
        raise ValueError(
            "many must have one hidden layer and no gate, as networks((d_in, d_ff, d_out), …) makes them, but it has "
            f"{len(many.parameters)} parameters and not 4."
        )
    W1, b1, W2, b2 = many.parameters
    if len(widths) != len(W1):
        raise ValueError(f"widths must hold one width for each of the {len(W1)} networks, but it holds {len(widths)}.")
    kept = torch.zeros(len(W1), 1, W1.shape[-1], dtype=W1.dtype)
    for index, width in enumerate(widths):
        kept[index, :, : integer(f"widths[{index}]", width, 1, W1.shape[-1])] = 1
    return Networks([W1 * kept, b1 * kept, W2 * kept.transpose(1, 2), b2.clone()], many.forward)


def assembled(forward: Callable, seeds: int, activation="relu", *, first_seed: int = 0, **sizes) -> Networks:
    """Make one network of named parts, once per seed; each part is a stack of layers as in `networks`.

    Args:
        forward: (part, x) -> output of shape (seeds, n, d_out). x has shape (seeds, n, …), the same for every seed;
            part.name(h) applies a part to the last axis of h.
        seeds: how many networks.
        activation: stands between the layers of every part that has more than one.
        first_seed: the seed of the first network; the others follow.
        sizes: for every part its name and its widths, such as embed=(2, 16), ffn=(16, 64, 16).

    Raises:
        TypeError, ValueError: forward is not callable, there is no part, or as in `networks`.
    """
    if not callable(forward):
        raise TypeError(f"forward must be a function of (part, x), but {described(forward)} was given.")
    if not sizes:
        raise ValueError("sizes must name at least one part, such as embed=(2, 16), but none was given.")
    seeds, first_seed = integer("seeds", seeds), integer("first_seed", first_seed, 0)
    parameters, spans = [], {}
    for number, (name, widths) in enumerate(sizes.items()):
        part = networks(widths, seeds, activation, first_seed=first_seed + number * 1_000_000)
        spans[name] = (len(parameters), len(parameters) + len(part.parameters), part.forward)
        parameters += part.parameters

    def applied(parameters, name):
        low, high, layers = spans[name]
        return lambda h: layers(parameters[low:high], h.flatten(1, -2)).unflatten(1, h.shape[1:-1])

    def whole(parameters, x):
        part = SimpleNamespace(**{name: applied(parameters, name) for name in spans})
        return forward(part, x.expand(seeds, *x.shape))

    return Networks(parameters, whole)


def transformers(
    d_in: int,
    seq_len: int,
    seeds: int,
    *,
    d_model=16,
    heads=2,
    layers=1,
    d_ff=64,
    activation=None,
    parallel=False,
    first_seed=0,
) -> Networks:
    """Make small transformers that read a sequence and answer at its last token, once per seed.

        each layer:  x ← x + attention(x);  x ← x + FFN(x)          (Vaswani et al. 2017, section 3.1, without norms)
        in parallel: x ← x + attention(x) + FFN(x)                  (Chowdhery et al. 2022, section 2)

    Every token is its d_in features and the number of its position, one-hot, mapped to d_model features. The FFN is
    the course's own, as in `networks`. Attention is written out for all seeds at once, since nn.MultiheadAttention
    takes one matrix only; a test holds both to `EncoderBlock`: outputs, gradients and training.

    Args:
        d_in: features of a token; seq_len: tokens of a sequence. x has shape (n, seq_len, d_in).
        seeds: how many networks.
        d_model, heads, layers: width, attention heads (they divide d_model) and depth.
        d_ff, activation: of the FFN; "identity" makes it linear, None leaves it out.
        parallel: let the FFN read what attention reads.
        first_seed: the seed of the first network; the others follow.

    Returns:
        Networks with outputs of shape (seeds, n, 1).

    Raises:
        TypeError, ValueError: a size is no positive integer, or heads does not divide d_model.
    """
    d_in, seq_len, layers = integer("d_in", d_in), integer("seq_len", seq_len), integer("layers", layers)
    d_model, heads = integer("d_model", d_model), integer("heads", heads)
    if d_model % heads:
        raise ValueError(f"heads must divide d_model, but {heads} does not divide {d_model}.")
    sizes = {"embed": (d_in + seq_len, d_model), "read_out": (d_model, 1)}
    for layer in range(layers):
        sizes |= {f"project{layer}": (d_model, 3 * d_model), f"mix{layer}": (d_model, d_model)}
        if activation is not None:
            sizes[f"ffn{layer}"] = (d_model, d_ff, d_model)

    def forward(part, x):
        x = part.embed(torch.cat([x, torch.eye(seq_len, dtype=x.dtype).expand(*x.shape[:2], -1, -1)], dim=-1))
        for layer in range(layers):
            q, k, v = getattr(part, f"project{layer}")(x).unflatten(-1, (3, heads, -1)).movedim((-3, -2), (0, 3))
            if layer == layers - 1:  # only the last token is read
                q, x = q[..., -1:, :], x[..., -1:, :]
            weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(d_model // heads), dim=-1)
            read, x = x, x + getattr(part, f"mix{layer}")((weights @ v).transpose(-3, -2).flatten(-2))
            if activation is not None:
                x = x + getattr(part, f"ffn{layer}")(read if parallel else x)
        return part.read_out(x)[..., 0, :]

    return assembled(forward, seeds, "relu" if activation is None else activation, first_seed=first_seed, **sizes)


def mean_squared_error(output: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the mean of (output − y)² for every seed: (seeds, n, d_out) -> (seeds,)."""
    return (output - y).square().flatten(1).mean(dim=1)


@dataclass(frozen=True)
class History:
    """What a training did: `losses` of shape (steps + 1, seeds), from before the first update to after the last."""

    losses: np.ndarray
    trained: Networks

    @property
    def final(self) -> np.ndarray:
        """The loss of every seed after the last update, shape (seeds,)."""
        return self.losses[-1]

    def spread(self, digits: int = 2) -> str:
        """Say mean and range of the final losses over the seeds, as in "0.25 [0.24, 0.26]"."""
        return formats.spread(self.final, digits)


def fit(
    many: Networks, x, y, *, steps: int = 400, rate: float = 0.05, loss=mean_squared_error, schedule="constant",
    batch: int | None = None, penalty=None, after=None,
) -> History:  # fmt: skip
    """Train all seeds at once with Adam and return their History (Kingma & Ba 2015, algorithm 1).

    Args:
        many: the networks; their parameters are changed in place.
        x: inputs, shape (n, d_in) or (seeds, n, d_in).
        y: targets, in the shape of the output or one that broadcasts to it; another loss may want another shape.
        steps: number of updates.
        rate: the step size; "cosine" lowers it to zero along half a cosine, "constant" keeps it.
        loss: (output, y) -> one loss for each seed.
        batch: rows for each update, taken in turn, and from the beginning again when they end; None takes all.
        penalty: x -> one number for each seed, added to what is made small, but not to the losses of the History.
        after: x -> None; called after every update with its inputs.

    Raises:
        TypeError: x or y is no floating-point tensor, or steps, rate or batch is no number.
        ValueError: x or y is empty, holds NaN or infinity, or does not fit the networks; steps or rate is not positive;
            unknown schedule; batch does not divide the number of rows.
    """
    _check_networks(many)
    steps, rate = integer("steps", steps), real("rate", rate, 0, open_low=True)
    choice("schedule", schedule, ("constant", "cosine"))
    for name, part in (("penalty", penalty), ("after", after)):
        if part is not None:
            function(name, part, {})
    _check_data("x", x)
    _check_data("y", y)
    batches = _batches(x, y, batch)
    _check_shapes(many, x, y if loss is mean_squared_error else None, batches[0])
    parameters = [parameter.requires_grad_() for parameter in many.parameters]
    means = [torch.zeros_like(parameter) for parameter in parameters]
    squares = [torch.zeros_like(parameter) for parameter in parameters]
    losses = []
    for step in range(1, steps + 1):  # no bar: what it leaves in a saved notebook reads as an error
        x, y = batches[(step - 1) % len(batches)]
        each = loss(many.forward(parameters, x), y)
        losses.append(each.detach())
        aim = each if penalty is None else each + penalty(x)
        gradients = torch.autograd.grad(aim.sum(), parameters)
        now = rate * (1 + math.cos(math.pi * (step - 1) / steps)) / 2 if schedule == "cosine" else rate
        with torch.no_grad():
            _adam(parameters, gradients, means, squares, step, now)
            if after is not None:
                after(x)
    for parameter in parameters:
        parameter.requires_grad_(False)
    losses.append(loss(many(x), y))
    return History(torch.stack(losses).numpy(), many)


def _adam(parameters, gradients, means, squares, step, rate, decay=(0.9, 0.999), epsilon=1e-8):
    """Move every parameter against its gradient's running mean, divided by the root of its running square."""
    for parameter, gradient, mean, square in zip(parameters, gradients, means, squares, strict=True):
        mean.lerp_(gradient, 1 - decay[0])
        square.mul_(decay[1]).addcmul_(gradient, gradient, value=1 - decay[1])
        root = (square / (1 - decay[1] ** step)).sqrt_().add_(epsilon)
        parameter.addcdiv_(mean, root, value=-rate / (1 - decay[0] ** step))


def _batches(x, y, batch):
    """Cut the rows of x and y, their last axis but one, into batches."""
    if batch is None:
        return [(x, y)]
    batch, rows = integer("batch", batch), x.shape[-2]
    if y.ndim < 2 or y.shape[-2] != rows or rows % batch:
        raise ValueError(f"batch must divide the number of rows of x and y, but {batch} does not divide {rows}.")
    return list(zip(x.split(batch, dim=-2), y.split(batch, dim=-2), strict=True))


def _check_networks(many):
    if not isinstance(many, Networks):
        raise TypeError(f"many must be Networks, as made by networks(), but {described(many)} was given.")


def _check_data(name, value):
    if not is_tensor(value) or not value.is_floating_point():
        raise TypeError(f"{name} must be a floating-point tensor, but {described(value)} was given.")
    if value.numel() == 0:
        raise ValueError(f"{name} must not be empty, but {described(value)} was given.")
    if not torch.isfinite(value).all():
        raise ValueError(f"{name} must be finite, but it holds NaN or infinity.")


def _check_shapes(many, x, y, first):
    """Try the networks on the first batch, and compare the shape of their output with that of y, unless it is None."""
    try:
        shape = tuple(many(first[0]).shape)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:  # they speak of matrices and of inner shapes
        given = f"its shape is {tuple(x.shape)} and its dtype {x.dtype}"
        raise ValueError(f"x must fit the networks in shape and dtype, but {given}.") from error
    if y is None:
        return
    if not spreads(first[1].shape, shape):
        message = f"y must have the shape of the output, {shape}, or one that broadcasts to it, but its shape is "
        raise ValueError(f"{message}{tuple(y.shape)}.")
