"""What the exercises on hooks share: a small model, and a run that leaves no hook behind and says what went wrong in one."""

import contextlib

from course_lib.model.language_model import LanguageModel
from course_lib.model.one_thread import torch
from whywrong.task import Fault, Key


def small_model(rng, d_model, d_ff, seq_len=24) -> LanguageModel:
    """Draw a language model of three blocks in float64; its weights ask for gradients, as those of a new model do."""
    with torch.random.fork_rng():
        torch.default_generator.manual_seed(int(rng.integers(2**31)))
        model = LanguageModel(d_model, 3, 2, d_ff, seq_len).double()
    return model.eval()


@contextlib.contextmanager
def watched(model, advice):
    """Run an answer with a model: name the error of a hook, and take away every hook that is left afterwards.

    advice: what to do instead of replacing the output of a module.
    """
    try:
        yield
    except Exception as error:
        says = _what_the_hook_did(model, error, advice)
        if says is None:
            raise
        raise Fault(Key.RAISES, says) from None
    finally:
        for hooks in _all_hooks(model):
            hooks.clear()


def has_hooks(model) -> bool:
    """Tell whether a hook is still on one of the model's parts."""
    return any(map(len, _all_hooks(model)))


def _all_hooks(model):
    """Return the dicts of the hooks of every part."""
    return [hooks for part in model.modules() for hooks in (part._forward_hooks, part._forward_pre_hooks)]


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
