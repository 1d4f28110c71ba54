"""What the lesson claims in words, held against its stored outputs, other computations, and the second training."""

import ast
import itertools
import re

import nbformat
import numpy as np
import pytest
import torch

from course_lib.model import contexts, language_model, reading
from course_lib.model.excerpts import excerpt
from lessons import catalogue
from lessons.inside_a_language_model import LESSON, shared
from tests.conftest import NOTEBOOKS
from tests.lessons.cells import code_cells, read
from tests.lessons.stored import plain_outputs, run_cells

SHOWN = plain_outputs(LESSON.notebook.removesuffix(".ipynb"))
WORDS = " ".join(NOTEBOOKS.joinpath(LESSON.notebook).read_text(encoding="utf-8").split())
SEEDS = {seed: one["lesson"] for seed, one in language_model.record()["seeds"].items()}


def prediction(name):
    return catalogue.item(f"inside_a_language_model.predict_{name}")


def rows(id):
    """Return the rows of the table that a cell shows: first column -> the others."""
    lines = SHOWN[id].splitlines()
    start = next(place for place, line in enumerate(lines) if len(re.split(r"  +", line)) > 1)
    cells = [re.split(r"  +", line.strip()) for line in lines[start + 1 :] if len(re.split(r"  +", line.strip())) > 1]
    return {first: others for first, *others in cells}


def test_the_ladder_of_losses():
    found = {name: float(*value) for name, value in rows("run-1").items()}
    before, even, one, three, four, six, after = found.values()
    assert before == pytest.approx(SEEDS["0"]["bits_before"], abs=6e-4)  # on the same text
    assert before > even == pytest.approx(np.log2(97), abs=1e-3) and prediction("untrained").answer == "worse"
    counted = language_model.record()["yardsticks"]
    assert four == pytest.approx(min(counted.values()), abs=6e-4) and list(counted) == list("0123456")
    assert even > one > three > six > four > after  # "beats every counter tried (1 to 6)"
    assert after == pytest.approx(SEEDS["0"]["bits"]["B"], abs=6e-4)
    held_out = language_model.record()["seeds"]["0"]["held_out"]["all"]
    assert f"the model needs only {held_out:.3f} bits" in WORDS


def test_zeros():
    found = {name: list(map(float, values)) for name, values in rows("run-2").items()}
    assert all(0.45 < before < 0.55 < 0.85 < after for before, after in found.values())
    assert prediction("zeros").answer == found["FFN 2"][1]
    assert "nineteen of twenty" in prediction("zeros").right and 0.945 < found["FFN 2"][1] < 0.955


def test_few_at_a_character_and_nearly_all_somewhere():
    found = re.search(r"After training (\d+) % of the units work .* and (\d+) of 512 work somewhere", SHOWN["run-3"])
    assert int(found[1]) < 6 and int(found[2]) > 480 and prediction("somewhere").answer == "nearly all"
    assert f"Of 512 units, {found[2]} work" in prediction("somewhere").right
    assert min(min(one["used"]) for one in SEEDS.values()) > 0.95 * 512  # whichever FFN and training run
    mean = (reading.of_part("B").hidden[1] > 0).sum(axis=1).mean()
    assert 23 < mean < 25  # "about 24 units of FFN 2 work" in its hints and in the quiz


def test_the_three_painted_units_have_the_names_that_the_text_gives():
    titles = re.findall(r"FFN (\d), unit (\d+) \d+", SHOWN["run-4-paint"].partition("Painted")[2])[:3]
    names = ["at a capital letter", "after only spaces in its line", 'after \'"""\'']
    seen, found = reading.of_part("B"), contexts.contexts(excerpt("B", reading.LENGTH))
    for (ffn, unit), name in zip(titles, names, strict=True):
        h, truth = seen.hidden[int(ffn) - 1][:, int(unit)], found[name][seen.places]
        limits = [share * np.quantile(h, 0.998) for share in contexts.THRESHOLDS]
        assert max(contexts.f1(h > limit, truth) for limit in limits) > 0.8, name


def test_few_units_have_a_name_and_random_directions_hardly_any():
    named = int(re.search(r"units with a name: (\d+) of 1536", SHOWN["run-5-count"])[1])
    assert named == prediction("named").answer == sum(SEEDS["0"]["named"]["units"])
    assert 0.007 < named / 1536 < 0.02  # "about one in a hundred"
    table = {name: list(map(int, values)) for name, values in rows("run-5-random").items()}
    for units, random in table.values():
        assert units >= 3 and random <= 1  # "random directions hardly ever have a name"
    assert len(table) == 3
    assert f"with {len(contexts.contexts(excerpt('A', 500)))} contexts" in WORDS


def test_nobody_reads_comments_or_docstrings():
    seen, found = reading.of_part("A"), contexts.contexts(excerpt("A", reading.LENGTH))
    truths = np.stack([found[f"in a {name}"] for name in ("comment", "docstring")], axis=1)[seen.places]
    assert max(contexts.best_names(h, truths)[0].max() for h in seen.hidden) < 0.7


def test_the_direction_of_self_and_the_best_single_unit():
    assert "part B: fires 72 times; after self 72 times" in SHOWN["run-6-read"]
    assert "precision 1.00, recall 1.00" in SHOWN["run-6-read"]
    seen = reading.of_part("A")
    label = shared.where("A", seen, "self")
    scores = {
        (ffn, unit): contexts.f1(h[:, unit] > contexts.best_limit(h[:, unit], label), label)
        for ffn, h in enumerate(seen.hidden, 1)
        for unit in np.flatnonzero(h.any(axis=0))
    }
    assert max(scores, key=scores.get) == (1, 73)  # "Of all 1,536 units ... best on part A"
    assert "unit 73 of FFN 1" in WORDS and list(rows("run-6-story"))[1] == "FFN 1, unit 73"


def test_the_edit():
    before, after = map(float, re.search(r"i after self: (\S+) -> (\S+)", SHOWN["run-6"]).groups())
    assert before < 0.001 and after > 0.95
    whole, harmed = map(float, re.search(r"elsewhere: (\S+) -> (\S+)", SHOWN["run-6"]).groups())
    assert whole == harmed and prediction("harm").answer == "under 0.001"
    seen = {part: reading.of_part(part) for part in "AB"}
    found = shared.effect(language_model.trained(), seen["A"], seen["B"], "self", "i", 40)
    assert f"{found.after:.3f}" == f"{after:.3f}" and found.on_b == 72 and abs(found.elsewhere) < 1e-3
    plain, edited = SHOWN["run-6"].split("def close(self):")[1:]
    assert "self.i" not in plain and "selfi" not in plain and "selfi" in edited


def test_why_the_threshold_and_the_length_are_what_they_are():
    seen = {part: reading.of_part(part) for part in "AB"}
    x, here = seen["A"].inputs[2], shared.where("A", seen["A"], "self")
    s = x @ (x[here].mean(axis=0) - x[~here].mean(axis=0))
    half_way = s > (s[here].mean() + s[~here].mean()) / 2
    wrong = f"{(half_way & ~here).sum()} of the unit's {half_way.sum()} firings on part A would be false alarms"
    assert wrong in WORDS and f"{(~here).sum() / here.sum():.0f} times as many places" in WORDS
    assert "The threshold lies 70 % of the way" in SHOWN["run-6-direction"]
    lengths = np.linalg.norm(seen["B"].stream[shared.where("B", seen["B"], "self")], axis=1)
    assert f"the stream has a length of {lengths.mean():.0f}" in WORDS and lengths.max() < 40
    obeys = [
        shared.effect(language_model.trained(), seen["A"], seen["B"], "self", "i", size).after for size in (10, 20, 40)
    ]
    assert obeys[0] < 0.1 < 0.5 < obeys[1] < 0.9 < obeys[2]  # "stop obeying"


def test_the_three_units_of_the_story():
    toy, trained, ours = rows("run-6-story").values()
    assert [row[1] for row in (toy, trained, ours)] == ["1.00", "0.94", "1.00"] and toy[2] == "shore"
    active, limit, above = map(
        float, re.search(r"above 0 at (\d+) places, above (\S+) at (\d+)", SHOWN["run-6-story"]).groups()
    )
    assert above < active / 2 and limit > 0  # "most of the places at which it is active are elsewhere"
    code = [language_model.CODES[one] for one in re.findall("“(.)”", trained[2])]
    found = reading.promoted(language_model.trained(), 1)[73]
    assert (
        code == np.argsort(-found, kind="stable")[:3].tolist() and found[code[0]] < 1.2 * found[code[1]]
    )  # "several characters"


def test_some_of_the_listed_contexts_pass_and_most_fail():
    listed = re.findall(r"('.+?')  +(\d+)  +(\d+)", SHOWN["ex-1-contexts"])
    assert len(listed) == 20 and min(int(count) for row in listed for count in row[1:]) >= 10
    seen, passed, right = {part: reading.of_part(part) for part in "AB"}, [], []
    for name, *counts in listed:
        found = shared.effect(language_model.trained(), seen["A"], seen["B"], ast.literal_eval(name), "Q", 60)
        assert [found.on_a, found.on_b] == [int(count) for count in counts]
        right += [min(found.precision, found.recall) >= 0.85]
        passed += [right[-1] and found.after > 0.9 and found.elsewhere <= 0.01]
    assert (
        f"Only {sum(right)} of the 20 contexts in the table pass the first of these tests" in WORDS and sum(passed) >= 5
    )


def test_what_is_wrong_with_the_recipe_where_it_fails():
    found = [re.split("  +", line) for line in SHOWN["run-6-the"].splitlines()[2:]]
    good = [[min(map(float, unit.split(", "))) >= 0.85 for unit in units] for _, *units in found]
    assert "gives 9 units" in WORDS and len(found) == 21 - 9 and not any(recipe for recipe, *_ in good)
    rest = [fitted for _, threshold, fitted in good if not threshold]
    assert len(good) - len(rest) == sum(rest) == 5  # "five of the twelve pass, ... five more"
    assert [name for (name, *_), (_, *others) in zip(found, good, strict=True) if not any(others)] == ["'to'", "'int'"]


def test_the_recipe_for_a_word_with_its_space():
    precision, _, _, _, elsewhere = SEEDS["0"]["edit"]["the "][2:]
    assert precision < 1 / 3 and 0.01 < elsewhere < 0.03  # the reply: "what a unit for `the ` costs"


def test_what_a_second_training_shows():
    one, two = SEEDS["0"], SEEDS["1"]
    assert all(zeros > 0.85 for found in (one, two) for zeros in found["zeros"])  # "as sparse"
    named = [sum(found["named"]["units"]) for found in (one, two)]
    assert max(named) < 1.5 * min(named) and not np.any([found["named"]["random"] for found in (one, two)])
    for found in (one, two):
        means = {part: np.mean(costs) for part, costs in found["removed"].items()}
        assert sorted(means, key=means.get)[-2:] == ["attention 1", "ffn 1"]
        assert found["edit"]["self"][2:4] == [1, 1] and found["edit"]["self"][5] > 0.95
        assert abs(found["edit"]["self"][6]) < 0.001
    assert f"gave {named[1]} units with a name" in WORDS


def test_block_1_costs_most_in_every_piece():
    means = {
        name: float(mean) for name, mean in re.findall(r"(\w+ \d) (\S+) \[", SHOWN["run-8"].partition("text: ")[2])
    }
    assert len(means) == 6 and max(means, key=means.get) == "ffn 1" and prediction("removed").answer == 1
    removed = SEEDS["0"]["removed"]
    assert all(f > a for f, a in zip(removed["ffn 1"], removed["attention 1"], strict=True))
    bits = SEEDS["0"]["bits"]["B"]
    assert (
        min(np.mean(removed[f"{part} 1"]) for part in ("attention", "ffn")) + bits > 5.5
    )  # "not far from even guessing"
    assert max(np.mean(removed[name]) for name in removed if name[-1] != "1") < 1
    told = {name: f"{means[name]:.1f}" for name in means}
    for block in (2, 3):
        assert (told[f"attention {block}"], told[f"ffn {block}"]) == ("0.3", "0.6")  # in the replies
    assert min(removed["attention 1"]) > 2 * max(max(removed[name]) for name in removed if name[-1] != "1")
    assert 6 < np.mean(removed["ffn 1"]) + SEEDS["0"]["bits"]["B"] < 7  # "not far from even guessing"


def test_agreement_rises_from_ffn_to_ffn_and_stays_small():
    found = {name: list(map(float, values)) for name, values in rows("run-9").items()}
    shares, mixed = zip(*found.values(), strict=True)
    assert shares[0] < shares[1] < shares[2] < 0.25 and max(mixed) < 0.05
    assert round(1 / shares[2]) == 5  # "one unit in five"


def test_a_unit_of_the_last_ffn_is_silent_where_it_is_zero():
    """Exactly, for the edit itself."""
    model, seen = language_model.trained(), {part: reading.of_part(part) for part in "AB"}
    w, bias = reading.unit_for(seen["A"].inputs[2], shared.where("A", seen["A"], "self"))
    edited = reading.with_unit(model, seen["B"], w, bias, 40 * shared.push(model, "i"))
    same = reading.with_unit(model, seen["B"], 0 * w, 0.0, 0 * w)
    silent = ~shared.where("B", seen["B"], "self")
    np.testing.assert_array_equal(edited.bits[silent], same.bits[silent])
    assert torch.get_default_dtype() == torch.float32


def test_dictionaries_have_more_names_than_units():
    shown = SHOWN["run-12-count"]
    assert all(
        f"{words}: True" in shown
        for words in ("more than twice as many", "still have none", "at most one feature has a name")
    )
    assert f"units with a name: {SEEDS['0']['named']['units'][1]} of 512" in shown
    ids = ("setup", "run-1-model", "run-1", "run-5", "run-5-count", "run-12", "run-12-count")
    names = run_cells(LESSON.notebook.removesuffix(".ipynb"), *ids)
    assert names["named"] == pytest.approx([22, 25, 20], abs=2) and "(22, 25 and 20 when measured" in WORDS
    x = names["x_b"]
    with torch.no_grad():
        left = (names["rebuilt"](names["dictionaries"].parameters, x) - x).square().sum(dim=(1, 2))
    shares = left / (x - x.mean(dim=0)).square().sum()
    assert shares.tolist() == pytest.approx([0.312, 0.312, 0.321], abs=0.005) and "31 or 32 % of the variance" in WORDS


def study_bits():
    return {name: np.array(list(one["bits"].values())) for name, one in language_model.study()["rows"].items()}


def test_the_table_of_the_study_is_what_was_measured():
    found, bits = rows("run-14"), study_bits()
    assert list(found) == [name for name in found if name in bits] and set(found) == set(bits)
    for name, (parameters, shown, *more) in found.items():
        mean, low, high = map(float, re.findall(r"[\d.]+", shown))
        assert (mean, low, high) == pytest.approx((bits[name].mean(), bits[name].min(), bits[name].max()), abs=6e-4)
        change = bits[name] - bits["ReLU ×4"]
        told = list(map(float, re.findall(r"[+-][\d.]+", "".join(more))))
        assert told == pytest.approx([change.mean(), change.min(), change.max()] if more else [], abs=6e-4)
        assert parameters == f"{language_model.study()['rows'][name]['parameters']:,}" and len(bits[name]) >= 3


def test_what_the_text_says_of_the_study():
    measured, bits = language_model.study(), study_bits()
    settings, means = measured["settings"], {name: values.mean() for name, values in bits.items()}
    assert (settings["blocks"], settings["d_model"], settings["window"], settings["steps"]) == (2, 64, 64, 1000)
    assert 1.9e6 < settings["steps"] * settings["windows_a_step"] * settings["window"] < 2.1e6  # "2 million characters"
    tried = settings["rates"]
    assert len(tried) == 4 and settings["seed_for_rates"] not in (0, 1, 2)
    for one in measured["rows"].values():  # "the best of four", and none is the lowest or the highest
        assert one["rate"] == min(tried, key=lambda rate: one["rates_tried"][str(rate)])
        assert tried[0] < one["rate"] < tried[-1]
    cost = means["no FFN"] - means["ReLU ×4"]
    assert 0.30 < cost < 0.36  # "a third of a bit"
    assert bits["linear ×4"].min() > bits["no FFN"].max()  # "ends a little worse"
    assert 0.55 < (means["no FFN"] - means["attention, wide"]) / cost < 0.65  # "three fifths"
    assert 0.2 < (means["no FFN"] - means["attention, deep"]) / cost < 0.3  # "a quarter"
    near = ("linear ×4", "attention, wide", "attention, deep")
    assert min(near, key=means.get) == "attention, wide" and prediction("swap").answer == "wider attention"
    seconds = {name: list(one["seconds"].values()) for name, one in measured["rows"].items()}
    assert min(seconds["attention, wide"] + seconds["attention, deep"]) > 1.4 * max(seconds["ReLU ×4"])
    assert bits["ReLU ×2"].max() < bits["attention, wide"].min()  # with fewer parameters
    ratio = measured["rows"]["ReLU ×2"]["parameters"] / measured["rows"]["attention, wide"]["parameters"]
    assert 0.7 < ratio < 0.74  # "28 % fewer"
    widths = [bits[f"ReLU ×{times}"] for times in (1, 2, 4, 8)]
    assert all(wide.max() < narrow.min() for narrow, wide in itertools.pairwise(widths))  # "better at every step"
    gelu, squared, gated, relu = (bits[name] for name in ("GELU ×4", "ReLU² ×4", "SwiGLU", "ReLU ×4"))
    assert max(gelu.min(), gated.min()) < min(gelu.max(), gated.max())  # "cannot be told apart"
    assert max(gelu.max(), gated.max()) < squared.min() < squared.max() < relu.min()  # "lies between"


@pytest.mark.parametrize("part", ["A", "B"])
def test_a_scale_for_fewer_weights_costs_less_on_both_parts(part):
    names = run_cells(LESSON.notebook.removesuffix(".ipynb"), "setup") | {"model": language_model.trained()}
    names |= {"part_b": excerpt(part, 8200), "seen_b": reading.of_part(part)}
    exec(next(cell.source for cell in code_cells(read(LESSON)) if cell.id == "run-15"), names)
    for text in (names["part_b"].text, names["part_b"].text[:1096]):  # "on all four texts that we tried"
        costs = [names["bits_more"](shape, text) for shape in ((1, -1), None, (-1, 32))]
        assert costs == sorted(costs, reverse=True)


def run_changed(ids, changes):
    """Run the setup and some cells with parts of their source exchanged, and return the names they leave."""
    cells = {cell.id: cell.source for cell in nbformat.read(NOTEBOOKS / LESSON.notebook, as_version=4).cells}
    source = "\n".join(cells[id] for id in ("setup", *ids))
    for old, new in changes.items():
        assert old in source
        source = source.replace(old, new)
    names = {}
    exec(source, names)
    return names


@pytest.mark.parametrize(("first", "seeds"), [(0, 3), (100, 20)])
def test_a_transcoder_skips_the_middle_step(first, seeds):
    changes = {
        "repeat_interleave(3": f"repeat_interleave({seeds}",
        "(transcode, 9": f"(transcode, {3 * seeds}, first_seed={first}",
        "split(3)": f"split({seeds})",
    }
    names = run_changed(("run-17-transcoder", "run-17-cut"), changes)
    coders, given = names["coders"], names["given"]
    off = (coders(given) - names["wanted"]).abs()
    assert off.max() < 0.15  # "right at all eight inputs"
    whole, middle_only, free = (one[:, -1, 1].numpy() for one in coders(names["without"]).split(seeds))
    assert whole.min() > 0.85 and whole.max() < 0.95  # "still gives 0.9"
    assert middle_only.round(1).min() >= 0 and middle_only.max() < 0.2  # "follows the change"
    assert free.min() > 0.05 and free.max() < 0.85 and 0.3 < free.mean() < 0.65  # "part of the way"
    W, b, V, _ = (one[:seeds] for one in coders.parameters[4:])
    assert (torch.relu(given @ W + b) @ V).abs().max() < 0.01  # the first layer writes it "by itself"
    skips, follows, _ = names["lengths"](given).view(3, seeds)
    assert skips.max() < follows.min()  # "L1 rewards this"
    if not first:
        assert rows("run-17-cut")["the first layer may write both values"][1] == "0.9 [0.9, 0.9]"
