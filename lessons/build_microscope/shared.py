"""What the exercises on hooks share: a small model, and a copy of it to lend, with what was left changed."""

import contextlib
import copy

from course_lib.model.language_model import LanguageModel
from course_lib.model.one_thread import torch
from whywrong.task import Fault, Key


def small_model(rng, d_model, d_ff, seq_len=24) -> LanguageModel:
    """Draw a language model of three blocks in float64; it is ready to be trained, as a new model is."""
    with torch.random.fork_rng():
        torch.default_generator.manual_seed(int(rng.integers(2**31)))
        return LanguageModel(d_model, 3, 2, d_ff, seq_len).double()


@contextlib.contextmanager
def lent(model, ffn, advice):
    """Lend an answer a copy of a model as somebody trains it, with hooks of others on it; name the error of a hook.

    Yields the copy, its FFN, and a function that says what the answer has left changed, "" if nothing.

    Args:
        advice: what to do instead of replacing the output of a module.
    """
    model, ffn = copy.deepcopy((model, ffn))
    for part in (model, *ffn.modules()):
        part.register_forward_hook(_of_others)
        part.register_forward_pre_hook(_of_others)
    before = {says: look(model) for says, look in _LEFT.items()}
    with torch.enable_grad():  # whatever the answer switches, it is as before afterwards
        try:
            yield model, ffn, lambda: next((says for says, look in _LEFT.items() if look(model) != before[says]), "")
        except Exception as error:
            says = _what_the_hook_did(model, error, advice)
            if says is None:
                raise
            raise Fault(Key.RAISES, says) from None


def _of_others(*_):
    """Stand for a hook that somebody else has registered."""


def _hooks(model):
    """Return whether each hook on the model's parts is one of others."""
    both = [hooks for part in model.modules() for hooks in (part._forward_hooks, part._forward_pre_hooks)]
    return [hook is _of_others for hooks in both for hook in hooks.values()]


#: What an answer can leave changed, in words -> what shows it.
_LEFT = {
    "your hook is still on the model, where it goes on working: end with `handle.remove()`.": (
        lambda model: _hooks(model).count(False)
    ),
    "your code takes away hooks that others have on the model: remove only your own, with `handle.remove()`.": (
        lambda model: _hooks(model).count(True)
    ),
    "your code changes the weights of the model, and leaves them so. Let a hook work on the hidden values while the model reads.": (
        lambda model: [value.numpy().tobytes() for value in model.state_dict().values()]
    ),
    "your code replaces a part or a method of the model, and leaves it so: a hook needs neither.": (
        lambda model: [(id(part), *vars(part)) for part in model.modules()]
    ),
    "your code switches the model to eval mode and leaves it so: there is no dropout in it, so the values do not need that.": (
        lambda model: [part.training for part in model.modules()]
    ),
    "your code leaves weights frozen, so the model cannot be trained any more: read inside `with torch.no_grad():` instead.": (
        lambda model: [weight.requires_grad for weight in model.parameters()]
    ),
    "your code leaves gradients on the weights: nothing here needs `backward()`.": (
        lambda model: [weight.grad is None for weight in model.parameters()]
    ),
    "your code switches gradients off for everything that follows: `with torch.no_grad():` switches them on again.": (
        lambda model: torch.is_grad_enabled()
    ),
}


_TUPLE = "`inputs` is a tuple with everything that the module was called with: the tensor in it is `inputs[0]`."
# What torch and Python say -> what the learner's code does.
_ERRORS = (
    ("but got tuple", _TUPLE),
    ("'tuple' object has no attribute", _TUPLE),
    ("must be tuple of Tensors, not Tensor", "torch.cat takes a list of tensors: hand it the list of what was kept."),
    (
        "Sizes of tensors must match except in dimension 0",
        "What you kept still has the batch axis in front, of size 1, and torch.cat joins along the first axis: take [0] of it, as in `inputs[0][0]`.",
    ),
    (
        "expected a non-empty list of Tensors",
        "Your list is still empty, so your hook was never called: register it before model reads, and remove it afterwards.",
    ),
    (
        "'function' object has no attribute 'register_forward",
        "`ffn.activation` is a plain function, and only a module takes a hook. The hidden values are also what `ffn.down` gets.",
    ),
    (
        "positional arguments but 3 were given",
        "A forward hook is called with three things, `module, inputs, output`, and your function takes another number.",
    ),
    (
        "positional argument but 3 were given",
        "A forward hook is called with three things, `module, inputs, output`, and your function takes one.",
    ),
    (
        "positional argument: 'output'",
        "A forward pre-hook runs before its module, so it is called with two things, `module, inputs`: there is no output yet.",
    ),
)


REPLACES = "Your hook returns something, and what a forward hook returns takes the place of the module's output."


def _what_the_hook_did(model, error, advice):
    """Say what is behind an error that came up while the model ran, or None where it is another one."""
    if isinstance(error, (RuntimeError, TypeError)) and _replaces_output(model):
        return f"{REPLACES} {advice}"
    return next((says for words, says in _ERRORS if words in str(error)), None)


def _replaces_output(model):
    """Tell whether a hook that is still there returns a tuple, or a tensor of another shape than its module's output."""
    for part in model.modules():
        for hook in list(part._forward_hooks.values()):
            if isinstance(part, torch.nn.Linear):
                x = torch.zeros(1, 2, part.in_features, dtype=part.weight.dtype)
                y = torch.zeros(1, 2, part.out_features, dtype=part.weight.dtype)
                try:
                    returned = hook(part, (x,), y)
                except Exception:
                    continue
                if isinstance(returned, tuple) or (torch.is_tensor(returned) and returned.shape != y.shape):
                    return True
    return False


def seen_by(model, ffn, codes) -> dict:
    """Return what an FFN reads, what its first layer gives, its hidden values and its output, (length, …) each.

    The model is followed by hand, block by block, without a hook.
    """
    with torch.no_grad():
        stream = model.embed(codes) + model.positions.weight[: codes.shape[-1]]
        for block in model.blocks:
            stream = stream + block.attend(block.norm1(stream))
            x = block.norm2(stream)
            z = torch.nn.functional.linear(x, block.ffn.up.weight, block.ffn.up.bias)
            h = z * (z > 0)
            y = torch.nn.functional.linear(h, block.ffn.down.weight, block.ffn.down.bias)
            if block.ffn is ffn:
                return {
                    "x": x[0],
                    "z": z[0],
                    "h": h[0],
                    "y": y[0],
                    "block": block,
                    "stream": stream,
                    "after": stream + y,
                }
            stream = stream + y
    raise AssertionError("the FFN is none of the model's")
