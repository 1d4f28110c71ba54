from course_lib import accounting
from course_lib.exercises import TODO, check

# %% params.predict_count
### BEGIN SOLUTION: my_millions = TODO
my_millions = 2
### END SOLUTION

# %% params.predict_share
### BEGIN SOLUTION: my_percent = TODO
my_percent = 67
### END SOLUTION

# %% params.predict_model
### BEGIN SOLUTION: my_model = TODO
my_model = "Transformer base"
### END SOLUTION

# %% params.predict_crossover
### BEGIN SOLUTION: my_length = TODO
my_length = 1024
### END SOLUTION

# %% params.predict_memory
### BEGIN SOLUTION: my_gigabytes = TODO
my_gigabytes = 16
### END SOLUTION


# %% params.ffn
def ffn_count(d_model, d_ff, bias):
    """Return the number of parameters of an FFN; bias is True or False."""
    ### BEGIN SOLUTION: return TODO
    weights = d_model * d_ff + d_ff * d_model
    biases = d_ff + d_model if bias else 0
    return weights + biases
    ### END SOLUTION


check("params.ffn", ffn_count)


# %% params.attention
def attention_count(d_model, bias):
    """Return the number of parameters of multi-head attention; bias is True or False."""
    ### BEGIN SOLUTION: return TODO
    one_projection = d_model * d_model
    if bias:
        one_projection += d_model
    return 4 * one_projection
    ### END SOLUTION


check("params.attention", attention_count)


# %% params.layer_share
def layer_share(d_model, d_ff):
    """Return the FFN's share of an encoder layer's parameters, between 0 and 1."""
    ### BEGIN SOLUTION: return TODO
    ffn = 2 * d_model * d_ff + d_ff + d_model
    attention = 4 * d_model**2 + 4 * d_model
    norms = 2 * (2 * d_model)
    return ffn / (ffn + attention + norms)
    ### END SOLUTION


check("params.layer_share", layer_share)


# %% params.crossover
def crossover(d_model):
    """Return the length at which attention costs as much as an FFN of width 4 * d_model."""
    ### BEGIN SOLUTION: return TODO
    ffn = 8 * d_model**2
    projections = 4 * d_model**2
    mixing_for_each_token_seen = 2 * d_model
    return (ffn - projections) // mixing_for_each_token_seen
    ### END SOLUTION


check("params.crossover", crossover)

# %% params.tiny_llama
### BEGIN SOLUTION: total = TODO
d_model, d_ff, layers, vocab = 2048, 5632, 22, 32_000
attention = accounting.attention_parameters(d_model, bias=False, n_heads=32, n_kv_heads=4)
ffn_size = accounting.gated_parameters(d_model, d_ff)
total = layers * (attention + ffn_size + 2 * d_model) + d_model + 2 * vocab * d_model
### END SOLUTION
check("params.tiny_llama", total)
