"""Two partial attentions into one.

Attention over the positions A and attention over the positions B, disjoint from A, determine attention over
both: each output is an average, and its log-sum-exp says how much weight it averaged.
"""

import numpy as np

from companion.extras import extra

with extra("torch"):
    import torch

__all__ = ["merge"]

Array = np.ndarray | torch.Tensor


def merge(out_a: Array, lse_a: Array, out_b: Array, lse_b: Array) -> tuple[Array, Array]:
    """Attention over A and B together, from attention over each of two disjoint sets of positions.

    With Z_A = exp(lse_a - lse) and lse = log(exp(lse_a) + exp(lse_b)), out = Z_A out_a + (1 - Z_A) out_b
    (Milakov and Gimelshein 2018, arXiv 1805.02867, section 3.1; Dao et al. 2022, arXiv 2205.14135, section
    3.1).

    Parameters
    ----------
    out_a, out_b : (..., Dv), all NumPy arrays or all torch tensors
        The partial outputs. What an empty set's output holds does not matter.
    lse_a, lse_b : (...)
        Their log-sum-exps, natural logarithm; ``-inf`` says that the set was empty.

    Returns
    -------
    out, lse : (..., Dv) and (...)
        In the kind of array given. Where both sets are empty, 0 and ``-inf``. Tensors can be differentiated,
        and an empty set sends and receives the gradient 0.

    Raises
    ------
    TypeError
        Kinds are mixed, or an array does not hold real floating-point numbers.
    ValueError
        Shapes do not fit.

    Examples
    --------
    One key of weight 1 and value 2 with three keys of weight 1 and mean value 6:

    >>> out, lse = merge(np.array([[2.0]]), np.log([1.0]), np.array([[6.0]]), np.log([3.0]))
    >>> out.round(6), np.exp(lse).round(6)
    (array([[5.]]), array([4.]))
    """
    given = {"out_a": out_a, "lse_a": lse_a, "out_b": out_b, "lse_b": lse_b}
    if all(isinstance(array, np.ndarray) for array in given.values()):
        for name, array in given.items():
            if array.dtype.kind != "f":
                raise TypeError(f"{name} must hold floating-point numbers; got dtype {array.dtype}")
        out, lse = merge(*(torch.from_numpy(np.array(array)) for array in given.values()))
        return out.numpy(), lse.numpy()

    for name, array in given.items():
        if not isinstance(array, torch.Tensor):
            raise TypeError(
                f"{name} is a {type(array).__name__}; all four must be NumPy arrays or all four torch tensors"
            )
        if not array.is_floating_point():
            raise TypeError(f"{name} must hold floating-point numbers; got dtype {array.dtype}")
    if out_a.shape != out_b.shape:
        raise ValueError(f"out_a {tuple(out_a.shape)} and out_b {tuple(out_b.shape)} must have one shape")
    for name in ("lse_a", "lse_b"):
        if given[name].shape != out_a.shape[:-1]:
            raise ValueError(
                f"{name} must have out_a's shape without its last axis, {tuple(out_a.shape[:-1])}; "
                f"got {tuple(given[name].shape)}"
            )
    return _merge(out_a, lse_a, out_b, lse_b)


def _merge(out_a, lse_a, out_b, lse_b):
    # Any finite reference gives the same result; the larger of the two keeps the exponentials at or below 1.
    top = torch.maximum(lse_a, lse_b).detach()
    top = top.masked_fill(top == -torch.inf, 0.0)
    weight_a, weight_b = torch.exp(lse_a - top), torch.exp(lse_b - top)
    total = weight_a + weight_b
    empty = total == 0
    total = total.masked_fill(empty, 1.0)
    share_a, share_b = ((weight / total)[..., None] for weight in (weight_a, weight_b))
    # What weighs nothing is left out, not multiplied by 0: it may be NaN.
    kept_a, kept_b = out_a.masked_fill(share_a == 0, 0.0), out_b.masked_fill(share_b == 0, 0.0)
    out = share_a * kept_a + share_b * kept_b
    lse = (top + torch.log(total)).masked_fill(empty, -torch.inf)
    return out.to(torch.promote_types(out_a.dtype, out_b.dtype)), lse
