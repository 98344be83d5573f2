"""Fourier transforms as Primitives and over windows: FFTWithSize, STFT (``mindspore.ops``)."""

from __future__ import annotations

import torch

from ms2torch._core.errors import final
from ms2torch._core.operators.registry import REQUIRED, op, primitive


@primitive(
    "FFTWithSize",
    init={
        "signal_ndim": REQUIRED,
        "inverse": REQUIRED,
        "real": REQUIRED,
        "norm": "backward",
        "onesided": True,
        "signal_sizes": (),
    },
)
def _fft_with_size(x, signal_ndim, inverse, real, norm="backward", onesided=True, signal_sizes=()):
    """The transform of the last ``signal_ndim`` dimensions (``mindspore.ops.FFTWithSize``).

    ``real``: from real numbers, or with ``inverse`` to them (``signal_sizes``: their sizes); ``onesided``
    keeps the half that says all.
    """
    dims = tuple(range(-signal_ndim, 0))
    if not real:
        return (torch.fft.ifftn if inverse else torch.fft.fftn)(x, dim=dims, norm=norm)
    if not inverse:
        return (torch.fft.rfftn if onesided else torch.fft.fftn)(x, dim=dims, norm=norm)
    if onesided:
        if x.shape[-1] == 1 and not signal_sizes:
            raise final(ValueError("For 'FFTWithSize', the last dimension of the input cannot be 1, but got: "
                                   f"{x.shape[-1]}"))
        return torch.fft.irfftn(x, tuple(signal_sizes) or None, dims, norm)
    return torch.fft.ifftn(x, dim=dims, norm=norm).real


def _transformed(
    x, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, as_complex
):
    if window is None:
        window = torch.ones(win_length, device=x.device)
    if window.is_complex() and not x.is_complex():
        x = x + 0j
    found = torch.stft(
        x,
        n_fft,
        hop_length,
        win_length,
        window.to(x.dtype if window.is_complex() else x.real.dtype),
        center,
        pad_mode,
        normalized,
        onesided,
        return_complex=True,
    )
    return found if as_complex else torch.view_as_real(found)


@op
def stft(
    x,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    pad_mode="REFLECT",
    normalized=False,
    onesided=None,
    return_complex=None,
):
    """The Fourier transforms of overlapping windows of ``x`` (..., L) (``mindspore.ops.stft``).

    Complex for complex input or if asked, else with real and imaginary part in a last axis of 2.
    """
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    complex_in = x.is_complex() or (window is not None and window.is_complex())
    onesided = not complex_in if onesided is None else onesided
    return_complex = complex_in if return_complex is None else return_complex
    return _transformed(
        x,
        n_fft,
        hop_length,
        win_length,
        window,
        center,
        pad_mode.lower(),
        normalized,
        onesided,
        return_complex,
    )


@primitive(
    "STFT",
    init=dict.fromkeys(
        ("n_fft", "hop_length", "win_length", "normalized", "onesided", "return_complex"), REQUIRED
    ),
)
def _stft(x, window, n_fft, hop_length, win_length, normalized, onesided, return_complex):
    """`stft` without padding (``mindspore.ops.STFT``)."""
    return _transformed(
        x, n_fft, hop_length, win_length, window, False, "constant", normalized, onesided, return_complex
    )


__all__ = ["stft"]
