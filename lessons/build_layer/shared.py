"""What the exercises of this lesson share: attention token by token, wrong attention, and wrong modules."""

import math

from course_lib.model.one_thread import nn, torch
from whywrong.task import Fault, Key

HIDDEN = float("-inf")


def head_by_head(q, k, v, n_heads=1):
    """Attend causally without a mask: every token softmaxes over a slice that ends at its own position.

    Args:
        q, k, v: (..., seq_len, d_model).
        n_heads: must divide d_model.
    """
    out = torch.empty_like(v)
    head_dim = q.shape[-1] // n_heads
    for head in range(n_heads):
        part = slice(head * head_dim, (head + 1) * head_dim)
        for token in range(q.shape[-2]):
            seen = slice(0, token + 1)
            scores = (k[..., seen, part] * q[..., token, None, part]).sum(-1) / math.sqrt(head_dim)
            out[..., token, part] = (scores.softmax(-1)[..., None] * v[..., seen, part]).sum(-2)
    return out


def attend(q, k, v, *, keep="tril", shift=0, hide=HIDDEN, scale=None, axis=-1, flip=False):
    """Attend with one thing changed.

    Args:
        q, k, v: (..., seq_len, head_dim).
        keep: "tril" or "triu" of the scores stays, from the diagonal `shift` on; "all" hides nothing.
        hide: what a hidden score becomes.
        scale: what the scores are divided by; None: √head_dim.
        axis: of the softmax.
        flip: take k qᵀ for q kᵀ.
    """
    scores = (k @ q.mT if flip else q @ k.mT) / (math.sqrt(q.shape[-1]) if scale is None else scale)
    if keep != "all":
        scores = torch.where(kept(scores, keep, shift), scores, hide)
    return scores.softmax(axis) @ v


def kept(scores, keep="tril", shift=0):
    """Return which of the scores stay, (seq_len, seq_len)."""
    return getattr(torch.ones(scores.shape[-2:], dtype=torch.bool), keep)(shift)


def scores_of(q, k):
    """Return q kᵀ / √head_dim."""
    return q @ k.mT / math.sqrt(q.shape[-1])


def masked_after(q, k, v):
    """Attend with a mask that comes after the softmax."""
    weights = scores_of(q, k).softmax(-1)
    return weights * kept(weights) @ v


def split(x, n_heads):
    """Return (..., n_heads, seq_len, head_dim) of (..., seq_len, d_model)."""
    return x.unflatten(-1, (n_heads, -1)).transpose(-3, -2)


def merge(x):
    """Return (..., seq_len, d_model) of (..., n_heads, seq_len, head_dim)."""
    return x.transpose(-3, -2).flatten(-2)


def random_tensors(rng, *shapes):
    """Draw float64 tensors from a standard normal distribution."""
    return [torch.from_numpy(rng.normal(size=shape)) for shape in shapes]


def made(answer, *sizes):
    """Make a module of the learner's class, with words of our own for the most frequent error.

    Raises:
        Fault: its __init__ does not call that of nn.Module first.
    """
    try:
        return answer(*sizes)
    except AttributeError as error:
        if "Module.__init__() call" not in str(error):
            raise
        message = "A module cannot take in layers yet: the first line of __init__ must be super().__init__(), with both pairs of brackets."
        raise Fault(Key.RAISES, message) from None


def check_mode(module, y, call) -> None:
    """See that a module whose output y in eval mode is right gives the same while it is trained.

    Args:
        call: makes the output anew.

    Raises:
        Fault: it gives something else.
    """
    module.train()
    torch.default_generator.manual_seed(0)
    same = torch.allclose(call(), y, rtol=0, atol=1e-9)
    module.eval()
    if not same:
        raise Fault(
            Key.VALUE,
            "The output is right in eval mode, and another one in training mode: the two must agree. Is there a dropout, "
            "or does the code ask for self.training?",
        )


def check_parts(name, module, shapes, arguments, leads) -> None:
    """See that a module has its parts, each with a weight and, where one is wanted, a bias of the right shape.

    Args:
        name: of the class. arguments: what it was made with, in words.
        shapes: part -> the shapes of its weight and of its bias (None: it must have no bias).
        leads: part -> a sentence on its shapes.

    Raises:
        Fault: a part is missing or has another shape.
    """
    if not isinstance(module, nn.Module):
        raise Fault(Key.TYPE, f"{name} must be a torch module: write class {name}(nn.Module).")
    for part, (weight, bias) in shapes.items():
        layer = getattr(module, part, None)
        if not isinstance(layer, nn.Module):
            found = ", ".join(child for child, _ in module.named_children())
            have = (
                f"the parts of yours are called {found}" if found else f"yours has no parts yet: write self.{part} = …"
            )
            raise Fault(Key.TYPE, f"{name} needs a part {part!r}, which is a torch module, but {have}.")
        for kind, wanted in (("weight", weight), ("bias", bias)):
            given = getattr(layer, kind, None)
            if wanted is None and given is not None:
                raise Fault(Key.VALUE, f"The part {part!r} has a bias, and it should have none: write bias=False.")
            if wanted is None:
                continue
            if given is None:
                raise Fault(Key.NONE, f"The part {part!r} has no {kind}, and it needs one.")
            if tuple(given.shape) != wanted:
                turned = len(wanted) == 2 and tuple(given.shape) == wanted[::-1]
                why = "nn.Linear takes the number of inputs first, then that of outputs." if turned else leads[part]
                shapes = f"{part}.{kind} has shape {tuple(given.shape)}; expected is {wanted}."
                raise Fault(Key.SHAPE, f"With {arguments}, {shapes} {why}")
