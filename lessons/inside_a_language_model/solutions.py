"""The worked cells of the exercises; what follows BEGIN SOLUTION on its line is what learners start from."""

import numpy as np


# %% f1
def f1(active, label):
    """Return F1: twice the hits, divided by firings plus places of the context."""
    ### BEGIN SOLUTION: return TODO
    hits = (active & label).sum()
    return 2 * hits / (active.sum() + label.sum())
    ### END SOLUTION
    ### WHY: With precision p = hits / active and recall r = hits / label, the harmonic mean 2pr / (p + r) is exactly this fraction.


# %% my_edit
def my_edit():
    """Return a context, the character that should follow it, and the size of the edit."""
    ### BEGIN SOLUTION: return TODO
    return "def", "X", 40
    ### END SOLUTION
    ### WHY: "def" is used in one way only, so one direction can recognise it. With the space after it, the unit would also fire after other spaces.


# %% active_units
def active_units(h):
    """Return the mean number of active units, and how many units work anywhere."""
    ### BEGIN SOLUTION: return TODO
    active = h > 0
    return active.sum(axis=1).mean(), active.any(axis=0).sum()
    ### END SOLUTION
    ### WHY: A row is a character and a column is a unit: count along the row, then look down the column.


# %% promotes
def promotes(W_down, gain, W_out, unit):
    """Return how a unit's output weights change the logit of every character."""
    ### BEGIN SOLUTION: return TODO
    v = W_down[:, unit]
    return W_out @ (gain * (v - v.mean()))
    ### END SOLUTION
    ### WHY: nn.Linear stores W_2 as (d_model, d_ff), so a unit owns a column. The last norm centres that column and multiplies it by the gain, and the read-out takes its product with each row of W_out.


# %% units_needed
def units_needed(h, W_down, share):
    """Return how many units reach a share of the sum of all their lengths."""
    ### BEGIN SOLUTION: return TODO
    sizes = np.sort(h * np.linalg.norm(W_down, axis=0))[::-1]
    running = np.cumsum(sizes)
    return int(np.argmax(running >= share * running[-1])) + 1
    ### END SOLUTION
    ### WHY: A unit adds its hidden value times its column. After ReLU the value is not negative, so the length of what it adds is h times the length of the column.


# %% where_it_is_zero
def where_it_is_zero(h, W_down, stream, predict, unit):
    """Return the largest change of a logit where the unit is 0, and elsewhere."""
    ### BEGIN SOLUTION: return TODO
    without = stream - h[:, [unit]] * W_down[:, unit]
    change = abs(predict(without) - predict(stream)).max(axis=1)
    silent = h[:, unit] == 0
    return change[silent].max(), change[~silent].max()
    ### END SOLUTION
    ### WHY: Where the unit is 0, the two streams hold the same numbers. If predict looks at each place alone, the logits are the same too. That is the proof, and it holds for any weights.
    ### WHY: After an earlier FFN there is attention. The stream can differ at another place, and predict carries that difference over.


# %% units_behind
def units_behind(h, W_down, gain, w_out):
    """Return how many units make half of what is written for and against a character."""
    ### BEGIN SOLUTION: return TODO
    writes = h * ((w_out * gain) @ (W_down - W_down.mean(axis=0)))
    sizes = np.sort(abs(writes))[::-1]
    return int((np.cumsum(sizes) < sizes.sum() / 2).sum()) + 1
    ### END SOLUTION
    ### WHY: The stream is a sum, and the norm's centring and gain are linear, so we can compute each unit's part of the logit alone. Only the division is not linear, and it is the same number for all units.
