"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import numpy as np
import torch


# %% hidden_values
def hidden_values(model, ffn, pieces):
    """Return the hidden values of an FFN at every character, (characters, d_ff)."""
    ### BEGIN SOLUTION: return TODO
    found = []

    def keep(module, inputs, output):
        found.append(inputs[0][0])

    handle = ffn.down.register_forward_hook(keep)
    with torch.no_grad():
        for codes in pieces:
            model(codes)
    handle.remove()
    return torch.cat(found)
    ### END SOLUTION
    ### WHY: The hidden values are what `down` is called with. A hook gets that as a tuple, so inputs[0] is the tensor (1, length, d_ff), and inputs[0][0] its rows.
    ### WHY: Without handle.remove() the hook would stay, and the next call would keep everything twice.


# %% strongest_contexts
def strongest_contexts(h, codes, k, width):
    """Return the k windows that end where h is largest, strongest first."""
    ### BEGIN SOLUTION: return TODO
    places = width - 1 + np.argsort(-h[width - 1 :])[:k]
    return codes[places[:, None] + np.arange(1 - width, 1)]
    ### END SOLUTION
    ### WHY: Sorting −h puts the largest first. A column of places plus a row of steps gives all indices at once, (k, width).


# %% by_chance
def by_chance(x, h, here, directions):
    """Return the share of directions that do at least as well as the unit."""
    ### BEGIN SOLUTION: return TODO
    fires = h > 0
    order = np.argsort(-(x @ directions.T), axis=0)[: fires.sum()]
    return (here[order].sum(axis=0) >= (fires & here).sum()).mean()
    ### END SOLUTION
    ### WHY: F1 is 2 · hits / (firings + places of the context). Unit and directions share what stands below the line, so more hits mean a higher F1.


# %% side_effects
def side_effects(model, ffn, codes, following, unit, here):
    """Return how many bits more a silent unit costs, in the context and elsewhere."""

    ### BEGIN SOLUTION: return TODO
    def silence(module, inputs):
        h = inputs[0].clone()
        h[..., unit] = 0
        return (h,)

    def bits():
        with torch.no_grad():
            logs = torch.log_softmax(model(codes)[0], dim=-1)
        return -logs[torch.arange(len(following)), following] / np.log(2)

    before = bits()
    handle = ffn.down.register_forward_pre_hook(silence)
    change = bits() - before
    handle.remove()
    return change[here].mean().item(), change[~here].mean().item()
    ### END SOLUTION
    ### WHY: A pre-hook runs before its module, and what it returns replaces the inputs. That is the slip to avoid when you read, and the tool when you edit.
