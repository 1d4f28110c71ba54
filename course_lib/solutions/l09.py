import torch
from torch import nn

from course_lib import ffn
from course_lib.exercises import TODO, check


def look_back(x):
    """Return what the fixed head brings; the notebook has it in a cell of its own."""
    return torch.cat([0 * x[..., :2], x.roll(1, dims=-2)[..., :2], 0 * x[..., :2]], dim=-1)


# %% review.predict_parts
my_verdicts = {
    ### BEGIN SOLUTION: "A": TODO,  # Attention is mostly linear.
    "A": "half",  # Attention is mostly linear.
    ### END SOLUTION
    ### BEGIN SOLUTION: "B": TODO,  # The wide layer is a bottleneck that compresses.
    "B": "false",  # The wide layer is a bottleneck that compresses.
    ### END SOLUTION
    ### BEGIN SOLUTION: "C": TODO,  # The FFN is a convolution of width 1.
    "C": "half",  # The FFN is a convolution of width 1.
    ### END SOLUTION
    ### BEGIN SOLUTION: "D": TODO,  # Layer norm belongs to the FFN.
    "D": "false",  # Layer norm belongs to the FFN.
    ### END SOLUTION
    ### BEGIN SOLUTION: "E": TODO,  # The FFN reads what attention returns, and nothing else.
    "E": "false",  # The FFN reads what attention returns, and nothing else.
    ### END SOLUTION
    ### BEGIN SOLUTION: "F": TODO,  # Without its activation, the FFN is one matrix and one bias.
    "F": "true",  # Without its activation, the FFN is one matrix and one bias.
    ### END SOLUTION
}

# %% review.predict_numbers
my_verdicts = {
    ### BEGIN SOLUTION: "G": TODO,  # A layer: 70 % FFN, 20 % attention, 5 % norms, 5 % embeddings.
    "G": "false",  # A layer: 70 % FFN, 20 % attention, 5 % norms, 5 % embeddings.
    ### END SOLUTION
    ### BEGIN SOLUTION: "H": TODO,  # FFNs are two thirds of every transformer.
    "H": "half",  # FFNs are two thirds of every transformer.
    ### END SOLUTION
    ### BEGIN SOLUTION: "I": TODO,  # Four times d_model is the rule; eight times brings less.
    "I": "false",  # Four times d_model is the rule; eight times brings less.
    ### END SOLUTION
    ### BEGIN SOLUTION: "J": TODO,  # The FFN costs O(n·d²), attention O(n²·d).
    "J": "half",  # The FFN costs O(n·d²), attention O(n²·d).
    ### END SOLUTION
    ### BEGIN SOLUTION: "K": TODO,  # Modern models use GELU.
    "K": "half",  # Modern models use GELU.
    ### END SOLUTION
    ### BEGIN SOLUTION: "L": TODO,  # There is a model with more than nine tenths in its FFNs.
    "L": "true",  # There is a model with more than nine tenths in its FFNs.
    ### END SOLUTION
}

# %% review.predict_evidence
my_verdicts = {
    ### BEGIN SOLUTION: "M": TODO,  # FFNs turn “cat” into “catting”.
    "M": "false",  # FFNs turn “cat” into “catting”.
    ### END SOLUTION
    ### BEGIN SOLUTION: "N": TODO,  # The zeros of a fresh FFN show that it codes sparsely.
    "N": "false",  # The zeros of a fresh FFN show that it codes sparsely.
    ### END SOLUTION
    ### BEGIN SOLUTION: "O": TODO,  # As its paper explains, SwiGLU has the better gradient flow.
    "O": "false",  # As its paper explains, SwiGLU has the better gradient flow.
    ### END SOLUTION
    ### BEGIN SOLUTION: "P": TODO,  # One random test proves that positions are independent.
    "P": "false",  # One random test proves that positions are independent.
    ### END SOLUTION
    ### BEGIN SOLUTION: "Q": TODO,  # Without its FFN, a block only gets faster.
    "Q": "half",  # Without its FFN, a block only gets faster.
    ### END SOLUTION
    ### BEGIN SOLUTION: "R": TODO,  # Two SwiGLU units give x · y exactly.
    "R": "true",  # Two SwiGLU units give x · y exactly.
    ### END SOLUTION
}

# %% review.predict_linear
### BEGIN SOLUTION: my_error = TODO
my_error = 0.5
### END SOLUTION

# %% review.predict_width
### BEGIN SOLUTION: my_width = TODO
my_width = 14
### END SOLUTION


# %% review.block
class MyBlock(nn.Module):
    """Add to x (batch, seq_len, 6) what look_back brings, then what an FFN computes."""

    def __init__(self):
        super().__init__()
        ### BEGIN SOLUTION: self.ffn = TODO
        self.ffn = ffn.PositionWiseFeedForward(6, 14, dropout=0.0)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION: return TODO
        gathered = x + look_back(x)
        return gathered + self.ffn(gathered)
        ### END SOLUTION


check("review.block", MyBlock)
