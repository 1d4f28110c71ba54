"""Pieces of the FFN family against the layers of published models in the package transformers, with copied weights.

transformers is an extra for tests, so `make test` installs it. It is loaded where it is used: that takes some
seconds, which every process that collects the tests would pay.
"""

import pytest
import torch

from course_lib.model.block import EncoderBlock
from course_lib.model.experts import MixtureOfExperts
from course_lib.model.ffn import GatedFeedForward
from tests.lessons.stored import run_cells

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


@pytest.mark.parametrize("seed", range(3))
def test_equals_the_network_of_gemma_3n(seed):
    """Without its cut of small gates, it is the GELU-gated network; with the cut it is another."""
    from transformers import Gemma3nTextConfig
    from transformers.models.gemma3n.modeling_gemma3n import Gemma3nTextMLP

    config = Gemma3nTextConfig(
        hidden_size=8, intermediate_size=[7, 7], num_hidden_layers=2, activation_sparsity_pattern=[0.0, 0.95],
        num_kv_shared_layers=0,
    )  # fmt: skip
    theirs, cut = (Gemma3nTextMLP(config, layer).double() for layer in (0, 1))
    x = draw(theirs, (2, 9, 8), seed=30 + seed)
    cut.load_state_dict(theirs.state_dict())
    ours = GatedFeedForward(8, 7, activation="gelu_tanh").double()
    with torch.no_grad():
        for name in SHARED:
            getattr(ours, name.partition("_")[0]).weight.copy_(getattr(theirs, name).weight)
    torch.testing.assert_close(ours(x), theirs(x), **CLOSE)
    assert not torch.allclose(ours(x), cut(x), **CLOSE)


@pytest.mark.parametrize("seed", range(3))
def test_a_block_of_gpt_j_adds_attention_and_ffn_of_one_norm(seed):
    """With its attention taken as it is, the block is x + attention(norm(x)) + FFN(norm(x)), with our FFN."""
    from transformers import GPTJConfig
    from transformers.models.gptj.modeling_gptj import GPTJBlock

    config = GPTJConfig(
        n_embd=8, n_head=2, rotary_dim=4, n_positions=16, attn_pdrop=0.0, resid_pdrop=0.0, attn_implementation="eager"
    )
    theirs = GPTJBlock(config, 0).double().eval()
    x = draw(theirs, (2, 9, 8), seed=40 + seed)
    places = torch.arange(9)[None]
    ours = EncoderBlock(8, 2, 32, activation="gelu_tanh", norm_first=True).double().eval()
    with torch.no_grad():
        ours.norm1.load_state_dict(theirs.ln_1.state_dict())
        ours.ffn.up.load_state_dict(theirs.mlp.fc_in.state_dict())
        ours.ffn.down.load_state_dict(theirs.mlp.fc_out.state_dict())
    read = ours.norm1(x)
    attended = theirs.attn(read, position_ids=places)[0]
    output = theirs(x, position_ids=places)[0]
    torch.testing.assert_close(x + attended + ours.ffn(read), output, **CLOSE)
    serial = x + attended
    assert not torch.allclose(serial + ours.ffn(ours.norm1(serial)), output, **CLOSE)
