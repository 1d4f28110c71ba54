"""Look inside a network: who influences whom, rank, and who wrote what into the stream.

Values may be torch tensors or NumPy arrays; results are plain numbers and NumPy arrays. NaN and infinity are refused.
"""

import numpy as np

from course_lib import arguments
from course_lib.model.block import EncoderBlock
from course_lib.model.one_thread import torch


def influence(f, x, seed: int = 0) -> np.ndarray:
    """Measure how far each output row moves when one input row changes.

        M[i, j] = ‖f(x with row j changed)[i] - f(x)[i]‖, where the change is a random vector of length 1

    Args:
        f: a function of x that returns (n_out, features), such as a module in eval mode (dropout would move all rows).
        x: (n_in, features), a tensor or an array; f receives the same kind.
        seed: of the random change.

    Returns:
        (n_out, n_in), 0 where nothing moves. For a layer that treats every position alone all but the diagonal is
        exactly 0, because every call has the same shape.

    Raises:
        TypeError: f is not callable, or x is not numeric (the same holds for every function of this module).
        ValueError: f returns something else than rows, or x is empty, has the wrong shape, or holds NaN or infinity
            (the same).
    """
    if not callable(f):
        raise TypeError(f"f must be callable, but {arguments.described(f)} was given.")
    rows = arguments.array("x", x, ("n_in", "features"))
    x = arguments.tensor("x", x).detach() if arguments.is_tensor(x) else rows
    change = np.random.default_rng(arguments.integer("seed", seed, 0)).normal(size=rows.shape)
    change /= np.linalg.norm(change, axis=1, keepdims=True)
    with torch.no_grad():
        before = _rows(f(x))
        moved = [_rows(f(_with_row_moved(x, j, change[j]))) for j in range(len(rows))]
    return np.stack([np.linalg.norm(after - before, axis=1) for after in moved], axis=1)


def rank(h) -> int:
    """Return how many directions the tokens spread over: the numerical rank of h after its mean is removed.

    Singular values below the largest · max(tokens, features) · machine epsilon count as zero.

    Args:
        h: (tokens, features).
    """
    h = arguments.array("h", h, ("tokens", "features"))
    return int(np.linalg.matrix_rank(h - h.mean(axis=0)))


def stream_parts(blocks, x: torch.Tensor) -> np.ndarray:
    """Split every token, before and after every block, into what the input, the attentions and the FFNs wrote into it.

    The three parts of a token sum to its vector. A block adds to its stream, so each sub-layer's output is added to
    its part. A norm of the stream itself (post-norm) is applied to all parts alike: the scale is found on the sum, and
    each part is centred and scaled by it; the norm's shift counts as written by the sub-layer before it.

    Args:
        blocks: `EncoderBlock`s in eval mode, the first one first.
        x: (seq_len, d_model), of the dtype of the blocks.

    Returns:
        (blocks + 1, 3, seq_len, d_model): input, attention and FFN, before the first block and after each.

    Raises:
        TypeError: a block is not an EncoderBlock, or x has another dtype than its weights.
        ValueError: x has another shape, or a block is still in training mode.
    """
    arguments.array("x", arguments.tensor("x", x), ("seq_len", "d_model"))
    blocks = arguments.items("blocks", blocks, "EncoderBlocks")
    parts = torch.stack([x, 0 * x, 0 * x])
    history = [parts]
    with torch.no_grad():
        for index, block in enumerate(blocks):
            if not isinstance(block, EncoderBlock):
                raise TypeError(f"blocks[{index}] must be an EncoderBlock, but {arguments.described(block)} was given.")
            if block.training:
                raise ValueError(f"blocks[{index}] must be in eval mode: call its eval() first.")
            arguments.tensor("x", x, "d_model", block.d_model, like=block.norm1.weight)
            first, second = block.norm1, block.norm2
            for part, sub_layer, norm in ((1, block.attend, first), (2, block.ffn, second)):
                stream = parts.sum(dim=0)
                parts = parts.clone()
                parts[part] += sub_layer(norm(stream) if block.norm_first else stream)
                if not block.norm_first:
                    parts = _normalised(parts, part, norm)
            history.append(parts)
    return torch.stack(history).numpy()


def _normalised(parts, last, norm):
    """Apply a layer norm to the sum of the parts, part by part."""
    scale = (parts.sum(dim=0).var(dim=-1, correction=0, keepdim=True) + norm.eps).rsqrt() * norm.weight
    parts = (parts - parts.mean(dim=-1, keepdim=True)) * scale
    parts[last] += norm.bias
    return parts


def _rows(y) -> np.ndarray:
    return arguments.array("f(x)", y, ("n_out", "features"))


def _with_row_moved(x, j, change):
    if arguments.is_tensor(x):
        moved, change = x.clone(), torch.as_tensor(change, dtype=x.dtype)
    else:
        moved = x.copy()
    moved[j] += change
    return moved
