"""Parameters and operations: in closed form, counted on a module, and for published models.

One parameter is one number that training adjusts. One multiply–add is one multiplication and one addition (two
floating-point operations). Every function returns exact whole numbers unless it says otherwise.
"""

from course_lib.model.published import PublishedModel as PublishedModel
from course_lib.model.published import published_models as published_models
from courseware import arguments

# How many parameters has a part?


def ffn_parameters(d_model: int, d_ff: int, bias: bool = True) -> int:
    """Return 2 · d_model · d_ff, plus d_ff + d_model with biases (counted from Vaswani et al. 2017, eq. 2).

    Raises:
        TypeError, ValueError: a size is not a whole number of at least 1, or bias is not True or False (the same
            holds for every function of this module).
    """
    d_model, d_ff = _sizes(d_model=d_model, d_ff=d_ff)
    return 2 * d_model * d_ff + arguments.boolean("bias", bias) * (d_ff + d_model)


def gated_parameters(d_model: int, d_ff: int, bias: bool = False) -> int:
    """Return 3 · d_model · d_ff, plus 2 · d_ff + d_model with biases (counted from Shazeer 2020, section 2)."""
    d_model, d_ff = _sizes(d_model=d_model, d_ff=d_ff)
    return 3 * d_model * d_ff + arguments.boolean("bias", bias) * (2 * d_ff + d_model)


def attention_parameters(
    d_model: int, bias: bool = True, n_heads: int = 1, n_kv_heads: int | None = None, head_dim: int | None = None
) -> int:
    """Return the parameters of multi-head attention; 4 · d_model² when keys and values have as many heads as queries.

        (n_heads + 2 · n_kv_heads) · head_dim columns for query, key and value, n_heads · head_dim rows for the output

    With biases 4 · d_model more. The transformer of 2017 had none here; torch's layers, BERT and GPT-2 have them.
    Source: counted from Vaswani et al. 2017, section 3.2.2; fewer key and value heads: Ainslie et al. 2023.

    Args:
        d_model: features of a token.
        bias: whether the four projections have biases, as in torch's layers.
        n_heads: query heads; alone it changes nothing, as the heads share d_model.
        n_kv_heads: key and value heads; n_heads when left out.
        head_dim: features of one head; d_model / n_heads when left out.
    """
    d_model, n_heads = _sizes(d_model=d_model, n_heads=n_heads)
    n_kv_heads = n_heads if n_kv_heads is None else arguments.integer("n_kv_heads", n_kv_heads, 1, n_heads)
    if head_dim is None and d_model % n_heads:
        raise ValueError(f"n_heads must divide d_model (or give head_dim), but {n_heads} does not divide {d_model}.")
    head_dim = d_model // n_heads if head_dim is None else arguments.integer("head_dim", head_dim)
    projected = (n_heads + 2 * n_kv_heads) * head_dim
    weights = d_model * projected + n_heads * head_dim * d_model
    return weights + arguments.boolean("bias", bias) * (projected + d_model)


def latent_attention_parameters(
    d_model: int, n_heads: int, head_dim: int, query_rank: int, key_value_rank: int, rope_dim: int
) -> int:
    """Return the parameters of multi-head latent attention (DeepSeek-AI 2024, sections 2.1.2 and 2.1.3).

    Queries, keys and values pass through narrow latent vectors, each with a norm. No biases.

    Args:
        d_model: features of a token.
        n_heads: heads of queries, keys and values.
        head_dim: features of a head without position, and of its value.
        query_rank, key_value_rank: widths of the two latent vectors.
        rope_dim: features with position: for each query head, and once for the key that all heads share.
    """
    d_model, n_heads, head_dim = _sizes(d_model=d_model, n_heads=n_heads, head_dim=head_dim)
    query_rank, key_value_rank = _sizes(query_rank=query_rank, key_value_rank=key_value_rank)
    rope_dim = arguments.integer("rope_dim", rope_dim)
    query = d_model * query_rank + query_rank + query_rank * n_heads * (head_dim + rope_dim)
    latent = d_model * (key_value_rank + rope_dim) + key_value_rank
    key_value = key_value_rank * n_heads * 2 * head_dim
    return query + latent + key_value + n_heads * head_dim * d_model


def layer_norm_parameters(d_model: int, bias: bool = True) -> int:
    """Return 2 · d_model: a scale and a shift for each feature; without bias (as in RMSNorm) d_model."""
    return arguments.integer("d_model", d_model) * (1 + arguments.boolean("bias", bias))


def layer_share(d_model: int, d_ff: int, bias: bool = True, decoder: bool = False) -> dict[str, float]:
    """Return the shares of "ffn", "attention" and "norm" in a layer of torch: three fractions with the sum 1.

    Args:
        bias: whether FFN, attention and norms have biases.
        decoder: True for a decoder layer of the original transformer, which has two attentions.
    """
    attention, ffn, norm = _layer_parts(d_model, d_ff, bias)
    attentions = 1 + arguments.boolean("decoder", decoder)
    parts = {"ffn": ffn, "attention": attentions * attention, "norm": (attentions + 1) * norm}
    total = sum(parts.values())
    return {name: part / total for name, part in parts.items()}


def count_parameters(module) -> int:
    """Return the parameters of a torch module, counted one by one; a shared one counts once."""
    return sum(parameter.numel() for parameter in _parameters(module))


def mixture_parameters(d_model: int, d_ff: int, n_experts: int, k: int, gated: bool = False) -> dict[str, int]:
    """Return the parameters of a mixture of experts, "held" and "at work" for one token, with its router.

    d_ff is the width of one expert; plain experts have biases, gated ones and the router have none.
    """
    one = gated_parameters(d_model, d_ff) if arguments.boolean("gated", gated) else ffn_parameters(d_model, d_ff)
    (n_experts,) = _sizes(n_experts=n_experts)
    router, k = d_model * n_experts, arguments.integer("k", k, 1, n_experts)
    return {"held": router + n_experts * one, "at work": router + k * one}


# What does a token cost?


def ffn_multiply_adds(d_model: int, d_ff: int, gated: bool = False) -> int:
    """Return the multiply–adds per token of an FFN's matrix products: 2 · d_model · d_ff, or 3 when gated."""
    d_model, d_ff = _sizes(d_model=d_model, d_ff=d_ff)
    return (2 + arguments.boolean("gated", gated)) * d_model * d_ff


def projection_multiply_adds(d_model: int) -> int:
    """Return the multiply–adds per token of attention's query, key, value and output products: 4 · d_model²."""
    return 4 * arguments.integer("d_model", d_model) ** 2


def mixing_multiply_adds(d_model: int, seq_len: int) -> int:
    """Return the multiply–adds per token of attention's scores and weighted sums: 2 · seq_len · d_model.

    Every token looks at all seq_len tokens, as in an encoder.
    """
    d_model, seq_len = _sizes(d_model=d_model, seq_len=seq_len)
    return 2 * seq_len * d_model


def crossover_length(d_model: int, d_ff: int, projections: bool = True) -> int:
    """Return the sequence length at which attention costs as many multiply–adds as the FFN.

        scores and mixing alone:  2 n d_model = 2 d_model d_ff                →  n = d_ff
        projections included:     4 d_model² + 2 n d_model = 2 d_model d_ff   →  n = d_ff - 2 d_model

    Args:
        projections: count attention's four projections too.

    Returns:
        n in tokens; 0 if attention costs more (or as much) at every length.
    """
    d_model, d_ff = _sizes(d_model=d_model, d_ff=d_ff)
    return max(0, d_ff - 2 * d_model) if arguments.boolean("projections", projections) else d_ff


# How large are the parts of a published model?


def ffn_total(model: PublishedModel) -> int:
    """Return the parameters of all FFNs of a model: every expert counts, the router that chooses them does not."""
    _check_model(model)
    if not model.experts:
        return model.n_layers * _one_ffn(model, model.d_ff)
    sparse_layers = model.n_layers - model.dense_layers
    experts = sparse_layers * (model.experts + model.shared_experts) * _one_ffn(model, model.d_ff)
    dense = model.dense_layers * _one_ffn(model, model.dense_d_ff) if model.dense_layers else 0
    return experts + dense


def model_parts(model: PublishedModel) -> dict[str, int]:
    """Return the parameters of a model's parts: "ffn", "attention", "embeddings" and "rest".

    "ffn" holds every expert, "attention" its sinks and the norms of its heads. "embeddings" are the tables of tokens
    (twice when input and output have their own), positions and segments. "rest" is the other norms, routers, position
    biases and the pooler.
    """
    ffns, d_model = ffn_total(model), model.d_model
    cross_attentions = model.decoder_layers if model.kind == "encoder-decoder" else 0
    attentions = model.n_layers + cross_attentions
    norm = layer_norm_parameters(d_model, bias=model.norm == "layernorm")
    norms = (model.layer_norms * model.n_layers + cross_attentions + model.outer_norms) * norm
    router = model.experts * (d_model + model.router_bias) + model.router_scale * (d_model + model.experts)
    routers = (model.n_layers - model.dense_layers) * router
    vocab_tables = 1 if model.tied_embeddings else 2
    embeddings = (vocab_tables * model.vocab + model.learned_positions + model.segments) * d_model
    stacks = (model.encoder_layers > 0) + (model.decoder_layers > 0)
    position_biases = stacks * model.relative_buckets * model.n_heads
    pooler = model.pooler * (d_model * d_model + d_model)
    rest = norms + routers + position_biases + pooler
    other = model.global_layers
    attention = (attentions - other) * _one_attention(model) + (_global_attention(model) * other if other else 0)
    return {"ffn": ffns, "attention": attention, "embeddings": embeddings, "rest": rest}


def total_parameters(model: PublishedModel) -> int:
    """Return the parameters of a model, added up from its configuration."""
    return sum(model_parts(model).values())


def active_parameters(model: PublishedModel) -> int:
    """Return the parameters that take part in computing one token: all but the experts that are not chosen.

    Both tables of tokens count. Authors differ in this convention: those of DeepSeek-V3 publish 37 and 36.7 billion,
    where this count gives 37.6 (36.6 with one of its two tables).
    """
    total = total_parameters(model)
    if not model.experts:
        return total
    idle = (model.n_layers - model.dense_layers) * (model.experts - model.experts_per_token)
    return total - idle * _one_ffn(model, model.d_ff)


def ffn_share(model: PublishedModel) -> float:
    """Return the share of a model's parameters that stands in its FFNs, from 0 to 1."""
    return ffn_total(model) / total_parameters(model)


def _one_ffn(model, d_ff):
    count = gated_parameters if model.gated else ffn_parameters
    return count(model.d_model, d_ff, model.ffn_bias)


def _one_attention(model):
    if model.key_value_rank:
        ranks = (model.query_rank, model.key_value_rank, model.rope_dim)
        return latent_attention_parameters(model.d_model, model.n_heads, model.head_dim, *ranks)
    bias = model.attention_bias != "no"
    parameters = attention_parameters(model.d_model, bias, model.n_heads, model.n_kv_heads, model.head_dim)
    parameters += model.sinks * model.n_heads + _head_norms(model, model.n_kv_heads, model.head_dim)
    return parameters - model.d_model if model.attention_bias == "qkv" else parameters


def _global_attention(model):
    """Count an attention whose keys serve as values too."""
    n_kv_heads, head_dim = model.global_kv_heads, model.global_head_dim
    parameters = attention_parameters(model.d_model, False, model.n_heads, n_kv_heads, head_dim)
    return parameters - model.d_model * n_kv_heads * head_dim + _head_norms(model, n_kv_heads, head_dim)


def _head_norms(model, n_kv_heads, head_dim):
    scaled_heads = {"no": 0, "yes": 2, "wide": model.n_heads + n_kv_heads}
    return scaled_heads[model.head_norms] * head_dim


def _layer_parts(d_model, d_ff, bias):
    ffn = ffn_parameters(d_model, d_ff, bias)
    return attention_parameters(d_model, bias), ffn, layer_norm_parameters(d_model, bias)


def _check_model(model):
    if not isinstance(model, PublishedModel):
        raise TypeError(f"model must be a PublishedModel, but {arguments.described(model)} was given.")


def _sizes(**sizes):
    return tuple(arguments.integer(name, value) for name, value in sizes.items())


def _parameters(module):
    if not hasattr(module, "parameters") or isinstance(module, type):
        raise TypeError(f"module must be a torch module, but {arguments.described(module)} was given.")
    return module.parameters()
