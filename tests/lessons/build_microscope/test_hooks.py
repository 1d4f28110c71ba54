"""What a hook leaves changed is named, and no hook outlives a check."""

import numpy as np
import pytest
import torch

from course_lib.desk import grade
from lessons import catalogue

READ, EDIT = "build_microscope.hidden_values", "build_microscope.side_effects"


def reading(keep, join=torch.cat, layer=lambda ffn: ffn.down, remove=True, grad=False):
    """Make an answer that goes wrong in one step: keep(found, module, inputs, output), then join(found)."""

    def hidden_values(model, ffn, pieces):
        found = []
        handle = layer(ffn).register_forward_hook(lambda module, inputs, output: keep(found, module, inputs, output))
        with torch.set_grad_enabled(grad):
            for codes in pieces:
                model(codes)
        if remove:
            handle.remove()
        return join(found)

    return hidden_values


def kept(value):
    """Make a hook that keeps what a function of inputs and output gives."""
    return lambda found, module, inputs, output: found.append(value(inputs, output))


def rows(inputs, output):
    return inputs[0][0]


def frozen(model, ffn, pieces):
    model.requires_grad_(False)


def cleared(model, ffn, pieces):
    ffn.down._forward_hooks.clear()


def patched(model, ffn, pieces):
    forward = ffn.down.forward
    ffn.down.forward = lambda x: forward(x)


def trained(model, ffn, pieces):
    with torch.enable_grad():
        model(pieces[0]).sum().backward()


def changed(model, ffn, pieces):
    with torch.no_grad():
        ffn.up.weight.zero_()


LEFT = {
    "frozen": (frozen, "leaves weights frozen"),
    "in eval mode": (lambda model, ffn, pieces: model.eval(), "switches the model to eval mode"),
    "without the hooks of others": (cleared, "takes away hooks that others have"),
    "with another method": (patched, "replaces a part or a method"),
    "with gradients": (trained, "leaves gradients on the weights"),
    "with other weights": (changed, "changes the weights of the model"),
    "with gradients off": (lambda *_: torch.set_grad_enabled(False), "switches gradients off"),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_changed_is_named(name):
    leave, words = LEFT[name]

    def hidden_values(model, ffn, pieces):
        found = reading(kept(rows))(model, ffn, pieces)
        leave(model, ffn, pieces)
        return found

    verdict = grade(READ, hidden_values, 0)
    assert verdict.key == "value" and words in verdict.message, verdict


def test_what_is_put_back_is_no_change():
    def hidden_values(model, ffn, pieces):
        model.eval()
        frozen(model, ffn, pieces)
        found = reading(kept(rows))(model, ffn, pieces)
        model.train().requires_grad_()
        return found

    assert grade(READ, hidden_values, 0).key == "correct"


def test_no_change_outlives_a_check():
    """Cases are kept between two tries of a search, so a hook that stays would be met by the next one."""
    exercise = catalogue.item(READ)
    (case, *_) = exercise.cases(np.random.default_rng(0))
    with pytest.raises(Exception, match="your hook is still on the model"):
        exercise.run(reading(kept(rows), remove=False), case)
    assert not case.args[1].down._forward_hooks
