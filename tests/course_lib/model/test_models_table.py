"""The table of models against the package transformers: its classes, built from a row, have as many parameters.

The models are built without memory for their weights. Where the defaults of a configuration class are those of a model
of the table, they are compared with its row too. A class is a source for the code of a family; a row says in `source`
where the sizes of the released model were read.
"""

import pytest
import torch

from course_lib.model.accounting import total_parameters
from course_lib.model.published import published_models

pytestmark = pytest.mark.model

ROWS = {model.name: model for model in published_models()}
NO_CLASS = {"Transformer base", "Transformer big", "PaLM 540B"}  # transformers has none of these


def usual(row):
    """Return the arguments that most configurations share."""
    return {
        "hidden_size": row.d_model,
        "intermediate_size": row.d_ff,
        "num_hidden_layers": row.n_layers,
        "num_attention_heads": row.n_heads,
        "num_key_value_heads": row.n_kv_heads,
        "head_dim": row.head_dim,
        "vocab_size": row.vocab,
        "tie_word_embeddings": row.tied_embeddings,
    }


def gpt2(row):
    return {
        "n_embd": row.d_model,
        "n_inner": row.d_ff,
        "n_layer": row.n_layers,
        "n_head": row.n_heads,
        "vocab_size": row.vocab,
        "n_positions": row.learned_positions,
    }


def opt(row):
    return {
        "hidden_size": row.d_model,
        "word_embed_proj_dim": row.d_model,
        "ffn_dim": row.d_ff,
        "num_hidden_layers": row.n_layers,
        "num_attention_heads": row.n_heads,
        "vocab_size": row.vocab,
        "max_position_embeddings": row.learned_positions - 2,  # its table has two rows more
    }


def bloom(row):
    return {"hidden_size": row.d_model, "n_layer": row.n_layers, "n_head": row.n_heads, "vocab_size": row.vocab}


def t5(row):
    return {
        "d_model": row.d_model,
        "d_ff": row.d_ff,
        "num_layers": row.encoder_layers,
        "num_decoder_layers": row.decoder_layers,
        "num_heads": row.n_heads,
        "d_kv": row.head_dim,
        "vocab_size": row.vocab,
        "relative_attention_num_buckets": row.relative_buckets,
    }


def without_head_dim(row):
    return {name: value for name, value in usual(row).items() if name != "head_dim"}


def mixture(row):
    return usual(row) | {"num_local_experts": row.experts, "num_experts_per_tok": row.experts_per_token}


def qwen3_mixture(row):
    return usual(row) | {
        "moe_intermediate_size": row.d_ff,
        "num_experts": row.experts,
        "num_experts_per_tok": row.experts_per_token,
    }


def deepseek(row):
    return without_head_dim(row) | {
        "intermediate_size": row.dense_d_ff,
        "moe_intermediate_size": row.d_ff,
        "n_routed_experts": row.experts,
        "n_shared_experts": row.shared_experts,
        "num_experts_per_tok": row.experts_per_token,
        "first_k_dense_replace": row.dense_layers,
        "q_lora_rank": row.query_rank,
        "kv_lora_rank": row.key_value_rank,
        "qk_rope_head_dim": row.rope_dim,
    }


def gemma4(row):
    experts = {
        "enable_moe_block": True,
        "num_experts": row.experts,
        "top_k_experts": row.experts_per_token,
        "moe_intermediate_size": row.d_ff,
        "intermediate_size": row.shared_experts * row.d_ff,
    }
    others = {
        "global_head_dim": row.global_head_dim,
        "num_global_key_value_heads": row.global_kv_heads,
        "attention_k_eq_v": True,
        "hidden_size_per_layer_input": 0,
    }
    return usual(row) | others | (experts if row.experts else {})


# How a row's name begins -> the classes of configuration and model, and what the row gives to the configuration.
CLASSES = {
    "BERT": ("BertConfig", "BertModel", without_head_dim),
    "GPT-": ("GPT2Config", "GPT2LMHeadModel", gpt2),
    "OPT": ("OPTConfig", "OPTForCausalLM", opt),
    "BLOOM": ("BloomConfig", "BloomForCausalLM", bloom),
    "Pythia": ("GPTNeoXConfig", "GPTNeoXForCausalLM", without_head_dim),
    "Nemotron": ("NemotronConfig", "NemotronForCausalLM", without_head_dim),
    "T5": ("T5Config", "T5ForConditionalGeneration", t5),
    "LLaMA": ("LlamaConfig", "LlamaForCausalLM", usual),
    "Llama": ("LlamaConfig", "LlamaForCausalLM", usual),
    "Mistral": ("MistralConfig", "MistralForCausalLM", usual),
    "Qwen2.5": ("Qwen2Config", "Qwen2ForCausalLM", without_head_dim),
    "Qwen3-32B": ("Qwen3Config", "Qwen3ForCausalLM", usual),
    "Qwen3-235B": ("Qwen3MoeConfig", "Qwen3MoeForCausalLM", qwen3_mixture),
    "OLMo-3": ("Olmo3Config", "Olmo3ForCausalLM", without_head_dim),
    "Gemma-2B": ("GemmaConfig", "GemmaForCausalLM", usual),
    "Gemma-7B": ("GemmaConfig", "GemmaForCausalLM", usual),
    "Gemma-3": ("Gemma3TextConfig", "Gemma3ForCausalLM", usual),
    "Gemma-4": ("Gemma4TextConfig", "Gemma4ForCausalLM", gemma4),
    "Mixtral": ("MixtralConfig", "MixtralForCausalLM", mixture),
    "DeepSeek-V3": ("DeepseekV3Config", "DeepseekV3ForCausalLM", deepseek),
    "gpt-oss": ("GptOssConfig", "GptOssForCausalLM", mixture),
}
DEFAULTS = (  # models whose sizes are the defaults of their class
    "BERT-base",
    "GPT-2 small",
    "LLaMA-7B",
    "Mistral-7B",
    "Gemma-7B",
    "Mixtral 8x7B",
    "DeepSeek-V3",
    "gpt-oss-120b",
)


def classes(name):
    return next((found for beginning, found in CLASSES.items() if name.startswith(beginning)), None)


def parameters(row) -> int:
    """Return how many parameters the row's class of transformers has, with the biases that choose experts."""
    import transformers

    config, model, arguments = classes(row.name)
    with torch.device("meta"):
        built = getattr(transformers, model)(getattr(transformers, config)(**arguments(row)))
    biases = (buffer for name, buffer in built.named_buffers() if name.endswith("e_score_correction_bias"))
    return sum(one.numel() for one in (*built.parameters(), *biases))


def test_every_row_has_a_class_or_is_known_to_have_none():
    assert {name for name in ROWS if classes(name) is None} == NO_CLASS


@pytest.mark.parametrize("name", [name for name in ROWS if classes(name)])
def test_a_class_built_from_the_row_has_its_parameters(name):
    assert parameters(ROWS[name]) == ROWS[name].exact_total == total_parameters(ROWS[name])


@pytest.mark.parametrize("name", DEFAULTS)
def test_the_defaults_of_a_class_are_the_row(name):
    import transformers

    config, _, arguments = classes(name)
    theirs, row = getattr(transformers, config)(), arguments(ROWS[name])
    known = {key: value for key in row if (value := getattr(theirs, key, None)) is not None}  # None: it follows
    assert len(known) >= 5 and known == {key: row[key] for key in known}
