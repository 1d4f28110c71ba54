import numpy as np

from course_lib.exercises import TODO, check

# %% start.predict_shape
### BEGIN SOLUTION: my_guess = TODO
my_guess = 6
### END SOLUTION


# %% start.double
def double(x):
    """Return x with every value doubled; x is a NumPy array of shape (n,)."""
    ### BEGIN SOLUTION: return TODO
    return 2 * x
    ### END SOLUTION


check("start.double", double)
