"""Feed-forward networks of the transformer: the original one and the gated family.

The classes are short enough to be read on one screen, so what holds for all of them stands here.

Args:
    d_model: features of a token, in and out.
    d_ff: hidden features.
    activation: a name of `course_lib.model.activations.ACTIVATIONS`, or any callable from tensor to tensor.
    dropout: probability in [0, 1) that a value of the output is set to zero while training, as in the paper (Vaswani
        et al. 2017, section 5.4: "to the output of each sub-layer"); torch's nn.TransformerEncoderLayer drops hidden
        values as well.
    bias: add a bias in each of the three layers of a gated network (Shazeer 2020 and LLaMA have none).

Shapes:
    ffn(x): (..., d_model) → (..., d_model), with any leading shape (an empty one too); NaN stays within its position.
    ffn.hidden(x): (..., d_model) → (..., d_ff), the values between the layers.
    ffn.up.weight: (d_ff, d_model), since nn.Linear stores each matrix transposed.

Raises:
    TypeError: an argument has the wrong type; x is not a floating-point tensor, or has another dtype than the weights.
    ValueError: a size is below 1, dropout is outside [0, 1), the activation is unknown (the message lists the known),
        or the last dimension of x is not d_model.
"""

from course_lib.model.activations import activation as resolve
from course_lib.model.one_thread import nn, torch
from courseware import arguments


def _summary(ffn) -> str:
    """Return what print(ffn) shows first: the sizes, the options and the number of parameters."""
    name = getattr(ffn.activation, "__name__", None) or type(ffn.activation).__name__
    parameters = sum(p.numel() for p in ffn.parameters())
    sizes = f"d_model={ffn.d_model}, d_ff={ffn.d_ff}"
    return f"{sizes}, activation={name}, dropout={ffn.dropout.p:g}, parameters={parameters:,}"


class PositionWiseFeedForward(nn.Module):
    """Apply the same two-layer network to every position (Vaswani et al. 2017, eq. 2).

        FFN(x) = activation(x W_1 + b_1) W_2 + b_2

    Shapes: x and FFN(x) (..., d_model), hidden values (..., d_ff). Dropout acts on FFN(x).
    """

    def __init__(self, d_model: int, d_ff: int, *, activation="relu", dropout=0.1):
        super().__init__()
        self.d_model = arguments.integer("d_model", d_model)
        self.d_ff = arguments.integer("d_ff", d_ff)
        self.up = nn.Linear(self.d_model, self.d_ff)  # W_1 and b_1
        self.activation = resolve(activation)
        self.down = nn.Linear(self.d_ff, self.d_model)  # W_2 and b_2
        self.dropout = nn.Dropout(arguments.real("dropout", dropout, 0, 1, open_high=True))

    def hidden(self, x: torch.Tensor) -> torch.Tensor:
        """Return the hidden values, activation(x W_1 + b_1)."""
        arguments.tensor("x", x, "d_model", self.d_model, like=self.up.weight)
        return self.activation(self.up(x))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return FFN(x)."""
        return self.dropout(self.down(self.hidden(x)))

    extra_repr = _summary  # the first line of print(ffn)


class GatedFeedForward(nn.Module):
    """Let a gate decide how much of each hidden value passes (Shazeer 2020, section 2).

        y = (activation(x W_gate) ⊙ (x W_up)) W_down

    Shapes: x and y (..., d_model), hidden values (..., d_ff). Three matrices instead of two: with the same d_ff it has
    half as many parameters again. The activation names the member of the family: sigmoid GLU, identity bilinear, relu
    ReGLU, gelu GEGLU, silu SwiGLU.
    """

    def __init__(self, d_model: int, d_ff: int, *, activation="silu", dropout=0.0, bias=False):
        super().__init__()
        self.d_model = arguments.integer("d_model", d_model)
        self.d_ff = arguments.integer("d_ff", d_ff)
        bias = arguments.boolean("bias", bias)
        self.gate = nn.Linear(self.d_model, self.d_ff, bias=bias)
        self.activation = resolve(activation)
        self.up = nn.Linear(self.d_model, self.d_ff, bias=bias)
        self.down = nn.Linear(self.d_ff, self.d_model, bias=bias)
        self.dropout = nn.Dropout(arguments.real("dropout", dropout, 0, 1, open_high=True))

    def hidden(self, x: torch.Tensor) -> torch.Tensor:
        """Return the gated hidden values, activation(x W_gate) ⊙ (x W_up)."""
        arguments.tensor("x", x, "d_model", self.d_model, like=self.up.weight)
        return self.activation(self.gate(x)) * self.up(x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return y."""
        return self.dropout(self.down(self.hidden(x)))

    extra_repr = _summary  # the first line of print(ffn)


class SwiGLUFeedForward(GatedFeedForward):
    """Gate with SiLU, as LLaMA does (Shazeer 2020, section 2; Touvron et al. 2023, section 2.2).

        y = (SiLU(x W_gate) ⊙ (x W_up)) W_down

    Shapes: x and y (..., d_model), hidden values (..., d_ff). `swiglu_width` gives a d_ff at which it costs as much as
    a network without a gate.
    """

    def __init__(self, d_model: int, d_ff: int, *, dropout=0.0, bias=False):
        super().__init__(d_model, d_ff, activation="silu", dropout=dropout, bias=bias)


def swiglu_width(d_model: int, multiple_of: int = 1) -> int:
    """Return the d_ff at which three matrices cost what two cost at 4 · d_model (Touvron et al. 2023, section 2.2).

        d_ff = ⌊2/3 · 4 · d_model⌋, rounded up to a multiple

    Args:
        d_model: features of a token.
        multiple_of: the rounding; LLaMA takes 256, and 4096 gives 11008.

    Raises:
        TypeError, ValueError: an argument is not a whole number of at least 1.
    """
    d_model = arguments.integer("d_model", d_model)
    multiple_of = arguments.integer("multiple_of", multiple_of)
    return -(-(8 * d_model // 3) // multiple_of) * multiple_of
