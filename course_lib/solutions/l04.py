import numpy as np

from course_lib.exercises import TODO, check

# %% expand.predict_zeros
### BEGIN SOLUTION: my_share = TODO
my_share = 0.5
### END SOLUTION

# %% expand.predict_recall_2x
### BEGIN SOLUTION: my_recall = TODO
my_recall = 25
### END SOLUTION

# %% expand.predict_recall_4x
### BEGIN SOLUTION: my_second_recall = TODO
my_second_recall = 85
### END SOLUTION

# %% expand.predict_rank
### BEGIN SOLUTION: my_rank = TODO
my_rank = 8
### END SOLUTION

# %% expand.predict_deleted
### BEGIN SOLUTION: my_loss = TODO
my_loss = 1
### END SOLUTION

# %% expand.predict_widest
### BEGIN SOLUTION: my_factor = TODO
my_factor = 8
### END SOLUTION


# %% expand.width
def width(d_model, factor):
    """Return d_ff, the number of hidden units, as an int."""
    ### BEGIN SOLUTION: return TODO
    return int(d_model * factor)
    ### END SOLUTION


check("expand.width", width)


# %% expand.zero_fraction
def zero_fraction(h):
    """Return the share of values in h that are exactly zero, from 0 to 1."""
    ### BEGIN SOLUTION: return TODO
    return np.mean(h == 0)
    ### END SOLUTION


check("expand.zero_fraction", zero_fraction)


# %% expand.hand_wired_and
def hand_wired_and(d_model, a, b, value):
    """Return W1, b1, W2, b2 of an FFN that writes value if x[a] = x[b] = 1, else zeros."""
    ### BEGIN SOLUTION: W1, b1, W2, b2 = TODO, TODO, TODO, TODO
    W1 = np.zeros((d_model, 1))
    W1[[a, b]] = 1.0
    b1 = np.array([-1.0])
    W2 = value[None, :].copy()
    b2 = np.zeros(d_model)
    ### END SOLUTION
    return W1, b1, W2, b2


check("expand.hand_wired_and", hand_wired_and)
