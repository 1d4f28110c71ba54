"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

from course_lib.model import accounting


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


# %% two_thirds
def two_thirds(d_model, n_heads, n_kv_heads):
    """Return the d_ff at which a gated FFN has two thirds of a layer's weights."""
    ### BEGIN SOLUTION: return TODO
    narrow = d_model * n_kv_heads / n_heads
    attention = 2 * d_model * d_model + 2 * d_model * narrow
    return 2 * attention / (3 * d_model)
    ### END SOLUTION
    ### WHY: Two thirds for the FFN leave one third for attention, so the FFN is twice as large as attention.
    ### WHY: It has 3 · d_model · d_ff weights; divide what it must have by 3 · d_model.


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
