"""Published models: their configurations and sizes, from models.csv."""

import csv
from dataclasses import dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class PublishedModel:
    """Hold one row of models.csv: the configuration of a published model and its size.

    Attributes:
        name, year, kind: kind is "encoder", "decoder" or "encoder-decoder".
        d_model, d_ff: widths; in a mixture of experts d_ff is that of one expert.
        encoder_layers, decoder_layers: depths; the decoder of an encoder-decoder has two attentions a layer.
        n_heads, n_kv_heads, head_dim: attention's heads of queries, of keys and values, and their features.
        global_layers, global_kv_heads, global_head_dim: layers whose attention has other heads, in which keys serve as
            values too, with their sizes.
        activation, gated: the FFN's activation (a name of `course_lib.model.activations`, or "relu2" for the square of
            ReLU), and whether it is gated.
        ffn_bias, attention_bias: "yes" or "no"; "qkv" is a bias on query, key and value only.
        sinks: whether each head has a number that takes part in its softmax.
        head_norms: whether the queries and the keys have a norm: "yes" is one per head with the same scales for all
            heads, "wide" is one over all heads together, with a scale for each of their features.
        norm: "layernorm", "layernorm without bias" or "rmsnorm"; `layer_norms` is how many a layer has (a decoder
            with two attentions: one more), `outer_norms` how many stand outside.
        vocab, tied_embeddings: tokens known, and whether input and output share one matrix.
        learned_positions, segments, relative_buckets: sizes of further tables; the last one per head and stack.
        pooler: whether a dense layer follows the first token (BERT).
        experts, shared_experts, experts_per_token: routed experts a layer, those always used, those chosen.
        router_bias, router_scale: whether the router has a bias for each expert, and whether it scales each feature
            of its input and what each expert gives.
        dense_layers, dense_d_ff: first layers that have one wide FFN instead of experts.
        query_rank, key_value_rank, rope_dim: widths of latent attention; 0 where attention is the usual one.
        published_total: the size as its authors state it, such as "124M".
        exact_total: the parameters that follow from the configuration.
        source, checked, note: where the figures come from; what was read again there ("yes": everything; "secondary":
            at least one figure in copies or articles only; else the figure in doubt); and remarks.
    """

    name: str
    year: int
    kind: str
    d_model: int
    d_ff: int
    encoder_layers: int
    decoder_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    global_layers: int
    global_kv_heads: int
    global_head_dim: int
    activation: str
    gated: bool
    ffn_bias: bool
    attention_bias: str
    sinks: bool
    head_norms: str
    norm: str
    layer_norms: int
    outer_norms: int
    vocab: int
    tied_embeddings: bool
    learned_positions: int
    segments: int
    pooler: bool
    relative_buckets: int
    experts: int
    shared_experts: int
    experts_per_token: int
    router_bias: bool
    router_scale: bool
    dense_layers: int
    dense_d_ff: int
    query_rank: int
    key_value_rank: int
    rope_dim: int
    published_total: str
    exact_total: int
    source: str
    checked: str
    note: str

    @property
    def n_layers(self) -> int:
        """Return the number of layers, encoder and decoder together."""
        return self.encoder_layers + self.decoder_layers

    @property
    def expansion(self) -> float:
        """Return d_ff / d_model."""
        return self.d_ff / self.d_model

    @property
    def ffn_name(self) -> str:
        """Return what the FFN is usually called: ReLU, ReLU², GELU, GEGLU or SwiGLU."""
        plain = {"relu": "ReLU", "relu2": "ReLU²", "gelu": "GELU", "gelu_tanh": "GELU"}
        gated = {"relu": "ReGLU", "gelu": "GEGLU", "gelu_tanh": "GEGLU", "silu": "SwiGLU"}
        return (gated if self.gated else plain)[self.activation]

    @property
    def published_parameters(self) -> float:
        """Return published_total as a number: "124M" is 124e6."""
        return float(self.published_total[:-1]) * {"M": 1e6, "B": 1e9}[self.published_total[-1]]


def published_models() -> list[PublishedModel]:
    """Return the rows of models.csv, in the order of the file."""
    convert = {int: int, str: str, bool: {"yes": True, "no": False}.__getitem__}
    with open(Path(__file__).with_name("models.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [PublishedModel(**{f.name: convert[f.type](row[f.name]) for f in fields(PublishedModel)}) for row in rows]
