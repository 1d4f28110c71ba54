"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""


# %% repair
def repair(x, attention, ffn, norm1, norm2):
    """Return what blocks A, B and C return once the wrong line of each is repaired."""
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


### WHY: A's norm stood on the stream, so silent sub-layers still changed the tokens. B wrote into the caller's array.
### WHY: C's second residual started from x and so left out attention; it must start from what the first half has left.
