"""Measure a trained language model: its losses, and the numbers that lesson 10 finds in it."""

import numpy as np

from course_lib.model import contexts, language_model, reading
from course_lib.model.excerpts import excerpt
from course_lib.model.one_thread import torch
from lessons.inside_a_language_model import shared
from publish.language_model.ngrams import bits_of

EDIT = ("self", "i", 40.0)  # the context, the character and the size of the lesson's edit
PIECES = 8  # of the text, for ranges


def held_out(model, modules: dict[str, np.ndarray]) -> dict[str, float]:
    """Return bits per character of every module, and of all of them together."""
    found, bits, count = {}, 0.0, 0
    for name, codes in modules.items():
        seen = reading.read(model, "".join(language_model.CHARACTERS[code] for code in codes), inside=False)
        found[name] = round(float(seen.bits.mean()), 4)
        bits, count = bits + seen.bits.sum(), count + len(seen.bits)
    return found | {"all": round(float(bits / count), 4)}


def yardsticks(text: np.ndarray) -> dict[str, float]:
    """Return bits per character of the n-gram models on what the lesson scores of part B."""
    part = excerpt("B", reading.LENGTH).text
    codes = language_model.encoded(part)
    starts = np.arange(0, len(codes) - 128, 64)
    places = (starts[:, None] + np.arange(64, 128)).ravel()
    return {str(n): round(value, 4) for n, value in bits_of(text, codes, places).items()}


def lesson(model, seed: int) -> dict:
    """Return what the lesson finds in a model, on the parts of the text that the lesson reads."""
    part = {name: excerpt(name, reading.LENGTH) for name in "AB"}
    seen = {name: reading.read(model, part[name].text) for name in "AB"}
    fresh = reading.read(language_model.untrained(seed), part["B"].text)
    whole = {name: reading.read(model, excerpt(name).text, inside=False).bits.mean() for name in "AB"}
    effects = {words: shared.effect(model, seen["A"], seen["B"], words, *EDIT[1:]) for words in (EDIT[0], "the ")}
    return {
        "bits": {name: _round(one.bits.mean(), 6) for name, one in seen.items()},
        "bits_before": _round(fresh.bits.mean(), 6),
        "bits_whole_excerpt": {name: _round(value, 6) for name, value in whole.items()},
        "zeros": [_round((h == 0).mean()) for h in seen["B"].hidden],
        "zeros_before": [_round((h == 0).mean()) for h in fresh.hidden],
        "active": [_round((h > 0).sum(axis=1).mean()) for h in seen["B"].hidden],
        "used": [int((h > 0).any(axis=0).sum()) for h in seen["B"].hidden],
        "named": named(part, seen),
        "agreement": [_agreement(model, seen["B"], number) for number in range(1, len(model.blocks) + 1)],
        "removed": _removed(model, part["B"].text),
        "edit": {words: [round(value, 4) for value in one] for words, one in effects.items()},
    }


def named(part, seen, draws: int = 4) -> dict:
    """Count the units with a name: F1 above 0.8 on the part that chose it, and on the other; and random directions."""
    truths = {name: truths_of(part[name], seen[name].places) for name in "AB"}
    rng = np.random.default_rng(0)
    units, directions = [], []
    for number in range(len(seen["A"].hidden)):
        h = {name: seen[name].hidden[number] for name in "AB"}
        units.append(count_named(h, truths))
        directions.append([])
        for _ in range(draws):
            W = rng.normal(size=(h["A"].shape[1], seen["A"].inputs[number].shape[1]))
            directions[-1].append(count_named(like(h["A"], {n: seen[n].inputs[number] for n in "AB"}, W), truths))
    return {"units": units, "random": directions}


def truths_of(part, places) -> np.ndarray:
    """Return the named contexts of an excerpt at some places, (n, contexts)."""
    return np.stack(list(contexts.contexts(part).values()), axis=1)[places]


def count_named(h, truths, least: float = 0.8) -> int:
    """Count the units whose name, chosen on A, has F1 above `least` on A and on B."""
    best, names, limits = contexts.best_names(h["A"], truths["A"])
    good = [
        unit
        for unit in np.flatnonzero(best > least)
        if contexts.f1(h["B"][:, unit] > limits[unit], truths["B"][:, names[unit]]) > least
    ]
    return len(good)


def like(h, inputs, W) -> dict:
    """Return units that read random directions W, each active as often on part A as a trained unit."""
    rates = (h > 0).mean(axis=0)
    z = inputs["A"] @ W.T
    limits = np.array([np.quantile(column, 1 - rate) for column, rate in zip(z.T, rates, strict=True)])
    return {name: np.maximum(one @ W.T - limits, 0) for name, one in inputs.items()}


def _agreement(model, seen, number):
    first = reading.promoted(model, number).argmax(axis=1)
    after, rng = reading.followers(seen.hidden[number - 1], seen.following), np.random.default_rng(0)
    mixed = [(rng.permutation(first) == after).mean() for _ in range(20)]
    return [_round((first == after).mean()), _round(np.mean(mixed))]


def _removed(model, text):
    """Return for each part the bits per character more without it, for each piece of the text."""
    whole = reading.read(model, text, inside=False).bits
    found = {}
    for kind in ("attention", "ffn"):
        for number in range(1, len(model.blocks) + 1):
            part = f"{kind} {number}"
            less = reading.read(model, text, {part: torch.zeros_like}, inside=False).bits - whole
            found[part] = [_round(piece.mean()) for piece in np.array_split(less, PIECES)]
    return found


def _round(value, digits=4):
    return round(float(value), digits)
