"""Dtypes that MindSpore's operators refuse although a kernel of ours would take them."""

from __future__ import annotations

import torch

from ms2torch._core.tensor.dtype import from_torch

WITHOUT_REMAINDERS = ("bool", "bfloat16", "complex64", "complex128")


def refusing(name: str, compute, refused: tuple[str, ...], words):
    """``compute`` without the dtypes that MindSpore's ``name`` refuses: TypeError, ``words(name, dtype)``."""
    refused = frozenset(getattr(torch, n) for n in refused)

    def checked(a, b):
        dtype = a.dtype if isinstance(a, torch.Tensor) else b.dtype
        if dtype in refused:
            raise TypeError(words(name, from_torch(dtype)))
        return compute(a, b)

    checked.of_integers = compute.of_integers
    return checked


def not_selected(name, dtype=None) -> str:
    rule = "-" * 52
    return f"\n{rule}\n- Kernel select failed:\n{rule}\n{not_supported(name)}"


def not_supported(name) -> str:
    return f"Select CPU operator[{name}] fail! Unsupported data type!"


def must_be(*dtypes: str):
    allowed = ", ".join(f"Tensor[{d}]" for d in dtypes)
    return lambda name, dtype: (f"For primitive[{name}], the input argument[x] must be a type of "
                                f"{{{allowed}}}, but got Tensor[{dtype}].")


def invalid(name, dtype) -> str:
    return f"For '{name}', the input type Tensor[{dtype}] is invalid."
