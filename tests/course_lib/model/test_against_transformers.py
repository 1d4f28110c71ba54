"""Pieces of the FFN family against the layers of published models in the package transformers, with copied weights.

transformers is an extra for tests, so `make test` installs it. It is loaded where it is used: that takes some
seconds, which every process that collects the tests would pay.
"""

import pytest
import torch

from course_lib.model.experts import MixtureOfExperts
from tests.lessons.stored import run_cells

pytestmark = pytest.mark.model

# Both routers of transformers compute their weights in float32, whatever the dtype of the layer is.
CLOSE = {"rtol": 1e-5, "atol": 1e-6}
SHARED = "gate_proj", "up_proj", "down_proj"


def draw(layer, x_shape, seed):
    """Give a layer random weights, as transformers leaves some of them empty, and draw tokens."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return torch.randn(x_shape, generator=generator, dtype=torch.float64)


def with_the_weights_of(layer, d_ff, k, router):
    """Return the course's mixture with the weights of a layer of transformers, which stacks those of its experts."""
    up_and_gate, down = layer.experts.gate_up_proj, layer.experts.down_proj
    n_experts, d_model = down.shape[:2]
    ours = MixtureOfExperts(d_model, d_ff, n_experts, k, router=router, gated=True, activation="silu").double()
    with torch.no_grad():
        ours.router.weight.copy_(layer.gate.weight)
        for index, expert in enumerate(ours.experts):
            expert.gate.weight.copy_(up_and_gate[index, :d_ff])
            expert.up.weight.copy_(up_and_gate[index, d_ff:])
            expert.down.weight.copy_(down[index])
    return ours


@pytest.mark.parametrize("k", [1, 2, 4])
def test_equals_the_layer_of_mixtral(k):
    from transformers import MixtralConfig
    from transformers.models.mixtral.modeling_mixtral import MixtralSparseMoeBlock

    config = MixtralConfig(hidden_size=5, intermediate_size=7, num_local_experts=4, num_experts_per_tok=k)
    theirs = MixtralSparseMoeBlock(config).double().eval()
    x = draw(theirs, (2, 9, 5), seed=k)
    ours = with_the_weights_of(theirs, 7, k, "mixtral")
    torch.testing.assert_close(ours(x), theirs(x), **CLOSE)
    lesson = run_cells("09_bonus_experts", "setup", "run-1-gates", "run-3-loop")  # the loop that computes less
    rows = x.reshape(-1, 5)
    y = lesson["dispatch"](rows, *lesson["top_k"](ours.router(rows), k), ours.experts)
    torch.testing.assert_close(y.reshape(x.shape), theirs(x), **CLOSE)
    one = lesson["dispatch"](rows[:1], *lesson["top_k"](ours.router(rows[:1]), k), ours.experts)  # some get no row
    torch.testing.assert_close(one, y[:1], **CLOSE)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_equals_the_routed_experts_of_deepseek_v3(k):
    from transformers import DeepseekV3Config
    from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3MoE

    config = DeepseekV3Config(
        hidden_size=5, moe_intermediate_size=7, n_routed_experts=6, num_experts_per_tok=k, n_shared_experts=1,
        n_group=1, topk_group=1, norm_topk_prob=True, routed_scaling_factor=1.0,
    )  # fmt: skip
    theirs = DeepseekV3MoE(config).double().eval()
    x = draw(theirs, (2, 9, 5), seed=10 + k)
    bias = torch.randn(6, generator=torch.Generator().manual_seed(k), dtype=torch.float64)
    theirs.gate.e_score_correction_bias.copy_(bias)
    with torch.no_grad():
        for name in SHARED:  # the shared expert is silent: ours has none
            getattr(theirs.shared_experts, name).weight.zero_()
    ours = with_the_weights_of(theirs, 7, k, "deepseek")
    without_bias = ours(x)
    ours.choice_bias.copy_(bias)
    torch.testing.assert_close(ours(x), theirs(x), **CLOSE)
    assert not torch.allclose(without_bias, theirs(x), **CLOSE)
