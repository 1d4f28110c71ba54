"""Reverse the order of equal values where NumPy and torch leave it open: Python loads this from a folder on its path.

Stable sorts, argmax and argmin keep the first, as documented.
"""

import ctypes
import functools
import gc

import numpy as np
import torch


def _in_numpy(original):
    @functools.wraps(original)
    def reverse_ties(a, axis=-1, kind=None, order=None, *, stable=None):
        if stable or order is not None or kind in ("stable", "mergesort", "radixsort") or not a.ndim:
            return original(a, axis, kind, order)
        a, axis = (a.ravel(), 0) if axis is None else (a, axis)
        places = original(np.flip(a, axis), axis, "stable")
        return a.shape[axis] - 1 - places

    return reverse_ties


def _partition(a, kth, axis=-1, kind="introselect", order=None):
    """Sort whole, which is a partition too."""
    partition(a, kth, axis, kind, order)  # complains as the original does
    return a.argsort(axis)


def _sort(x, dim=-1, descending=False, stable=False):
    if stable or not x.ndim:
        return sort(x, dim=dim, descending=descending, stable=stable)
    values, places = sort(x.flip(dim), dim=dim, descending=descending, stable=True)
    return torch.return_types.sort((values, x.shape[dim] - 1 - places))


def _argsort(x, dim=-1, descending=False, stable=False):
    return _sort(x, dim, descending, stable).indices


def _topk(x, k, dim=-1, largest=True, sorted=True):
    found = topk(x, k, dim, largest)  # complains as the original does
    if not x.ndim:
        return found
    values, places = (one.narrow(dim, 0, k) for one in _sort(x, dim, largest))
    return torch.return_types.topk((values, places))


partition, sort, topk = np.ndarray.argpartition, torch.Tensor.sort, torch.Tensor.topk
methods = gc.get_referents(np.ndarray.__dict__)[0]  # np.argsort and np.argpartition call them
methods |= {"argsort": _in_numpy(np.ndarray.argsort), "argpartition": _partition}
ctypes.pythonapi.PyType_Modified(ctypes.py_object(np.ndarray))
for owner in (torch, torch.Tensor):
    owner.sort, owner.argsort, owner.topk = _sort, _argsort, _topk
