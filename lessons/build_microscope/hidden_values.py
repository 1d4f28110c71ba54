"""Exercise: read the hidden values of an FFN with a forward hook, and leave the model as it was."""

from course_lib.model.one_thread import torch
from lessons.build_microscope.shared import REPLACES, lent, seen_by, small_model
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns

_ADVICE = "Keep the values in a list, and return nothing."
_GRAPH = "each still carries the graph of all that made it, which fills the memory: read inside `with torch.no_grad():`, or keep `.detach()`."


def _cases(rng):
    """Draw models whose middle, first and last FFN is asked for, and pieces of text that differ in length.

    All FFNs have one width, so that what a list still holds from an earlier call can be joined, and is seen.
    """
    cases = []
    for d_model, d_ff, block, lengths in ((4, 9, 1, (5, 9)), (6, 9, 0, (7, 3, 6)), (4, 9, 2, (4, 8))):
        model = small_model(rng, d_model, d_ff)
        pieces = [torch.from_numpy(rng.integers(0, 97, size=(1, length))) for length in lengths]
        sizes = {"characters": sum(lengths), "d_ff": d_ff}
        cases.append(Case((model, model.blocks[block].ffn, pieces), sizes))
    return cases


def _oracle(model, ffn, pieces):
    return torch.cat([seen_by(model, ffn, codes)["h"] for codes in pieces])


def _run(answer, case):
    """Call the answer; see that it leaves the model as it was, changes no output and keeps no graph."""
    pieces = case.args[2]
    before, outputs = [codes.clone() for codes in pieces], []
    with lent(*case.args[:2], _ADVICE) as (model, ffn, left):
        listening = ffn.register_forward_hook(lambda module, inputs, output: outputs.append(output))
        got = answer(model, ffn, pieces)
        listening.remove()
        _look_at_form(got)
        if torch.is_tensor(got) and all(map(torch.equal, pieces, before)):
            _look_at_shape(got, *case.args)
            if _same(got.detach(), _oracle(*case.args)):
                if says := left() or (_GRAPH if got.requires_grad else ""):
                    raise Fault(Key.VALUE, f"The values are right, but {says}")
                if any(not torch.is_tensor(one) or one.ndim != 3 for one in outputs):
                    raise Fault(Key.VALUE, f"{REPLACES} {_ADVICE}")
        return got.detach() if torch.is_tensor(got) else got


def _same(got, wanted):
    return got.shape == wanted.shape and got.dtype == wanted.dtype and torch.allclose(got, wanted, rtol=1e-7, atol=1e-9)


def _look_at_form(got):
    """Say what a list holds that is returned as it was kept."""
    if not isinstance(got, (list, tuple)) or not got:
        return
    if all(isinstance(one, tuple) for one in got):
        says = "You return the tuples that your hook got. Keep the tensor in each, `inputs[0]`, and join them with torch.cat."
        raise Fault(Key.TYPE, says)
    if all(map(torch.is_tensor, got)):
        says = (
            f"You return a list of {len(got)}: each call of model calls your hook once. Join the pieces with torch.cat."
        )
        raise Fault(Key.TYPE, says)


def _look_at_shape(got, model, ffn, pieces):
    """Say what a tensor of another shape holds, where its values are known."""
    seen = [seen_by(model, ffn, codes) for codes in pieces]
    right = torch.cat([one["h"] for one in seen])
    if got.shape == right.shape:
        return
    known = {
        "These are the outputs of `down`: a hook gets `module, inputs, output`, and the hidden values are what `down` "
        "is called with, `inputs[0]`.": torch.cat([one["y"] for one in seen]),
        "These are the inputs of the FFN, before `up`. Its hidden values are what `down` is called with: put the hook "
        "on `ffn.down`.": torch.cat([one["x"] for one in seen]),
        "These rows are the last piece alone. Each call of model calls your hook once: keep every piece, and join "
        "them.": seen[-1]["h"],
        "These rows are the first piece alone. Each call of model calls your hook once: join all that was kept with "
        "torch.cat.": seen[0]["h"],
        "The values are right, but the batch axis is still in front: take it off, as in `inputs[0][0]`.": right[None],
        "Later pieces stand here more than once: you register a hook for every piece and remove none, so they pile "
        "up. Register one hook before the loop.": torch.cat([one["h"] for n, one in enumerate(seen) for _ in range(n + 1)]),
        "Every piece stands here twice: two hooks are on the layer.": torch.cat([one["h"] for one in seen for _ in "12"]),
        "You averaged over the characters: each one has a row of its own.": right.mean(dim=0),
    }  # fmt: skip
    shape = f"The result has shape {tuple(got.shape)}; expected is {tuple(right.shape)}, (characters, d_ff)."
    for says, value in known.items():
        if _same(got.detach(), value):
            raise Fault(Key.SHAPE, f"{says} {shape}")
    rows = len(right)
    if got.ndim == 2 and got.shape[1] == right.shape[1] and len(got) > rows and _same(got[-rows:].detach(), right):
        says = "The last rows are right; those before them come from an earlier call. Make the list anew inside the function."
        raise Fault(Key.SHAPE, f"{says} {shape}")


def _reads(name, pick=lambda model, ffn: ffn, order=list):
    """Make an answer that keeps something else."""

    def hidden_values(model, ffn, pieces):
        return torch.cat([seen_by(model, pick(model, ffn), codes)[name] for codes in order(pieces)])

    return hidden_values


def _near(model, ffn, step):
    """Return the FFN some blocks further, in a circle."""
    place = next(n for n, block in enumerate(model.blocks) if block.ffn is ffn)
    return model.blocks[(place + step) % len(model.blocks)].ffn


def _of_the_text(made):
    return lambda model, ffn, pieces: made(seen_by(model, ffn, torch.cat(pieces, dim=1)))


def _bent(bend):
    return lambda model, ffn, pieces: bend(_oracle(model, ffn, pieces))


def _first(model, ffn):
    return model.blocks[0].ffn


def _last(model, ffn):
    return model.blocks[-1].ffn


EXERCISE = Exercise(
    id="build_microscope.hidden_values",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    run=_run,
    returns=(Returns("the array of hidden values", ("characters", "d_ff")),),
    mistakes=(
        Mistake(
            "before-activation",
            _reads("z"),
            "These are the outputs of `up`, before the activation: some are negative. The hidden values are what `down` is called with.",
        ),
        Mistake(
            "last-block",
            _reads("h", _last),
            "You read the last block of the model, whichever FFN is asked for: put the hook on the layer of `ffn`.",
        ),
        Mistake(
            "first-block",
            _reads("h", _first),
            "You read the first block of the model, whichever FFN is asked for: put the hook on the layer of `ffn`.",
        ),
        Mistake(
            "next-block",
            _reads("h", lambda model, ffn: _near(model, ffn, 1)),
            "You read the FFN of the block after the one that is asked for: put the hook on the layer of `ffn`.",
        ),
        Mistake(
            "block-before",
            _reads("h", lambda model, ffn: _near(model, ffn, -1)),
            "You read the FFN of the block before the one that is asked for: put the hook on the layer of `ffn`.",
        ),
        Mistake(
            "pieces-in-reverse",
            _reads("h", order=lambda pieces: pieces[::-1]),
            "The values are right, and the pieces stand in reverse order: append each to the end of the list.",
            says_right=True,
        ),
        Mistake(
            "pieces-joined",
            _of_the_text(lambda seen: seen["h"]),
            "You read all pieces as one text, so later ones hear those before them: call model once for each piece.",
        ),
        Mistake(
            "before-activation-of-the-last",
            _reads("z", _last),
            "Two things are wrong: you read the last block, whichever FFN is asked for, and it is the output of `up`, before the activation.",
            two=True,
        ),
        Mistake(
            "before-activation-of-the-first",
            _reads("z", _first),
            "Two things are wrong: you read the first block, whichever FFN is asked for, and it is the output of `up`, before the activation.",
            two=True,
        ),
        Mistake(
            "absolute",
            lambda model, ffn, pieces: torch.cat([seen_by(model, ffn, codes)["z"].abs() for codes in pieces]),
            "You took absolute values of the output of `up`: the model's own activation is ReLU. Keep what `down` is called with.",
        ),
        Mistake(
            "yes-or-no",
            _bent(lambda h: (h > 0).to(h.dtype)),
            "You kept whether each unit fires; keep how strongly.",
        ),
        Mistake(
            "rows-of-length-one",
            _bent(lambda h: h / h.norm(dim=1, keepdim=True).clamp(min=1e-12)),
            "You scaled each row to the length 1: keep the values as the model computes them.",
        ),
    ),
    tries=60,
    seconds=10,
    hints=(
        "Register a function on the layer that is called with the hidden values. It keeps them in a list while model reads the pieces; afterwards take it off again.",
        "`ffn.down` is called with a tuple that holds one tensor of shape (1, length, d_ff); the rows of all pieces together are (characters, d_ff).",
        "Start with: found = [], and a function keep(module, inputs, output) with found.append(…). What do you keep of the tuple `inputs`?",
    ),
    right="No hook of yours is left, no row carries the graph, and the model's weights, mode and other hooks are as they were.",
)  # fmt: skip
