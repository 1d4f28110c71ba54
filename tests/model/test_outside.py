"""The probes on models of the package transformers: tiny ones with random weights, never a trained one.

The package is loaded where it is used, for it takes seconds that every worker would spend.
"""

import builtins
import dataclasses

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


def test_units_needed_one_by_one(own):
    found = outside.units_needed(own, TEXT, 0.8)
    for h, writes, median in zip(outside.hidden(own, TEXT), own.writes, found, strict=True):
        counts = []
        for row in h:
            lengths = sorted(np.linalg.norm(row[:, None] * writes.numpy(), axis=1), reverse=True)
            counts.append(next(n for n in range(1, len(row) + 1) if sum(lengths[:n]) >= 0.8 * sum(lengths) - 1e-6))
        assert median == np.median(counts) and 1 < median < len(writes)
    assert all(few <= most for few, most in zip(found, outside.units_needed(own, TEXT, 0.95), strict=True))


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


@pytest.mark.parametrize(("make", "activation"), [(gpt2, "relu"), (llama, "relu"), (llama, "relu2")])
def test_zeros_are_counted_where_there_are_some(make, activation):
    own = outside.wrapped(make(activation), tokenizer())
    shares = outside.zero_shares(own, TEXT)
    assert shares == [(h == 0).mean() for h in outside.hidden(own, TEXT)]
    assert all(0.05 < share < 0.95 for share in shares)


def test_zeros_are_not_counted_where_the_activation_has_none(own):
    with pytest.raises(ValueError, match=f"own has FFNs with the activation '{own.activation}', which is 0 at single"):
        outside.zero_shares(own, TEXT)


@pytest.mark.parametrize("make", MODELS.values())
def test_a_model_is_opened_from_its_folder(make, tmp_path):
    model = make()
    model.save_pretrained(tmp_path)
    tokenizer().save_pretrained(tmp_path)
    for folder in (tmp_path, str(tmp_path)):
        own = outside.opened(folder)
        same = outside.wrapped(model, tokenizer())
        for one, other in zip(outside.hidden(own, TEXT), outside.hidden(same, TEXT), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5)
    assert not own.model.training and not any(parameter.requires_grad for parameter in own.model.parameters())


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


@pytest.mark.parametrize(
    ("probe", "error", "words"),
    [
        (lambda own: outside.hidden(own.model, TEXT), TypeError, "own must be what `opened` returns, but"),
        (lambda own: outside.hidden(own, 3), TypeError, "text must be a string, but int 3"),
        (lambda own: outside.hidden(own, ""), ValueError, "text must hold at least one token"),
        (lambda own: outside.zero_shares(None, TEXT), TypeError, "own must be what `opened` returns, but NoneType"),
        (lambda own: outside.units_needed(own, TEXT, 0), ValueError, r"share must be a number in \(0, 1\]"),
        (lambda own: outside.promoted(own, 0, 1), ValueError, "block must be an integer from 1 to"),
        (lambda own: outside.promoted(own, 9, 1), ValueError, "block must be an integer from 1 to"),
        (lambda own: outside.promoted(own, 1, 49), ValueError, "unit must be an integer from 1 to"),
        (lambda own: outside.promoted(own, 1, 1, 0), ValueError, "count must be an integer of at least 1"),
        (lambda own: outside.promoted(dataclasses.asdict, 1, 1), TypeError, "own must be what `opened` returns"),
    ],
)
def test_wrong_arguments(own, probe, error, words):
    with pytest.raises(error, match=words):
        probe(own)
