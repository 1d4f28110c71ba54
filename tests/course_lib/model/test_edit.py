"""An edited weight gives what was asked, leaves alone what the key does not touch, and says where it cannot."""

import pytest
import torch

from course_lib.model import edit

DRAWN = torch.Generator().manual_seed(0)


def drawn(*shape):
    return torch.randn(*shape, generator=DRAWN, dtype=torch.float64)


@pytest.mark.parametrize("bias", [None, drawn(3)])
def test_the_input_gets_what_is_wanted_and_others_move_by_their_product_with_the_key(bias):
    weight, h, key, wanted, other = drawn(5, 3), drawn(5), drawn(5), drawn(3), drawn(5)
    before, shift = weight.clone(), 0 if bias is None else bias
    after = edit.rank_one(weight, bias, h, key, wanted)
    assert torch.equal(weight, before) and torch.linalg.matrix_rank(after - weight) == 1
    assert torch.allclose(h @ after + shift, wanted)
    moved = (key @ other) / (key @ h) * (wanted - (h @ weight + shift))
    assert torch.allclose(other @ after - other @ weight, moved)


def test_one_unit_changes_its_own_row_and_a_silent_one_cannot():
    weight, h = drawn(5, 3), torch.tensor([0.0, 1, 0, 2, 0], dtype=torch.float64)
    units = torch.eye(5, dtype=torch.float64)
    after = edit.rank_one(weight, None, h, units[3], drawn(3))
    assert (after != weight).any(dim=1).tolist() == [False, False, False, True, False]
    for key, value in ((units[0], h), (h, 0 * h)):
        with pytest.raises(ValueError, match="key · h must not be 0"):
            edit.rank_one(weight, None, value, key, drawn(3))
