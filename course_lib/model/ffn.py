"""Feed-forward networks of the transformer: the original one and the gated family."""

from course_lib import arguments
from course_lib.model.activations import activation as resolve
from course_lib.model.one_thread import nn, torch


class PositionWiseFeedForward(nn.Module):
    """Apply the same two-layer network to every position (Vaswani et al. 2017, eq. 2).

        FFN(x) = activation(x W_1 + b_1) W_2 + b_2

    `up` holds W_1 and b_1, `down` holds W_2 and b_2. (nn.Linear stores each matrix transposed: `up.weight` has the
    shape (d_ff, d_model).) Dropout acts on the output, as in the paper (section 5.4: "to the output of each
    sub-layer"); torch's nn.TransformerEncoderLayer drops hidden values as well.

    Args:
        d_model: features of a token, in and out.
        d_ff: hidden features.
        dropout: probability in [0, 1) that an output value is set to zero while training.
        activation: a name from `course_lib.activations.ACTIVATIONS`, or any callable from tensor to tensor.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a size below 1, dropout outside [0, 1), or an unknown activation (the message lists the known).
    """

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.1, activation="relu"):
        super().__init__()
        self.d_model = arguments.integer("d_model", d_model)
        self.d_ff = arguments.integer("d_ff", d_ff)
        self.up = nn.Linear(self.d_model, self.d_ff)
        self.activation = resolve(activation)
        self.down = nn.Linear(self.d_ff, self.d_model)
        self.dropout = nn.Dropout(arguments.real("dropout", dropout, 0, 1, open_high=True))

    def hidden(self, x: torch.Tensor) -> torch.Tensor:
        """Return the hidden values, activation(x W_1 + b_1).

        Args:
            x: (..., d_model), any leading shape (an empty one too), of the dtype of the weights.

        Returns:
            (..., d_ff)

        Raises:
            TypeError: x is not a floating-point tensor, or has another dtype than the weights.
            ValueError: the last dimension of x is not d_model.
        """
        arguments.tensor("x", x, "d_model", self.d_model, like=self.up.weight)
        return self.activation(self.up(x))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return FFN(x). Arguments and errors are those of `hidden`; NaN stays within its own position.

        Returns:
            (..., d_model), the shape of x.
        """
        return self.dropout(self.down(self.hidden(x)))

    def extra_repr(self) -> str:
        """Return the line that print(module) shows first: the sizes and the number of parameters."""
        return _summary(self)


class GatedFeedForward(nn.Module):
    """Let a gate decide how much of each hidden value passes (Shazeer 2020, section 2).

        y = (activation(x W_gate) ⊙ (x W_up)) W_down

    The activation names the member of the family: sigmoid GLU, identity bilinear, relu ReGLU, gelu GEGLU, silu
    SwiGLU. Three matrices instead of two: with the same d_ff it has half as many parameters again.

    Args:
        d_model: features of a token, in and out.
        d_ff: hidden features.
        activation: a name from `course_lib.activations.ACTIVATIONS`, or any callable from tensor to tensor.
        bias: add a bias in each of the three layers (Shazeer 2020 and LLaMA have none).
        dropout: probability in [0, 1) that an output value is set to zero while training.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a size below 1, dropout outside [0, 1), or an unknown activation (the message lists the known).
    """

    def __init__(self, d_model: int, d_ff: int, activation="silu", bias: bool = False, dropout: float = 0.0):
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
        """Return the gated hidden values, activation(x W_gate) ⊙ (x W_up).

        Args:
            x: (..., d_model), any leading shape (an empty one too), of the dtype of the weights.

        Returns:
            (..., d_ff)

        Raises:
            TypeError: x is not a floating-point tensor, or has another dtype than the weights.
            ValueError: the last dimension of x is not d_model.
        """
        arguments.tensor("x", x, "d_model", self.d_model, like=self.up.weight)
        return self.activation(self.gate(x)) * self.up(x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return y as in the equation. Arguments and errors are those of `hidden`.

        Returns:
            (..., d_model), the shape of x.
        """
        return self.dropout(self.down(self.hidden(x)))

    def extra_repr(self) -> str:
        """Return the line that print(module) shows first: the sizes and the number of parameters."""
        return _summary(self)


class SwiGLUFeedForward(GatedFeedForward):
    """Gate with SiLU, as LLaMA does (Shazeer 2020, section 2; Touvron et al. 2023, section 2.2).

        y = (SiLU(x W_gate) ⊙ (x W_up)) W_down

    Args and errors are those of `GatedFeedForward`; `swiglu_width` gives a d_ff of equal cost.
    """

    def __init__(self, d_model: int, d_ff: int, bias: bool = False, dropout: float = 0.0):
        super().__init__(d_model, d_ff, "silu", bias, dropout)


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


def _summary(ffn) -> str:
    name = getattr(ffn.activation, "__name__", None) or type(ffn.activation).__name__
    parameters = sum(p.numel() for p in ffn.parameters())
    sizes = f"d_model={ffn.d_model}, d_ff={ffn.d_ff}"
    return f"{sizes}, activation={name}, dropout={ffn.dropout.p:g}, parameters={parameters:,}"
