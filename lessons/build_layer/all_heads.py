"""Exercise: split the features into heads, attend in each, and put the heads together again."""

import math

from course_lib.model.one_thread import torch
from lessons.build_layer.shared import attend, head_by_head, kept, masked_after, merge, random_tensors, scores_of, split
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns


def _cases(rng):
    cases = []
    for shape, n_heads in (((5, 12), 3), ((2, 7, 8), 2), ((4, 6), 1)):
        sizes = dict(zip(("d_model", "seq_len", "batch"), reversed(shape), strict=False))
        q, k, v = random_tensors(rng, shape, shape, shape)
        cases.append(Case((1.5 * q, 1.5 * k, v, n_heads), sizes))
    return cases


def _heads(head=attend, split=split, merge=merge):
    """Make an answer of its three steps: split(x, n_heads), head(q, k, v), merge(output)."""
    return lambda q, k, v, n_heads: merge(head(*(split(x, n_heads) for x in (q, k, v))))


def _with(**changes):
    return _heads(lambda q, k, v: attend(q, k, v, **changes))


def _cut(x, n_heads):
    """Split by reshape alone, which cuts the sequence and not the features."""
    return x.reshape(*x.shape[:-2], n_heads, x.shape[-2], -1)


def _glued(x):
    """Merge by reshape alone."""
    return x.reshape(*x.shape[:-3], x.shape[-2], -1)


def _interleaved(x, n_heads):
    return x.unflatten(-1, (-1, n_heads)).movedim(-1, -3)


def _interleaved_merge(x):
    return x.movedim(-3, -1).flatten(-2)


def _swapped_sizes(x, n_heads):
    return x.unflatten(-1, (-1, n_heads)).transpose(-3, -2)


def _untransposed(head):
    return _heads(head, lambda x, n_heads: x.unflatten(-1, (n_heads, -1)), lambda x: x.flatten(-2))


def _shared_weights(q, k, v):
    scores = scores_of(q, k).masked_fill(~kept(scores_of(q, k)), -math.inf)
    return scores.softmax(-1).mean(-3, keepdim=True) @ v


def _scaled_by(root):
    """Make an answer whose scores are divided by the root of root(x, n_heads)."""

    def answer(q, k, v, n_heads):
        parts = [split(x, n_heads) for x in (q, k, v)]
        return merge(attend(*parts, scale=math.sqrt(root(q, n_heads))))

    return answer


def _reversed(x):
    return merge(x.flip(-3))


def _first_head(x):
    return merge(x[..., :1, :, :].expand_as(x))


def _from_the_front(q, k, v, n_heads):
    """Split and merge with transpose(1, 2), which fits a batch of sequences."""
    q, k, v = (x.unflatten(-1, (n_heads, -1)).transpose(1, 2) for x in (q, k, v))
    return attend(q, k, v).transpose(1, 2).flatten(-2)


def _overlapping(q, k, v, n_heads):
    size = q.shape[-1] // n_heads
    parts = [slice(head, head + size) for head in range(n_heads)]
    return torch.cat([attend(q[..., part], k[..., part], v[..., part]) for part in parts], dim=-1)


def _strided(q, k, v, n_heads):
    """Take every n_heads-th feature for a head, and put the heads side by side."""
    return torch.cat([attend(*(x[..., head::n_heads] for x in (q, k, v))) for head in range(n_heads)], dim=-1)


def _cut_in_front(q, k, v, n_heads):
    """Split and join along the first axis."""
    return torch.cat([attend(*parts) for parts in zip(*(x.chunk(n_heads) for x in (q, k, v)), strict=True)])


def _run(answer, case):
    """Call the answer, and say what an output of another shape holds."""
    q, k, v, n_heads = case.args
    found = answer(*case.args)
    if not torch.is_tensor(found) or found.shape == q.shape:
        return found
    heads = attend(*(split(x, n_heads) for x in (q, k, v)))
    known = {
        "the axis of the heads is still in front of seq_len, so flattening joins all tokens of a head into one row. Swap the two axes back first": heads.flatten(-2),
        "the heads are stacked one below the other. Join them along the last axis, with dim=-1": torch.cat(heads.unbind(-3)),
        "the heads have a new axis of their own. Join them side by side along the last axis that is there, with torch.cat and dim=-1": torch.stack(heads.unbind(-3), -1),
        "the heads still have the axis that you gave them. Bring it back next to the features, and flatten the two": heads,
        "the heads are added up. Put them side by side": heads.sum(-3),
    }  # fmt: skip
    for says, value in known.items():
        if found.shape == value.shape and torch.allclose(found, value):
            raise Fault(Key.SHAPE, f"Your output has shape {tuple(found.shape)}: {says}.")
    return found


EXERCISE = Exercise(
    id="build_layer.all_heads",
    kind="function",
    cases=_cases,
    oracle=head_by_head,
    run=_run,
    returns=(Returns("the output", ("...", "seq_len", "d_model")),),
    mistakes=(
        Mistake(
            "one-head",
            lambda q, k, v, n_heads: attend(q, k, v),
            "All features form one head: n_heads splits nothing.",
        ),
        Mistake(
            "split-by-reshape",
            _heads(split=_cut, merge=_glued),
            "reshape alone cuts the sequence into pieces, in both directions: make (seq_len, n_heads, head_dim) of it, "
            "then transpose.",
        ),
        Mistake(
            "split-by-reshape-only",
            _heads(split=_cut),
            "The split by reshape alone cuts the sequence into pieces: first make (seq_len, n_heads, head_dim) of it, then "
            "transpose.",
        ),
        Mistake(
            "merge-by-reshape",
            _heads(merge=_glued),
            "The split works, but the heads are put together by reshape alone, which mixes up their tokens: transpose first.",
        ),
        Mistake(
            "interleaved",
            _heads(split=_interleaved, merge=_interleaved_merge),
            "Head 0 gets every n_heads-th feature: a head should get head_dim features that stand side by side.",
        ),
        Mistake(
            "strided",
            _strided,
            "Each of your heads gets every n_heads-th feature, but it should get head_dim features that stand side by side.",
        ),
        Mistake(
            "cut-in-front",
            _cut_in_front,
            "You cut along the first axis, which is what `chunk` and `torch.cat` do by default, and not the features: pass dim=-1 to both.",
        ),
        Mistake(
            "interleaved-merge",
            _heads(merge=_interleaved_merge),
            "The heads' outputs are interleaved feature by feature: the features of a head should stand side by side.",
        ),
        Mistake(
            "axes-from-the-front",
            _from_the_front,
            "You count the axes from the front, as 1 and 2, which fits a batch; of a single sequence these are other axes. "
            "Count from the back, with −3 and −2.",
        ),
        Mistake(
            "overlapping",
            _overlapping,
            "The slices of the heads overlap: each should begin where the one before it ends, head_dim features on.",
        ),
        Mistake(
            "sizes-swapped",
            _heads(split=_swapped_sizes),
            "The two sizes have changed places: there are d_model / n_heads heads of n_heads features each.",
        ),
        Mistake(
            "heads-look-at-heads",
            _untransposed(attend),
            "The heads of one token look at each other: for tokens to look at tokens, seq_len must be the second last axis.",
        ),
        Mistake(
            "heads-look-at-heads-unmasked",
            _untransposed(lambda q, k, v: attend(q, k, v, keep="all")),
            "The heads of one token look at each other, without a mask: for tokens to look at tokens, seq_len must be the "
            "second last axis.",
        ),
        Mistake(
            "scale-d-model",
            _scaled_by(lambda x, n_heads: x.shape[-1]),
            "The scores are divided by √d_model; a score of one head adds up head_dim products.",
        ),
        Mistake(
            "scale-n-heads",
            _scaled_by(lambda x, n_heads: n_heads),
            "The scores are divided by √n_heads; a score of one head adds up head_dim products.",
        ),
        Mistake(
            "scale-seq-len",
            _scaled_by(lambda x, n_heads: x.shape[-2]),
            "The scores are divided by √seq_len; a score of one head adds up head_dim products.",
        ),
        Mistake(
            "no-scale", _with(scale=1.0), "The heads are split well, but their scores are not divided by √head_dim."
        ),
        Mistake("no-mask", _with(keep="all"), "The heads are split well, but tokens see the tokens after them."),
        Mistake("mask-transposed", _with(keep="triu"), "The heads are split well, but their mask is transposed."),
        Mistake(
            "mask-strict",
            _with(shift=-1),
            "The heads are split well, but no token sees itself, and the first one has nothing left to look at.",
        ),
        Mistake(
            "mask-after-softmax",
            _heads(masked_after),
            "The heads are split well, but the mask comes after the softmax, so the weights no longer add up to 1.",
        ),
        Mistake(
            "softmax-over-queries",
            _with(axis=-2),
            "The heads are split well, but the softmax runs over the queries: the weights of each row should add up to 1.",
        ),
        Mistake(
            "shared-weights",
            _heads(_shared_weights),
            "All heads use the mean of their weights: each head should look where its own weights say.",
        ),
        Mistake(
            "heads-reversed",
            _heads(merge=_reversed),
            "The heads come back in reversed order: head 0 belongs first.",
        ),
        Mistake(
            "first-head",
            _heads(merge=_first_head),
            "Only head 0 comes back, n_heads times: each head has an output of its own.",
        ),
        Mistake(
            "mixes-keys",
            lambda q, k, v, n_heads: _heads()(q, k, k, n_heads),
            "The heads mix the keys; they should mix the values.",
        ),
        Mistake(
            "scale-d-model-no-mask",
            lambda q, k, v, n_heads: merge(
                attend(*(split(x, n_heads) for x in (q, k, v)), keep="all", scale=math.sqrt(q.shape[-1]))
            ),
            "Two things are wrong: tokens see the tokens after them, and the scores are divided by √d_model, not √head_dim.",
            two=True,
        ),
        Mistake(
            "cut-no-mask",
            _heads(lambda q, k, v: attend(q, k, v, keep="all"), _cut, _glued),
            "Two things are wrong: reshape alone cuts the sequence into pieces, and tokens see the tokens after them.",
            two=True,
        ),
    ),
    hints=(
        "A head is a slice of the features. Give the heads an axis of their own, and your function for one head works on all of them at once.",
        "(..., seq_len, d_model) becomes (..., seq_len, n_heads, head_dim), then (..., n_heads, seq_len, head_dim); at the end the same way back.",
        "Start with: q, k, v = …, where each has the axis of the heads before seq_len. The last line is return ….flatten(-2).",
    ),
    right="The heads ride along as one more leading axis, as a batch does.",
)
