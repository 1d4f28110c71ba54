"""What the build claims in words, held against its stored outputs and other computations."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from course_lib.desk import grade
from course_lib.model import contexts, language_model, outside, reading
from course_lib.model.excerpts import excerpt
from lessons import catalogue
from lessons.build_microscope import LESSON, solutions
from tests.conftest import NOTEBOOKS
from tests.lessons.cells import code_cells, read
from tests.lessons.stored import plain_outputs
from tests.model.test_outside import MODELS, TEXT, tokenizer

SHOWN = plain_outputs(LESSON.notebook.removesuffix(".ipynb"))
WORDS = " ".join(NOTEBOOKS.joinpath(LESSON.notebook).read_text(encoding="utf-8").split())


def prediction(name):
    return catalogue.item(f"build_microscope.predict_{name}")


def test_units_have_the_numbers_and_names_of_lesson_10():
    shown = plain_outputs("10_inside_a_language_model")
    named = dict(re.findall(r"(FFN \d, unit \d+)  +(\S.*?)  +", shown["run-5-count"]))
    said = dict(re.findall(r"(FFN \d, unit \d+): (.+?)  +", SHOWN["run-4"]))
    assert len(said) == 3 and said.items() <= named.items()
    painted = dict.fromkeys(re.findall(r": (FFN \d, unit \d+) \d", shown["run-4-paint"]))
    assert set(list(said)[1:]) < set(painted)  # with a number from 0 there, and from 1 here, none would be in both
    assert "Unit 356 of FFN 1 was named “.” in lesson 10" in WORDS
    assert set(re.findall(r"(FFN \d, unit \d+):", plain_outputs("11_review")["claims-4-zeros"])) < set(said)


def test_a_cell_that_is_run_twice():
    assert re.search(r"entries in the list: (\d)", SHOWN["run-1-twice"])[1] == str(prediction("twice").answer)


def test_the_windows_agree_and_most_firings_do_not():
    seen, part = reading.of_part("B"), excerpt("B", reading.LENGTH)
    values = seen.hidden[2][:, 399]
    named = contexts.ends_with(part.text, "self.")[seen.places]
    top = np.argsort(-values)[:8]
    assert named[top].all()  # "All eight end in the same five characters"
    assert (values > 0).sum() == 1306 and "1,306 of the 8,128 characters" in WORDS
    assert prediction("share").answer == pytest.approx(named[values > 0].mean(), abs=5e-4)
    assert (values[named] > 0).all()  # "it misses none"


def test_luck_explains_one_name_and_not_the_other():
    first, second = re.findall(r"F1 (0\.\d\d), as good by chance (0\.\d\d)", SHOWN["run-3"])
    assert first == ("0.50", f"{prediction('chance').answer:.2f}") and second[0] == "0.36"
    seen, every = reading.of_part("B"), contexts.contexts(excerpt("B", reading.LENGTH))
    directions = np.random.default_rng(1).normal(size=(400, 128))  # others than those of the lesson
    for number, unit, name, low, high in ((3, 462, "in a docstring", 0.2, 0.45), (2, 374, "after 'self'", 0, 0.02)):
        x, h = seen.inputs[number - 1], seen.hidden[number - 1][:, unit]
        share = solutions.by_chance(x, h, every[name][seen.places], directions)
        assert low <= share < high, name
    docstrings, h = every["in a docstring"][seen.places], seen.hidden[2][:, 462]
    assert round(100 * (h > 0).mean()) == 52 and round(100 * docstrings.mean()) == 42


def test_side_effects():
    numbers = [int(one) for one in re.findall(r"([+-]\d+) bits", SHOWN["run-4"])]
    (dot, dot_else), (capital, capital_else), (quotes, quotes_else) = zip(numbers[::2], numbers[1::2], strict=True)
    assert 0.25 < dot_else / (dot + dot_else) < 0.35 and prediction("elsewhere").answer == "about 30 %"
    assert capital > 0 > capital_else and abs(quotes_else) <= 1 < quotes


@pytest.mark.parametrize("name", MODELS)
def test_the_same_function_reads_other_models(name):
    own = outside.wrapped(MODELS[name](), tokenizer())
    tokens = torch.tensor([own.tokenizer(TEXT)["input_ids"][:8]])
    for down, wanted in zip(own.downs, outside.hidden(own, TEXT), strict=True):
        h = solutions.hidden_values(own.model, SimpleNamespace(down=down), [tokens])
        assert np.allclose(h.numpy(), wanted, atol=1e-6)
        assert not down._forward_hooks


def test_a_kept_microscope_looks_at_the_text_and_leaves_the_cells_after_it_alone(capsys):
    """Run what comes after keeping, with the worked functions in place of the kept file."""
    cells = {cell.id: cell.source for cell in code_cells(read(LESSON))}
    scope = {"np": np, "torch": torch, "mine": solutions, "model": language_model.trained()}
    scope |= {"contexts": contexts, "language_model": language_model, "reading": reading}
    scope |= {"part_b": excerpt("B", reading.LENGTH), "seen_b": reading.of_part("B")}
    scope["directions"] = np.random.default_rng(0).normal(size=(1000, 128)).astype(np.float32)
    for id in ("run-1", "run-5-own", "run-5-look", "run-6-windows"):
        exec(cells[id], scope)
    said = capsys.readouterr().out
    assert "the same as reading.of_part, to 1e-4: True" in said
    assert re.search(r"fires at [1-9]\d* of 143 characters", said)

    own = reading.read(scope["model"], scope["my_text"])
    here = contexts.ends_with(scope["my_text"], scope["name"])[own.places]
    fits = [[contexts.f1(h > 0, here) for h in hidden.T] for hidden in own.hidden]
    assert np.size(fits) == 1536  # "no other of the 1,536 fits better"
    assert fits[scope["number"] - 1][scope["unit"]] == np.max(fits)


@pytest.mark.parametrize(
    ("places", "says"),
    [
        (lambda h, width: np.arange(len(h)), "no full window"),
        (lambda h, width: np.arange(width, len(h)), "place width − 1 has a full window"),
        (lambda h, width: np.flatnonzero((h > 0) & (np.arange(len(h)) >= width - 1)), "where all values are negative"),
    ],
)
def test_the_places_that_count_are_told(places, says):
    def strongest_contexts(h, codes, k, width):
        ends = places(h, width)
        return np.array([codes[end - width + 1 : end + 1] for end in ends[np.argsort(-h[ends])[:k]]])

    assert says in grade("build_microscope.strongest_contexts", strongest_contexts, 0).message


@pytest.mark.parametrize("whole", [True, False], ids=["tensor", "tuple"])
def test_a_forward_hook_that_replaces_an_output_is_sent_to_the_inputs(whole):
    def side_effects(model, ffn, codes, following, unit, here):
        ffn.down.register_forward_hook(lambda module, inputs, output: inputs[0] if whole else inputs)
        return model(codes)

    message = grade("build_microscope.side_effects", side_effects, 0).message
    assert "takes the place of the module's output. To change what `down` gets" in message


@pytest.mark.parametrize("given", [lambda inputs, output: inputs[0], lambda inputs, output: output[0]])
def test_a_hook_that_returns_something_does_not_pass(given):
    def hidden_values(model, ffn, pieces):
        found = []

        def listen(module, inputs, output):
            found.append(inputs[0][0])
            return given(inputs, output)

        handle = ffn.down.register_forward_hook(listen)
        with torch.no_grad():
            for codes in pieces:
                model(codes)
        handle.remove()
        return torch.cat(found)

    assert (
        "Keep the values in a list, and return nothing."
        in grade("build_microscope.hidden_values", hidden_values, 0).message
    )
