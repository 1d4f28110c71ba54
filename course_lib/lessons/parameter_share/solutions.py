"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

from course_lib.model import accounting


# %% ffn
def ffn_count(d_model, d_ff, bias):
    """Return the number of parameters of an FFN; bias is True or False."""
    ### BEGIN SOLUTION: return TODO
    weights = d_model * d_ff + d_ff * d_model
    biases = d_ff + d_model if bias else 0
    return weights + biases
    ### END SOLUTION


# %% attention
def attention_count(d_model, bias):
    """Return the number of parameters of multi-head attention; bias is True or False."""
    ### BEGIN SOLUTION: return TODO
    one_projection = d_model * d_model
    if bias:
        one_projection += d_model
    return 4 * one_projection
    ### END SOLUTION


# %% layer_share
def layer_share(d_model, d_ff):
    """Return the FFN's share of an encoder layer's parameters, between 0 and 1."""
    ### BEGIN SOLUTION: return TODO
    ffn = 2 * d_model * d_ff + d_ff + d_model
    attention = 4 * d_model**2 + 4 * d_model
    norms = 2 * (2 * d_model)
    return ffn / (ffn + attention + norms)
    ### END SOLUTION


# %% crossover
def crossover(d_model):
    """Return the length at which attention costs as much as an FFN of width 4 * d_model."""
    ### BEGIN SOLUTION: return TODO
    ffn = 8 * d_model**2
    projections = 4 * d_model**2
    mixing_for_each_token_seen = 2 * d_model
    return (ffn - projections) // mixing_for_each_token_seen
    ### END SOLUTION


# %% tiny_llama
### BEGIN SOLUTION: total = TODO
d_model, d_ff, layers, vocab = 2048, 5632, 22, 32_000
attention = accounting.attention_parameters(d_model, bias=False, n_heads=32, n_kv_heads=4)
ffn_size = accounting.gated_parameters(d_model, d_ff)
total = layers * (attention + ffn_size + 2 * d_model) + d_model + 2 * vocab * d_model
### END SOLUTION
