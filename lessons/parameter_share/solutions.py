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
    ### WHY: A matrix has rows times columns numbers, and a bias has one number for each output of its layer.


# %% attention
def attention_count(d_model, bias):
    """Return the number of parameters of multi-head attention; bias is True or False."""
    ### BEGIN SOLUTION: return TODO
    one_projection = d_model * d_model
    if bias:
        one_projection += d_model
    return 4 * one_projection
    ### END SOLUTION
    ### WHY: Query, key, value and output each take d_model features to d_model features.
    ### WHY: The heads divide these columns among themselves, so their number does not occur.


# %% layer_share
def layer_share(d_model, d_ff):
    """Return the FFN's share of an encoder layer's parameters, between 0 and 1."""
    ### BEGIN SOLUTION: return TODO
    ffn = 2 * d_model * d_ff + d_ff + d_model
    attention = 4 * d_model**2 + 4 * d_model
    norms = 2 * (2 * d_model)
    return ffn / (ffn + attention + norms)
    ### END SOLUTION
    ### WHY: The share is the part divided by the whole, and the whole includes the FFN itself.
    ### WHY: With d_ff = 4 · d_model the squares give 8 of 12; biases and norms move the third digit only.


# %% crossover
def crossover(d_model, d_ff):
    """Return the length at which attention costs as much as the FFN."""
    ### BEGIN SOLUTION: return TODO
    ffn = 2 * d_model * d_ff
    projections = 4 * d_model**2
    mixing_for_each_token_seen = 2 * d_model
    return (ffn - projections) // mixing_for_each_token_seen
    ### END SOLUTION
    ### WHY: Only scores and mixing grow with the length, by 2 · d_model for each further token.
    ### WHY: So the length is what the FFN costs beyond the projections, divided by that: d_ff − 2 · d_model.


# %% tiny_llama
def tiny_llama():
    """Return the parameters of the whole model, part by part."""
    ### BEGIN SOLUTION: attention = TODO  # of all layers
    d_model, layers = 2048, 22
    one = accounting.attention_parameters(d_model, bias=False, n_heads=32, n_kv_heads=4)
    attention = layers * one
    ### END SOLUTION
    ### BEGIN SOLUTION: ffns = TODO  # of all layers
    ffns = layers * accounting.gated_parameters(d_model, d_ff=5632)
    ### END SOLUTION
    ### BEGIN SOLUTION: norms = TODO  # all of them
    norms = (2 * layers + 1) * d_model
    ### END SOLUTION
    ### BEGIN SOLUTION: tables = TODO  # both
    tables = 2 * 32_000 * d_model
    ### END SOLUTION
    return attention, ffns, norms, tables
    ### WHY: Key and value have 4 heads of width 2048 / 32 = 64, so their matrices are (2048, 256).
    ### WHY: Everything inside a layer counts 22 times; the last norm and the two tables stand outside.
