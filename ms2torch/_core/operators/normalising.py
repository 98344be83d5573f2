"""Batch and instance normalisation with a derivative that is right for every layout of memory.

torch's CPU kernel mixes elements up in the backward pass of 4-D and 5-D inputs where axes of length 1 leave
their memory format open (MindSpore's programs make such of sequences, by ``ExpandDims`` after a
transposition), and in instance normalisation, which to it is a batch of one. Over three axes it does not, and
to a norm the axes after the second are all the same. Over two axes it reads the weight, and means and
variances that are given, as if their elements lay one after another.
"""

from __future__ import annotations

import torch


def unambiguous(t: torch.Tensor) -> torch.Tensor:
    """``t``, over three axes where its own are ambiguous. (What an exporter leaves open is not asked.)"""
    if t.ndim > 3 and t.is_cpu and not torch.compiler.is_compiling() and 1 in t.shape:
        return t.flatten(2)
    return t


def one_after_another(t: torch.Tensor | None) -> torch.Tensor | None:
    """``t``, copied where its elements are not one after another."""
    return t if t is None or t.is_contiguous() else t.contiguous()


def batch_norm(t: torch.Tensor, weight, bias, mean, variance, training: bool, *rest) -> torch.Tensor:
    """``torch.batch_norm``."""
    x = unambiguous(t)
    if not training:                                # else they are written to
        mean, variance = one_after_another(mean), one_after_another(variance)
    y = torch.batch_norm(x, one_after_another(weight), bias, mean, variance, training, *rest)
    return y if x is t else y.reshape(t.shape)


def native_batch_norm(t: torch.Tensor, weight, *rest) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """``torch.native_batch_norm``: the output, the batch's means and the reciprocals of its deviations."""
    x = unambiguous(t)
    y, mean, rstd = torch.native_batch_norm(x, one_after_another(weight), *rest)
    return (y if x is t else y.reshape(t.shape)), mean, rstd


def instance_norm(t: torch.Tensor, *rest) -> torch.Tensor:
    """``torch.instance_norm``, which runs the same kernel over a batch of one."""
    if t.ndim > 3 and t.is_cpu:
        return torch.instance_norm(t.flatten(2), *rest).reshape(t.shape)
    return torch.instance_norm(t, *rest)
