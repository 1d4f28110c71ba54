"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""


# %% double
def double(x):
    """Return x with every value doubled; x is a NumPy array of shape (n,)."""
    ### BEGIN SOLUTION: return TODO
    return 2 * x
    ### END SOLUTION
    ### WHY: NumPy multiplies every value of the array by 2 at once and makes a new array, so x stays as it was.
