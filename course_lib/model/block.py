"""The block around the feed-forward network: attention, residual connections and layer norms."""

from course_lib.model.ffn import PositionWiseFeedForward
from course_lib.model.one_thread import nn, torch
from courseware import arguments


class EncoderBlock(nn.Module):
    """Let tokens look at each other, then let each compute alone.

        post-norm (Vaswani et al. 2017, section 3.1):  x ← norm1(x + attend(x));  x ← norm2(x + ffn(x))
        pre-norm (Xiong et al. 2020, section 3.2):     x ← x + attend(norm1(x));  x ← x + ffn(norm2(x))

    With the same weights this is torch's nn.TransformerEncoderLayer, except that dropout acts on the outputs of the
    two sub-layers only (Vaswani et al. 2017, section 5.4); torch also drops attention weights and hidden values.

    Args:
        d_model: features of a token, in and out.
        n_heads: attention heads; must divide d_model.
        d_ff: hidden features of the feed-forward network.
        activation: of the feed-forward network, as in `course_lib.model.ffn`.
        causal: True lets every token look at itself and at those before it only.
        dropout: probability in [0, 1) that a value of a sub-layer's output is set to zero while training.
        norm_first: True for pre-norm, False for post-norm.
        ffn: a module (..., d_model) → (..., d_model) to use instead, such as a gated one, with its own dropout;
            d_ff and activation are then not used.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: n_heads does not divide d_model, a size is below 1, or as in `course_lib.model.ffn`.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_ff: int,
        *,
        activation="relu",
        causal=False,
        dropout=0.1,
        norm_first=False,
        ffn=None,
    ):
        super().__init__()
        self.d_model = arguments.integer("d_model", d_model)
        n_heads = arguments.integer("n_heads", n_heads)
        if self.d_model % n_heads:
            raise ValueError(f"n_heads must divide d_model, but {n_heads} does not divide {self.d_model}.")
        if ffn is None:
            ffn = PositionWiseFeedForward(self.d_model, d_ff, activation=activation, dropout=dropout)
        elif not isinstance(ffn, nn.Module):
            raise TypeError(f"ffn must be a torch module, but {arguments.described(ffn)} was given.")
        self.causal = arguments.boolean("causal", causal)
        self.norm_first = arguments.boolean("norm_first", norm_first)
        self.attention = nn.MultiheadAttention(self.d_model, n_heads, batch_first=True)
        self.dropout = nn.Dropout(arguments.real("dropout", dropout, 0, 1, open_high=True))
        self.ffn = ffn
        self.norm1 = nn.LayerNorm(self.d_model)
        self.norm2 = nn.LayerNorm(self.d_model)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        """Return what attention adds to x: self-attention, then dropout. Shapes and errors are those of `forward`."""
        self._check(x)
        later = torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool).triu(1) if self.causal else None
        y, _ = self.attention(x, x, x, attn_mask=later, is_causal=self.causal, need_weights=False)
        return self.dropout(y)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the tokens after the block.

        Args:
            x: (seq_len, d_model) or (batch, seq_len, d_model), of the dtype of the weights.

        Returns:
            The shape of x.

        Raises:
            TypeError: x is not a floating-point tensor, or has another dtype than the weights.
            ValueError: x has another number of dimensions, or its last one is not d_model.
        """
        self._check(x)
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.ffn(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.ffn(x))

    def extra_repr(self) -> str:
        """Return the line that print(module) shows first."""
        order = ("causal, " if self.causal else "") + ("pre-norm" if self.norm_first else "post-norm")
        parameters = sum(p.numel() for p in self.parameters())
        return f"d_model={self.d_model}, n_heads={self.attention.num_heads}, {order}, parameters={parameters:,}"

    def _check(self, x):
        arguments.tensor("x", x, "d_model", self.d_model, like=self.norm1.weight)
        if x.ndim not in (2, 3):
            shapes = "(seq_len, d_model) or (batch, seq_len, d_model)"
            raise ValueError(f"x must have shape {shapes}, but its shape is {tuple(x.shape)}.")
