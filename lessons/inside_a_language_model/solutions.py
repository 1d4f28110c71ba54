"""The worked cells of the exercises; what follows BEGIN SOLUTION on its line is what learners start from."""


# %% my_edit
def my_edit():
    """Return a context, the character that should follow it, and the size of the edit."""
    ### BEGIN SOLUTION: return TODO
    return "def", "X", 40
    ### END SOLUTION
    ### WHY: The recipe of section 4 recognises “def” without an error. With the space after it, the unit would also fire after other spaces.
