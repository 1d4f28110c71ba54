"""The probes on models of the package transformers: tiny ones with random weights, never a trained one.

The package is loaded where it is used, for it takes seconds that every worker would spend.
"""

import builtins

import numpy as np
import pytest
import torch

from course_lib.model import outside

TEXT = "a b c d e f g a a b h"
SMALL = {"vocab_size": 9, "bos_token_id": 8, "eos_token_id": 8}


def tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({**{letter: code for code, letter in enumerate("abcdefgh")}, "?": 8}, "?"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=words, unk_token="?")


def gpt2(activation="gelu_new"):
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    config = GPT2Config(n_embd=12, n_layer=2, n_head=3, n_positions=8, activation_function=activation, **SMALL)
    return drawn(GPT2LMHeadModel(config))


def llama(activation="silu"):
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    sizes = {"hidden_size": 12, "intermediate_size": 20, "num_hidden_layers": 3, "num_attention_heads": 3}
    return drawn(LlamaForCausalLM(LlamaConfig(**sizes, hidden_act=activation, max_position_embeddings=8, **SMALL)))


def drawn(model):
    """Draw all weights anew: fresh biases are 0 and fresh gains 1, which would hide a fault."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(0.5 * torch.randn(parameter.shape) + 0.2)
    return model.eval()


MODELS = {"gpt2": gpt2, "llama": llama}


@pytest.fixture(params=MODELS)
def own(request):
    return outside.wrapped(MODELS[request.param](), tokenizer())


def ffns(own):
    found = own.model.transformer.h if own.centres else own.model.model.layers
    return [block.mlp for block in found]


def test_hidden_values_lead_to_what_the_ffn_returns(own):
    returned = []
    hooks = [mlp.register_forward_hook(lambda module, args, y: returned.append(y[0])) for mlp in ffns(own)]
    found = outside.hidden(own, TEXT)
    for hook in hooks:
        hook.remove()
    assert [h.shape for h in found] == [(8, len(writes)) for writes in own.writes]  # 8 positions, of 11 tokens
    for h, writes, y, mlp in zip(found, own.writes, returned, ffns(own), strict=True):
        bias = mlp.c_proj.bias if own.centres else 0
        torch.testing.assert_close(torch.from_numpy(h) @ writes + bias, y, rtol=1e-4, atol=1e-4)


def test_no_hook_stays(own):
    outside.hidden(own, TEXT)
    assert not any(down._forward_pre_hooks for down in own.downs)
    own.model.forward = None  # whatever is raised while reading
    with pytest.raises(TypeError):
        outside.hidden(own, TEXT)
    assert not any(down._forward_pre_hooks for down in own.downs)


def test_what_is_promoted_is_what_grows_when_the_unit_does(own):
    """Let a unit of the last FFN write much more, and see which logits grow, before the norm divides."""
    block, unit = len(own.writes), 5
    norm = own.model.transformer.ln_f if own.centres else own.model.model.norm
    stream = torch.randn(12, generator=torch.Generator().manual_seed(1))
    scale = []
    for size in (0.0, 1e-3):
        moved = stream + size * own.writes[-1][unit - 1]
        spread = (moved.var(unbiased=False) if own.centres else moved.square().mean()).sqrt()
        scale.append(own.model.lm_head(norm(moved) - (norm.bias if own.centres else 0)) * spread)
    most = (scale[1] - scale[0]).argsort(descending=True)[:4].tolist()
    wanted = [own.tokenizer.decode([code]) for code in most]
    assert outside.promoted(own, block, unit, 4) == wanted
    assert len(outside.promoted(own, 1, 1)) == 5


def test_a_folder_that_is_not_there_asks_no_server(tmp_path):
    for name in (tmp_path / "none", "gpt2"):
        with pytest.raises(FileNotFoundError, match="folder must be one on this computer, but there is none called"):
            outside.opened(name)
    with pytest.raises(TypeError, match="folder must be the path of a folder, but int 3"):
        outside.opened(3)


def test_without_the_package_one_sentence_says_so(tmp_path, monkeypatch):
    importing = builtins.__import__

    def without(name, *args, **options):
        if name == "transformers":
            raise ModuleNotFoundError(name)
        return importing(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match="run `%pip install transformers` in a new cell"):
        outside.opened(tmp_path)


def gemma():
    from transformers import GemmaConfig, GemmaForCausalLM

    sizes = {"hidden_size": 12, "intermediate_size": 20, "num_hidden_layers": 1, "num_attention_heads": 3}
    return GemmaForCausalLM(GemmaConfig(**sizes, num_key_value_heads=3, head_dim=4, vocab_size=9))


def headless():
    from transformers import GPT2Config, GPT2Model

    return GPT2Model(GPT2Config(n_embd=12, n_layer=1, n_head=3, n_positions=8, **SMALL))


@pytest.mark.parametrize(
    ("make", "given"),
    [
        (gemma, "a gemma"),
        (headless, "a gpt2"),
        (lambda: torch.nn.Linear(2, 2), "Linear"),
        (lambda: "gpt2", "str 'gpt2'"),
    ],
)
def test_another_model_is_refused(make, given):
    """Gemma is built like Llama, but its norms multiply by 1 + gain."""
    with pytest.raises(TypeError, match=f"model must be a GPT-2 or a Llama that predicts tokens, but {given}"):
        outside.wrapped(make(), tokenizer())
