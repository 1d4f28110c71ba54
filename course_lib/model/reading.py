"""Read a text with the language model and keep what happens inside: inputs, hidden values, probabilities.

Windows of seq_len characters overlap by half, and only the second half of each is kept, so that every character that
counts has at least half a window before it.
"""

import contextlib
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from course_lib.model.excerpts import PARTS, excerpt
from course_lib.model.language_model import CHARACTERS, LanguageModel, checked, encoded, trained
from course_lib.model.one_thread import nn, torch
from courseware import arguments

BATCH = 32  # windows that are read at once
LENGTH = 8200  # characters of each part that the lesson reads; 8,128 of them count


@dataclass(frozen=True)
class Reading:
    """What was seen at the n places of a text that count.

    places: (n,), where in the text the character stands that was read last.
    following: (n,), the code of the character that follows it.
    bits: (n,), −log₂ of the probability that the model gave it.
    probabilities: (n, 97), of every character.
    inputs: for each block, (n, d_model): what its FFN reads, after the norm.
    hidden: for each block, (n, d_ff): the hidden values of its FFN.
    stream: (n, d_model), what all blocks have written, before the last norm.
    """

    places: np.ndarray
    following: np.ndarray
    bits: np.ndarray
    probabilities: np.ndarray
    inputs: tuple[np.ndarray, ...] = ()
    hidden: tuple[np.ndarray, ...] = ()
    stream: np.ndarray | None = None


def of_part(part: str) -> Reading:
    """Return what the trained model makes of the first 8,200 characters of part "A" or "B"; read once and kept.

    Raises:
        TypeError, ValueError: there is no such part.
    """
    return _of_part(arguments.choice("part", part, PARTS))


@cache
def _of_part(part):
    return read(trained(), excerpt(part, LENGTH).text)


def read(model: LanguageModel, text: str, change: dict | None = None, inside: bool = True) -> Reading:
    """Read a text.

    Args:
        text: longer than a window of the model.
        change: what to alter while reading, by the name of a part: "attention 2" and "ffn 2" are what the sub-layers of
            block 2 return, "hidden 2" its hidden values; each with a function of one.
        inside: keep inputs and hidden values; without them it takes less time and memory.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the text is too short, holds characters that the model does not know, there is no such part, or a
            function of change returns something else than a tensor of the shape that it got.
    """
    model, inside = checked(model), arguments.boolean("inside", inside)
    if change is not None and not isinstance(change, dict):
        raise TypeError(f"change must be a dict of functions, but {arguments.described(change)} was given.")
    codes, window, half = encoded(text), model.seq_len, model.seq_len // 2
    starts = np.arange(0, len(codes) - window, half)
    if not len(starts):
        raise ValueError(f"text must have more than {window} characters, but it has {len(codes)}.")
    kept = {"inputs": [[] for _ in model.blocks], "hidden": [[] for _ in model.blocks]}
    stream, logits = [], []
    with contextlib.ExitStack() as hooks, torch.no_grad():
        for part, function in (change or {}).items():
            hooks.enter_context(_changed(model, part, function))
        if inside:
            for number, block in enumerate(model.blocks):
                hooks.enter_context(_kept(block.ffn, kept["inputs"][number], half))
                hooks.enter_context(_kept(block.ffn.down, kept["hidden"][number], half))
            hooks.enter_context(_kept(model.norm, stream, half))
        for first in range(0, len(starts), BATCH):
            windows = np.stack([codes[start : start + window] for start in starts[first : first + BATCH]])
            logits.append(model(torch.from_numpy(windows))[:, half:].flatten(0, 1))
    places = (starts[:, None] + np.arange(half, window)).ravel()
    arrays = {name: tuple(map(_joined, values)) if inside else () for name, values in kept.items()}
    arrays["stream"] = _joined(stream) if inside else None
    following = codes[places + 1]
    return Reading(places, following, *_scored(torch.cat(logits), following), **arrays)


def _joined(parts):
    """Join arrays and let go of them, so that no more than one of the large ones is held twice."""
    whole = np.concatenate(parts)
    parts.clear()
    return whole


def _scored(logits, following):
    """Return the bits of the characters that follow, and the probabilities of all."""
    logarithms = torch.log_softmax(logits, dim=1).numpy()
    bits = -logarithms[np.arange(len(following)), following] / np.log(2)
    return bits.astype(np.float64), np.exp(logarithms)


def _changed(model, part, function):
    """Put a function around what a part of the model returns, as a context."""
    kinds = ("attention", "ffn", "hidden")
    arguments.choice("part in change", part, [f"{kind} {i}" for i in range(1, len(model.blocks) + 1) for kind in kinds])
    if not callable(function):
        raise TypeError(f"change must hold functions of a tensor, but {arguments.described(function)} was given.")

    def changed(before):
        after = function(before)
        if not arguments.is_tensor(after) or after.shape != before.shape:
            wanted = f"a tensor of shape {tuple(before.shape)}"
            raise ValueError(f"change of {part!r} must return {wanted}, but {arguments.described(after)} was returned.")
        return after.to(before.dtype)

    kind, number = part.split()
    block = model.blocks[int(number) - 1]
    if kind == "hidden":
        return block.ffn.down.register_forward_pre_hook(lambda module, args: (changed(args[0]),))
    if kind == "ffn":
        return block.ffn.register_forward_hook(lambda module, args, output: changed(output))
    return block.attention.register_forward_hook(lambda module, args, output: (changed(output[0]), output[1]))


def _kept(module, found, half):
    """Collect what a module gets at the places that count, as a context."""

    def collect(module, args):
        found.append(args[0][:, half:].flatten(0, 1).numpy())

    return module.register_forward_pre_hook(collect)


def promoted(model: LanguageModel, block: int) -> np.ndarray:
    """Return what the output weights of an FFN's units promote: (d_ff, 97), the change of every character's logit.

    It is the direct way only, past the blocks above: w, centred and multiplied by the gain of the last norm, as the
    read-out sees it (the norm's division is the same for all characters of a place and is left out).

    Args:
        block: 1 for the first.

    Raises:
        TypeError, ValueError: model is no LanguageModel, or block no number of one of its blocks.
    """
    model = checked(model)
    block = arguments.integer("block", block, 1, len(model.blocks))
    W = model.blocks[block - 1].ffn.down.weight.T  # (d_ff, d_model): a row for each unit
    centred = W - W.mean(dim=1, keepdim=True)
    return (centred * model.norm.weight @ model.read_out.weight.T).numpy()


def widened(model: LanguageModel, w, bias: float, values) -> LanguageModel:
    """Return a copy of a model whose last FFN has one hidden unit more.

    Args:
        w: (d_model,), what the new unit reads; it is relu(x · w + bias).
        bias: see w.
        values: (d_model,), what it adds to the stream, times its own value.

    Raises:
        TypeError, ValueError: an argument has the wrong type or shape.
    """
    model = checked(model)
    new = LanguageModel(*model.sizes)
    new.load_state_dict(model.state_dict())
    last = new.blocks[-1].ffn
    d_model = last.d_model
    w, values = _unit(model, w, values)
    with torch.no_grad():
        up, down = nn.Linear(d_model, last.d_ff + 1), nn.Linear(last.d_ff + 1, d_model)
        up.weight.copy_(torch.cat([last.up.weight, w[None]]))
        up.bias.copy_(torch.cat([last.up.bias, torch.tensor([arguments.real("bias", bias)])]))
        down.weight.copy_(torch.cat([last.down.weight, values[:, None]], dim=1))
        down.bias.copy_(last.down.bias)
    last.up, last.down, last.d_ff = up, down, last.d_ff + 1
    return new.eval().requires_grad_(False)


def unit_for(inputs, here) -> tuple[np.ndarray, float]:
    """Return w and bias of a unit that is near 1 where `here` is true, and 0 elsewhere, by a difference of means.

    Args:
        inputs: (n, d_model), what the FFN reads.
        here: (n,), truths; both values must occur.

    Raises:
        TypeError, ValueError: an argument has the wrong type or shape, here is true everywhere or nowhere, or the
            inputs of both kinds have the same mean.
    """
    inputs = arguments.array("inputs", inputs, ("n", "d_model"), sizes := {})
    here = arguments.truths("here", here, ("n",), sizes)
    if here.all() or not here.any():
        raise ValueError("here must be true at some places and false at others.")
    k = inputs[here].mean(axis=0) - inputs[~here].mean(axis=0)
    s = inputs @ k
    high, low = s[here].mean(), s[~here].mean()
    if not high > low:
        raise ValueError("inputs must differ in the mean between the places where here is true and the others.")
    limit = 0.7 * high + 0.3 * low
    return k / (high - limit), float(-limit / (high - limit))


def fitted_unit(inputs, here, ridge: float = 1e-4, steps: int = 10) -> tuple[np.ndarray, float]:
    """Return w and bias of a unit that is near 1 where `here` is true, and mostly 0 elsewhere, by logistic regression.

    Newton's method on the mean log loss plus ridge · |w|² / 2; the unit is above 0 where the fitted probability is
    above one half, and its mean where `here` is true is 1.

    Args:
        inputs, here: as in `unit_for`.
        ridge: holds the weights down, where a direction tells both kinds apart without an error.

    Raises:
        TypeError, ValueError: an argument has the wrong type or shape, or here is true everywhere or nowhere.
    """
    inputs = arguments.array("inputs", inputs, ("n", "d_model"), sizes := {})
    here = arguments.truths("here", here, ("n",), sizes)
    if here.all() or not here.any():
        raise ValueError("here must be true at some places and false at others.")
    ridge = arguments.real("ridge", ridge, 0, open_low=True)
    x = np.column_stack([inputs.astype(np.float64), np.ones(len(inputs))])
    w = np.zeros(x.shape[1])
    for _ in range(arguments.integer("steps", steps)):
        p = 1 / (1 + np.exp(-x @ w))
        slope = x.T @ (p - here) / len(x) + ridge * w
        rooted = x * np.sqrt(p * (1 - p))[:, None]
        bend = rooted.T @ rooted / len(x) + ridge * np.eye(len(w))
        w -= np.linalg.solve(bend, slope)
    w /= (x[here] @ w).mean()
    return w[:-1].astype(inputs.dtype), float(w[-1])


def with_unit(model: LanguageModel, seen: Reading, w, bias: float, values) -> Reading:
    """Return what `widened` with the same arguments would make of a text that the model has read.

    Nothing below the last FFN changes, so only the last norm and the read-out are computed again.

    Args:
        seen: a reading by the same model, with its inputs and its stream.

    Raises:
        TypeError, ValueError: an argument has the wrong type or shape.
    """
    model = checked(model)
    if not isinstance(seen, Reading) or seen.stream is None:
        raise TypeError(f"seen must be a Reading with what is inside, but {arguments.described(seen)} was given.")
    w, values = _unit(model, w, values)
    with torch.no_grad():
        value = torch.relu(torch.from_numpy(seen.inputs[-1]) @ w + arguments.real("bias", bias))
        logits = model.read_out(model.norm(torch.from_numpy(seen.stream) + value[:, None] * values))
    bits, probabilities = _scored(logits, seen.following)
    return replace(seen, bits=bits, probabilities=probabilities)


def _unit(model, w, values):
    """Return the two vectors of a new unit as tensors of the model's dtype."""
    sizes = {"d_model": model.blocks[-1].ffn.d_model}
    vectors = (arguments.array(name, one, ("d_model",), sizes) for name, one in (("w", w), ("values", values)))
    return tuple(torch.from_numpy(one).to(model.read_out.weight.dtype) for one in vectors)


def followers(h, following, strongest: int = 20) -> np.ndarray:
    """Return for each unit the character that follows most often where the unit is strongest, (units,) codes.

    Args:
        h: (n, units), hidden values.
        following: (n,), the codes of the characters that follow.
        strongest: how many places of each unit are looked at.

    Raises:
        TypeError, ValueError: an argument has the wrong type or shape, or following holds no codes.
    """
    h = arguments.array("h", h, ("n", "units"), sizes := {})
    following = arguments.array("following", following, ("n",), sizes)
    if (following % 1 != 0).any() or following.min() < 0 or following.max() >= len(CHARACTERS):
        raise ValueError(f"following must hold codes, whole numbers from 0 to {len(CHARACTERS) - 1}.")
    places = np.argsort(-h, axis=0, kind="stable")[: arguments.integer("strongest", strongest)]
    codes = following.astype(np.int64)[places]  # (strongest, units)
    counts = (codes[:, :, None] == np.arange(codes.max() + 1)).sum(axis=0)
    return counts.argmax(axis=1)
