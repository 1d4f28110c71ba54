"""Exercise: silence a unit with a hook, and measure the cost inside a context and everywhere else."""

import numpy as np

from course_lib.model.one_thread import torch
from lessons.build_microscope.shared import lent, small_model
from whywrong.form import sentence_start
from whywrong.task import Case, Exercise, Fault, HalfRight, Key, Mistake, Returns

_ADVICE = "To change what `down` gets, register a forward pre-hook on it: it is called with `module, inputs`."
_DRAWN: dict = {}  # which draw tells the answers apart, by its seed


def _cases(rng):
    """Draw models, a unit that is loud and often silent too, and a context of a third of the characters.

    A check draws the same cases again and again, so the draw that tells the answers apart is remembered.
    """
    seed = int(rng.integers(2**31))
    if seed not in _DRAWN:
        _DRAWN[seed] = next(number for number in range(200) if _tell_apart(_draw(seed, number)))
    return _draw(seed, _DRAWN[seed])


def _draw(seed, number):
    rng = np.random.default_rng([seed, number])
    return [_case(rng, *sizes) for sizes in ((4, 9, 2, 15), (6, 11, 0, 13))]


def _case(rng, d_model, d_ff, block, n):
    model = small_model(rng, d_model, d_ff)
    ffn, unit = model.blocks[block].ffn, int(rng.integers(1, d_model))
    with torch.no_grad():
        ffn.down.weight[:, unit] *= 8
        ffn.down.weight[:, unit - 1] *= 5
        ffn.up.bias[unit] += 0.4
        ffn.up.bias[unit - 1] += 0.4
    codes = torch.from_numpy(rng.integers(0, 97, size=(1, n)))
    following = torch.from_numpy(rng.integers(0, 97, size=n))
    here = torch.from_numpy(rng.permutation(n) < n // 3)
    return Case((model, ffn, codes, following, unit, here), {"characters": n, "d_ff": d_ff})


def _tell_apart(cases):
    """Tell whether every wrong answer is told from the right one, and from the others, in the first case."""
    given = [tuple(_silent(*case.args)) for case in cases]
    answers = [mistake.answer(*cases[0].args) for mistake in EXERCISE.mistakes]
    pairs = np.array([given[0], *answers])
    gaps = np.abs(pairs[:, None] - pairs[None]).max(axis=-1) + np.eye(len(pairs))
    return bool(gaps.min() > 1e-4 and np.abs(given).min() > 1e-3)


def _bits(logits, following):
    """Return −log₂ of the probability of each character that follows, one after the other."""
    found = []
    for row, code in zip(logits.tolist(), following.tolist(), strict=True):
        high = max(row)
        total = sum(np.exp(value - high) for value in row)
        found.append((np.log(total) + high - row[code]) / np.log(2))
    return np.array(found)


def _logits(model, ffn, codes, change=None):
    """Read codes by hand, block by block, with the hidden values or the output of one FFN changed; no hook is used."""
    with torch.no_grad():
        stream = model.embed(codes) + model.positions.weight[: codes.shape[-1]]
        for block in model.blocks:
            stream = stream + block.attend(block.norm1(stream))
            h = block.ffn.up(block.norm2(stream)).clamp(min=0)
            if block.ffn is ffn and change is not None:
                h = change(h)
            y = block.ffn.down(h) if h.shape[-1] == block.ffn.d_ff else h
            stream = stream + y
        return model.read_out(model.norm(stream))[0]


def _without(unit):
    def change(h):
        return h * (torch.arange(h.shape[-1]) != unit)

    return change


def _changes(model, ffn, codes, following, change):
    """Return how many bits more each character takes."""
    return _bits(_logits(model, ffn, codes, change), following) - _bits(_logits(model, ffn, codes), following)


def _silent(model, ffn, codes, following, unit, here):
    more, there = _changes(model, ffn, codes, following, _without(unit)), here.numpy()
    return float(more[there].mean()), float(more[~there].mean())


def _run(answer, case):
    """Call the answer, and see that it leaves the model as it was."""
    with lent(*case.args[:2], _ADVICE) as (model, ffn, left):
        got = answer(model, ffn, *case.args[2:])
        if says := left():
            right = _is_pair(got) and np.allclose(_floats(got), _silent(*case.args), rtol=1e-7, atol=1e-9)
            raise Fault(Key.VALUE, f"The numbers are right, but {says}" if right else sentence_start(says))
    return tuple(one.detach() if torch.is_tensor(one) else one for one in got) if isinstance(got, tuple) else got


def _is_pair(got):
    return isinstance(got, (tuple, list)) and len(got) == 2 and all(getattr(one, "ndim", 0) == 0 for one in got)


def _floats(got):
    try:
        return [float(one) for one in got]
    except (TypeError, ValueError, OverflowError):
        return [np.nan, np.nan]


def _answer(change=None, bits=_bits, pick=lambda more, there: (more[there].mean(), more[~there].mean())):
    """Make an answer that changes something else, counts in another way, or takes other places."""

    def side_effects(model, ffn, codes, following, unit, here):
        made = _without(unit) if change is None else change(unit, ffn, here)
        more = bits(_logits(model, ffn, codes, made), following) - bits(_logits(model, ffn, codes), following)
        return tuple(float(value) for value in pick(more, here.numpy()))

    return side_effects


def _nats(logits, following):
    return _bits(logits, following) * np.log(2)


def _probabilities(logits, following):
    return 2.0 ** -_bits(logits, following)


def _own_logits(logits, following):
    return logits[torch.arange(len(following)), following].numpy()


def _unnormalised(logits, following):
    return -_own_logits(logits, following) / np.log(2)


def _without_log(logits, following):
    return _unnormalised(logits.softmax(-1), following)


def _over_places(logits, following):
    return _unnormalised(logits.log_softmax(0), following)


def _every_next(logits, following):
    """Give each place the mean over all characters that follow anywhere."""
    return -logits.log_softmax(-1)[:, following].mean(dim=-1).numpy() / np.log(2)


def _late(logits, following):
    return _bits(logits, following.roll(-1))


def _at_up(model, ffn, codes, following, unit, here):
    """Set a feature of what `up` reads to 0."""
    with torch.no_grad():
        stream = model.embed(codes) + model.positions.weight[: codes.shape[-1]]
        for block in model.blocks:
            stream = stream + block.attend(block.norm1(stream))
            x = block.norm2(stream)
            kept = _without(unit)(x) if block.ffn is ffn else x
            stream = stream + block.ffn.down(block.ffn.up(kept).clamp(min=0))
        logits = model.read_out(model.norm(stream))[0]
    more, there = _bits(logits, following) - _bits(_logits(model, ffn, codes), following), here.numpy()
    return float(more[there].mean()), float(more[~there].mean())


def _present(model, ffn, codes, following, unit, here):
    """Take the characters themselves for those that follow."""
    return _silent(model, ffn, codes, codes[0], unit, here)


def _of_feature(unit, ffn, here):
    def change(h):
        y = ffn.down(h).clone()
        y[..., unit] = 0
        return y

    return change


def _only_here(unit, ffn, here):
    return lambda h: torch.where(here[:, None], _without(unit)(h), h)


def _all_but(unit, ffn, here):
    return lambda h: h * (torch.arange(h.shape[-1]) == unit)


def _one_place(unit, ffn, here):
    return lambda h: h * (torch.arange(h.shape[-2]) != unit)[:, None]


EXERCISE = Exercise(
    id="build_microscope.side_effects",
    kind="function",
    cases=_cases,
    oracle=_silent,
    run=_run,
    returns=(Returns("the change in the context"), Returns("the change elsewhere")),
    mistakes=(
        Mistake(
            "nothing-changes",
            lambda *args: (0.0, 0.0),
            "Both reads give the same bits: either your hook changes nothing (one that changes a copy must return it), or it is on the model in both reads and not in the second alone.",
        ),
        HalfRight(
            "turned-round",
            _answer(pick=lambda more, there: (more[~there].mean(), more[there].mean())),
            "Both numbers are right, in the other order: the change in the context comes first.",
        ),
        Mistake(
            "sign",
            _answer(pick=lambda more, there: (-more[there].mean(), -more[~there].mean())),
            "Both signs are the wrong way round: subtract the bits of the model as it is from those with the silent unit.",
        ),
        Mistake(
            "nats",
            _answer(bits=_nats),
            "Your numbers are in nats, with the natural logarithm: divide by log 2 for bits.",
        ),
        Mistake(
            "probabilities",
            _answer(bits=_probabilities),
            "You compare probabilities; bits are −log₂ of them.",
        ),
        Mistake(
            "logits",
            _answer(bits=_own_logits),
            "You compare the logits of the characters that follow. The softmax over all 97 is missing, and then −log₂.",
        ),
        Mistake(
            "no-softmax",
            _answer(bits=_unnormalised),
            "You take the logits for log-probabilities: `log_softmax(-1)` over the 97 characters is missing.",
        ),
        Mistake(
            "no-log",
            _answer(bits=_without_log),
            "You take the probabilities for their logarithms: after the softmax comes the log, or `log_softmax(-1)` for both.",
        ),
        Mistake(
            "softmax-over-places",
            _answer(bits=_over_places),
            "Your softmax runs over the places of the text: the probabilities of the 97 characters must add up to 1 at each place, which the last axis gives.",
        ),
        Mistake(
            "every-next",
            _answer(bits=_every_next),
            "At each place you take the probabilities of all characters in `following`: `logits[:, following]` pairs every place with every one of them. Place t goes with following[t] alone.",
        ),
        Mistake(
            "one-too-late",
            _answer(bits=_late),
            "You move `following` by one place, but it is moved already: following[t] comes right after place t.",
        ),
        Mistake(
            "present-character",
            _present,
            "You measure the bits of the characters in `codes`, which the model has just read: take those in `following`.",
        ),
        Mistake(
            "at-up",
            _at_up,
            "Your hook changes what `up` gets, so a feature of the FFN's input is 0. The hidden values are what `down` gets.",
        ),
        Mistake(
            "all-characters",
            _answer(pick=lambda more, there: (more[there].mean(), more.mean())),
            "Your second number is the mean over all characters, with the context among them: take those where here is False.",
        ),
        Mistake(
            "first-of-all",
            _answer(pick=lambda more, there: (more.mean(), more[~there].mean())),
            "Your first number is the mean over all characters: take those where here is True.",
        ),
        Mistake(
            "sums",
            _answer(pick=lambda more, there: (more[there].sum(), more[~there].sum())),
            "You added the changes up: the mean for a character is asked.",
        ),
        Mistake(
            "shares-of-all",
            _answer(pick=lambda more, there: ((more * there).mean(), (more * ~there).mean())),
            "You divide both sums by the number of all characters: divide each by the number of its own.",
        ),
        Mistake(
            "absolute",
            _answer(pick=lambda more, there: (np.abs(more[there]).mean(), np.abs(more[~there]).mean())),
            "You took absolute values, which hides where the model gets better: take the mean with the signs.",
        ),
        Mistake(
            "largest",
            _answer(pick=lambda more, there: (more[there].max(), more[~there].max())),
            "You took the largest change; take the mean.",
        ),
        Mistake(
            "unit-before",
            _answer(lambda unit, ffn, here: _without(unit - 1)),
            "You silenced unit − 1: units are counted from 0, as columns are.",
        ),
        Mistake(
            "feature",
            _answer(_of_feature),
            "You set a feature of what `down` returns to 0. The unit is one of the values that `down` gets: change those, with a forward pre-hook.",
        ),
        Mistake(
            "one-place",
            _answer(_one_place),
            "You silenced all units at one character: h is (1, n, d_ff), so h[:, unit] is a place. The units are its last axis, h[..., unit].",
        ),
        Mistake(
            "only-in-the-context",
            _answer(_only_here),
            "You silenced the unit in the context alone, so its work at all other characters stays. Silence it everywhere.",
        ),
        Mistake(
            "all-others",
            _answer(_all_but),
            "You silenced all units but this one: set the one column to 0, and let the others through.",
        ),
        Mistake(
            "all-units",
            _answer(lambda unit, ffn, here: lambda h: 0 * h),
            "You silenced the whole FFN: set the column of this one unit to 0.",
        ),
    ),
    tries=40,
    seconds=10,
    hints=(
        "Let the model read twice: as it is, and with a hook that hands `down` the hidden values with one column set to 0. Compare the bits of the characters that follow.",
        "What a forward pre-hook gets is (1, characters, d_ff); the logits are (1, characters, 97), and the bits (characters,).",
        "Start with: def silence(module, inputs), in it h = ….clone(), h[..., unit] = 0, and return (h,).",
    ),
    right="No hook of yours is left, and the model's weights, mode and other hooks are as they were.",
)
