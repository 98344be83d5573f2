"""Gradients that programs register for Primitives of their own (``mindspore.ops._grad_experimental``)."""

from .grad_base import get_bprop_fn, get_taylor_fprop_fn

__all__ = ["get_bprop_fn", "get_taylor_fprop_fn"]
