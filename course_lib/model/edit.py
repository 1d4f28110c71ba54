"""Edit a fact: change the second matrix of an FFN by one outer product, so that one input gets another output."""

from course_lib.model.one_thread import torch
from courseware.arguments import tensor


def rank_one(weight, bias, h, key, wanted) -> torch.Tensor:
    """Return the weight with which h gives the wanted output (Meng et al. 2022, ROME, equation 2).

        y = h W + b        W' = W + key ⊗ (wanted − y) / (key · h)        h W' + b = wanted

    Another input h' moves by (key · h') / (key · h) times the same vector, so the key decides who else is touched:
    h itself, C⁻¹ h with C the mean of h ⊗ h over inputs that should stay (the choice of Meng et al.), or a row of the
    identity, which changes one hidden unit's row alone.

    Args:
        weight: W, of shape (d_ff, d_model), as in `x @ W`; it is left alone. The weight of an nn.Linear is its
            transpose: pass `linear.weight.T`, and transpose what comes back.
        bias: b, of shape (d_model,), or None for a layer without one.
        h: the hidden values after the activation, of the input whose output is edited, shape (d_ff,).
        key: which rows change, and how much, shape (d_ff,).
        wanted: the new output for h, bias included, shape (d_model,).

    Raises:
        TypeError: an argument is no floating-point tensor, or their dtypes differ.
        ValueError: the shapes do not fit, or key · h is 0 (as where no unit of the key fires): then no change along
            this key reaches the output for h.
    """
    weight = tensor("weight", weight).detach()
    if weight.ndim != 2:
        raise ValueError(f"weight must have the shape (d_ff, d_model), but its shape is {tuple(weight.shape)}.")
    sizes = dict(zip(("d_ff", "d_model"), weight.shape, strict=True))
    if bias is None:
        bias = weight.new_zeros(sizes["d_model"])
    given = (("bias", bias, "d_model"), ("h", h, "d_ff"), ("key", key, "d_ff"), ("wanted", wanted, "d_model"))
    for name, value, axis in given:
        if tensor(name, value, axis, sizes[axis], like=weight).ndim != 1:
            raise ValueError(f"{name} must have the shape ({axis},), but its shape is {tuple(value.shape)}.")
    bias, h, key, wanted = (value.detach() for _, value, _ in given)
    product = key @ h
    if product.abs() <= 8 * torch.finfo(weight.dtype).eps * key.norm() * h.norm():
        raise ValueError("key · h must not be 0, but it is: no change along this key reaches the output for h.")
    return weight + torch.outer(key, wanted - (h @ weight + bias)) / product
