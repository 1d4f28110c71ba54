"""What the build claims in words, held against other computations."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from course_lib.desk import grade
from course_lib.model import contexts, language_model, reading, real
from course_lib.model.excerpts import excerpt
from lessons import catalogue
from lessons.build_microscope import LESSON, solutions
from tests.lessons.cells import code_cells, read
from tests.lessons.stored import plain_outputs

SHOWN = plain_outputs(LESSON.notebook.removesuffix(".ipynb"))


def prediction(name):
    return catalogue.item(f"build_microscope.predict_{name}")


def test_a_cell_that_is_run_twice():
    assert re.search(r"entries in the list: (\d)", SHOWN["run-1-twice"])[1] == str(prediction("twice").answer)


@pytest.mark.model
def test_the_same_function_reads_a_real_model():
    smol = real.open_model()
    codes, down = smol.codes("The river reached the bank."), smol.layers[8].mlp.down_proj
    h = solutions.hidden_values(smol.model, SimpleNamespace(down=down), [codes])
    with real.watching(down) as kept:
        smol.rows(codes)
    assert np.allclose(h.numpy(), kept[0][0], atol=1e-4) and not down._forward_hooks


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
