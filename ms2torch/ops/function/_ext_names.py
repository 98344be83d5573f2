"""The names that MindSpore gives to mint's functions among those of ``ops``: ``chunk_view``, ``rand_ext``.

They are put into the modules where MindSpore has them; those of ``ops.auto_generate`` are in that file.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.operators.lowering import lowered
from ms2torch._core.operators.registry import METHODS, MINT, OPS
from ms2torch._core.tensor.dtype import given

from . import _math_extreme, array_func, nn_func, random_func  # noqa: F401 (the first makes mint.max)

for _name, _of in {"chunk_view": "chunk", "gather_ext": "gather", "split_view": "split",
                   "unsqueeze_view": "unsqueeze", "max_ext": "max", "min_ext": "min"}.items():
    setattr(array_func, _name, MINT[_of])

for _name in ("rand", "randint", "randn", "randn_like"):
    setattr(random_func, f"{_name}_ext", MINT[_name])

nn_func.glu_ext = OPS["glu"].functional


def _new_zeros(input, size, *, dtype=None):
    """Zeros in the dtype of ``input`` unless another is given."""
    return METHODS["new_zeros"](input, size, dtype)


def _new_ones(input, size, *, dtype=None):
    """Ones in the dtype of ``input`` unless another is given."""
    return METHODS["new_ones"](input, size, dtype)


array_func.new_zeros, array_func.new_ones = _new_zeros, _new_ones


def _softmax_ext(input, dim=None, dtype=None):
    if dim is None:     # as torch's functional softmax without an axis
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return torch.softmax(input, dim, dtype=given(dtype, "Cast"))


def _pad_ext(input, pad, mode="constant", value=None):
    """Values around the last dimensions, the last one's first."""
    return F.pad(input, tuple(pad), mode, value)


nn_func.softmax_ext = lowered(_softmax_ext, "softmax_ext")
nn_func.pad_ext = lowered(_pad_ext, "pad", public=("mint.nn.functional.pad",))
