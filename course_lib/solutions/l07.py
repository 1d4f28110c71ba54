import numpy as np

from course_lib.exercises import TODO, check

# %% block.predict_input
### BEGIN SOLUTION: my_input = TODO
my_input = "norm"
### END SOLUTION

# %% block.predict_copy
### BEGIN SOLUTION: my_loss = TODO
my_loss = 0.25
### END SOLUTION

# %% block.predict_linear
### BEGIN SOLUTION: my_count = TODO
my_count = 1
### END SOLUTION

# %% block.predict_heads
### BEGIN SOLUTION: my_heads = TODO
my_heads = "two"
### END SOLUTION

# %% block.predict_collapse
### BEGIN SOLUTION: my_rest = TODO
my_rest = "none"
### END SOLUTION


# %% block.pre_norm
def pre_norm(x, attention, ffn, norm1, norm2):
    """Return the tokens after a pre-norm block; x has shape (..., seq_len, d_model)."""
    ### BEGIN SOLUTION: return TODO
    x = x + attention(norm1(x))
    return x + ffn(norm2(x))
    ### END SOLUTION


check("block.pre_norm", pre_norm)


# %% block.post_norm
def post_norm(x, attention, ffn, norm1, norm2):
    """Return the tokens after a post-norm block; x has shape (..., seq_len, d_model)."""
    ### BEGIN SOLUTION: return TODO
    x = norm1(x + attention(x))
    return norm2(x + ffn(x))
    ### END SOLUTION


check("block.post_norm", post_norm)


# %% block.repair
def repair(x, attention, ffn, norm1, norm2):
    """Return what the blocks A, B and C give once the broken line of each is repaired."""
    # A: pre-norm
    ### BEGIN SOLUTION: a = TODO  # was: norm1(x) + attention(norm1(x))
    a = x + attention(norm1(x))
    ### END SOLUTION
    a = a + ffn(norm2(a))
    # B: pre-norm, applied twice
    ### BEGIN SOLUTION: b = TODO  # was: x
    b = x.copy()
    ### END SOLUTION
    for _ in range(2):
        b += attention(norm1(b))
        b += ffn(norm2(b))
    # C: post-norm
    c = norm1(x + attention(x))
    ### BEGIN SOLUTION: c = TODO  # was: norm2(x + ffn(c))
    c = norm2(c + ffn(c))
    ### END SOLUTION
    return a, b, c


check("block.repair", repair)
