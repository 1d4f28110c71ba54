"""Wrong ways to use a hook: each gets its own sentence, at several seeds, and no hook outlives a check."""

import numpy as np
import pytest
import torch

from course_lib.desk import grade
from lessons import catalogue

READ, EDIT = "build_microscope.hidden_values", "build_microscope.side_effects"
EARLIER = []  # the list of somebody who made it outside the function


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


def keep_and_return(found, module, inputs, output):
    found.append(inputs[0][0])
    return inputs[0]


def hook_in_the_loop(model, ffn, pieces):
    found = []
    with torch.no_grad():
        for codes in pieces:
            handle = ffn.down.register_forward_hook(lambda module, inputs, output: found.append(inputs[0][0]))
            model(codes)
    handle.remove()
    return torch.cat(found)


def registered_twice(model, ffn, pieces):
    found = []
    first = ffn.down.register_forward_hook(lambda module, inputs, output: found.append(inputs[0][0]))
    second = ffn.down.register_forward_hook(lambda module, inputs, output: found.append(inputs[0][0]))
    with torch.no_grad():
        for codes in pieces:
            model(codes)
    first.remove()
    second.remove()
    return torch.cat(found)


def list_outside(model, ffn, pieces):
    handle = ffn.down.register_forward_hook(lambda module, inputs, output: EARLIER.append(inputs[0][0]))
    with torch.no_grad():
        for codes in pieces:
            model(codes)
    handle.remove()
    return torch.cat(EARLIER)


def hook_on_the_activation(model, ffn, pieces):
    return ffn.activation.register_forward_hook(print)


def hook_with_two_arguments(model, ffn, pieces):
    ffn.down.register_forward_hook(lambda module, inputs: None)
    return model(pieces[0])


def hook_with_one_argument(model, ffn, pieces):
    ffn.down.register_forward_hook(lambda inputs: None)
    return model(pieces[0])


def pre_hook_with_three(model, ffn, pieces):
    def keep(module, inputs, output):
        pass

    ffn.down.register_forward_pre_hook(keep)
    return model(pieces[0])


def hook_after_the_loop(model, ffn, pieces):
    found = []
    for codes in pieces:
        model(codes)
    ffn.down.register_forward_hook(lambda module, inputs, output: found.append(inputs[0][0])).remove()
    return torch.cat(found)


READS = {
    "hook after the loop": (hook_after_the_loop, "raises", "Your list is still empty"),
    "output of down": (reading(kept(lambda inputs, output: output[0])), "shape", "These are the outputs of `down`"),
    "hook on the ffn": (reading(kept(rows), layer=lambda ffn: ffn), "shape", "These are the inputs of the FFN"),
    "input of up": (reading(kept(rows), layer=lambda ffn: ffn.up), "shape", "These are the inputs of the FFN"),
    "last piece": (reading(kept(rows), lambda found: found[-1]), "shape", "the last piece alone"),
    "first piece": (reading(kept(rows), lambda found: found[0]), "shape", "the first piece alone"),
    "batch axis": (
        reading(kept(lambda inputs, output: inputs[0]), lambda found: torch.cat(found, dim=1)),
        "shape",
        "The values are right, but the batch axis is still in front",
    ),
    "batch axis in the way": (reading(kept(lambda inputs, output: inputs[0])), "raises", "still has the batch axis"),
    "tuple": (reading(kept(lambda inputs, output: inputs)), "raises", "`inputs` is a tuple"),
    "tuples returned": (reading(kept(lambda inputs, output: inputs), list), "type", "You return the tuples"),
    "detach of a tuple": (reading(kept(lambda inputs, output: inputs.detach())), "raises", "`inputs` is a tuple"),
    "list": (reading(kept(rows), list), "type", "Join the pieces with torch.cat"),
    "mean": (reading(kept(rows), lambda found: torch.cat(found).mean(dim=0)), "shape", "You averaged"),
    "returns the hidden values": (reading(keep_and_return), "raises", "takes the place of the module's output"),
    "hook stays": (reading(kept(rows), remove=False), "value", "your hook is still on the model"),
    "graph": (reading(kept(rows), grad=True), "value", "still carries the graph"),
    "hook in the loop": (hook_in_the_loop, "shape", "you register a hook for every piece"),
    "two hooks": (registered_twice, "shape", "Every piece stands here twice"),
    "list outside": (list_outside, "shape", "come from an earlier call"),
    "activation": (hook_on_the_activation, "raises", "only a module takes a hook"),
    "two arguments": (hook_with_two_arguments, "raises", "called with three things"),
    "one argument": (hook_with_one_argument, "raises", "called with three things"),
    "pre-hook": (pre_hook_with_three, "raises", "runs before its module"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", READS)
def test_each_way_to_read_wrongly_has_its_sentence(name):
    answer, key, words = READS[name]
    for seed in (0, 1, 2):
        EARLIER.clear()
        verdict = grade(READ, answer, seed)
        assert verdict.key == key and words in verdict.message, verdict
        others = [other for one, (_, _, other) in READS.items() if other != words and one != name]
        assert [other for other in others if other in verdict.message] == []


def editing(change, remove=True):
    """Make an answer with a pre-hook: change(h, unit) -> what the hook returns."""

    def side_effects(model, ffn, codes, following, unit, here):
        def bits():
            with torch.no_grad():
                logs = torch.log_softmax(model(codes)[0], dim=-1)
            return -logs[torch.arange(len(following)), following] / np.log(2)

        before = bits()
        handle = ffn.down.register_forward_pre_hook(lambda module, inputs: change(inputs[0], unit))
        more = bits() - before
        if remove:
            handle.remove()
        return more[here].mean().item(), more[~here].mean().item()

    return side_effects


def silent(h, unit):
    h = h.clone()
    h[..., unit] = 0
    return (h,)


def forgotten(h, unit):
    h = h.clone()
    h[..., unit] = 0


def column_set_to_zero(model, ffn, codes, following, unit, here):
    with torch.no_grad():
        before = torch.log_softmax(model(codes)[0], dim=-1)[torch.arange(len(following)), following]
        ffn.down.weight[:, unit] = 0
        after = torch.log_softmax(model(codes)[0], dim=-1)[torch.arange(len(following)), following]
    more = (before - after) / np.log(2)
    return more[here].mean().item(), more[~here].mean().item()


EDITS = {
    "right": (editing(silent), "correct", "as they were"),
    "hook stays": (editing(silent, remove=False), "value", "your hook is still on the model"),
    "no return": (editing(forgotten), "mistake:nothing-changes", "must return it"),
    "weights": (column_set_to_zero, "value", "changes the weights of the model"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", EDITS)
def test_each_way_to_edit_wrongly_has_its_sentence(name):
    answer, key, words = EDITS[name]
    for seed in (0, 1, 2):
        verdict = grade(EDIT, answer, seed)
        assert verdict.key == key and words in verdict.message, verdict


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
