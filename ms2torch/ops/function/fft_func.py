"""Fourier transforms (``mindspore.ops.function.fft_func``).

Float16, bfloat16 and integers are transformed as Float32. Sizes, axes and norms mean what they mean in torch.
"""

from __future__ import annotations

import torch

from ms2torch._core.checks.enum_words import chosen, meant
from ms2torch._core.devices.device import device
from ms2torch._core.errors import asked, final
from ms2torch._core.operators.registry import op
from ms2torch._core.tensor import dtype as _dtype

_WIDE = (torch.float32, torch.float64, torch.complex64, torch.complex128)
_NORMS = ("backward", "forward", "ortho", "backward")
_ABOUT = {
    "": "The discrete Fourier transform", "i": "The inverse Fourier transform",
    "r": "The Fourier transform of real numbers, of which half is enough",
    "ir": "The inverse of the transform of real numbers, real",
    "h": "The transform of a signal whose own transform is real", "ih": "The inverse of ``hfft``, half of it",
}


def _ready(name: str, input, sizes, axes, norm):
    """The input in a dtype that is transformed; ValueError for axes, sizes and norms that do not exist."""
    label = name.upper()
    if norm is not None:
        chosen(norm, "norm", label, *_NORMS)
    if not 1 <= input.ndim <= 8:
        raise final(ValueError(f"For primitive[{label}], the rank of input must be in [1,8], "
                               f"but got {input.ndim}."))
    end = input.ndim - name.endswith("t")               # (of one axis it tells one less than there are)
    for axis in axes:
        if not -input.ndim <= axis < input.ndim:
            raise final(ValueError(f"For primitive[{label}], the dim must be in [{-input.ndim},{end}), "
                                   f"but got {axis}."))
    if not input.numel():
        raise final(ValueError("Unsupported input shape dimension. The shape should not be empty."))
    if len({axis % input.ndim for axis in axes}) < len(axes):
        raise final(ValueError("The dims must be unique."))
    argument = "n" if name.endswith("t") else "s"
    for size in sizes:
        if size < 1:
            raise final(ValueError(f"The argument[{argument}] must be greater than 0, but got {size}."))
    return input if input.dtype in _WIDE else input.to(torch.float32)


def _is_empty(name: str, input, axis: int) -> bool:
    """Whether half of a transform was one number: its inverse has 2 * (1 - 1), which torch refuses."""
    return name.startswith(("hfft", "irfft")) and input.shape[axis] == 1


def _nothing(input, axis: int):
    shape = list(input.shape)
    shape[axis] = 0
    return input.new_zeros(shape, dtype=input.real.dtype)


# Of complex numbers MindSpore gives as much of the whole transform as there is of real ones. (Along several
# axes its rows are of another length than their memory.)
_OF_REAL = {"rfft": "fft", "ihfft": "ifft"}


def _half(found, axis: int):
    return found.narrow(axis, 0, found.shape[axis] // 2 + 1)


def _along_one(name: str, about: str):
    transform = getattr(torch.fft, name)

    def fft(input, n=None, dim=-1, norm=None):
        input = _ready(name, input, () if n is None else (n,), (dim,), norm)
        if n is None and _is_empty(name, input, dim):
            return _nothing(input, dim)
        if input.is_complex() and name in _OF_REAL:
            return _half(getattr(torch.fft, _OF_REAL[name])(input, n, dim, meant(norm, *_NORMS)), dim)
        return transform(input, n, dim, meant(norm, *_NORMS))

    return fft, f"{about}, along ``dim`` cut or filled to ``n``"


def _along_some(name: str, about: str, default):
    transform = getattr(torch.fft, name)

    def fft(input, s=None, dim=default, norm=None):
        input = _ready(name, input, s or (), dim or (), norm)
        if s and dim and len(s) != len(dim):
            raise final(ValueError("When givec, dim and s arguuments must have the same length."))
        last = dim[-1] if dim else -1
        if s is None and _is_empty(name, input, last):
            return _nothing(input, last)
        return transform(input, s, dim, meant(norm, *_NORMS))

    return fft, f"{about}, along the axes ``dim`` cut or filled to ``s``"


def _define(name: str, made) -> None:
    kernel, text = made
    kernel.__name__ = name
    kernel.__doc__ = f"{text} (``mindspore.ops.{name}``)."
    globals()[name] = op(kernel)


for _prefix, _about in _ABOUT.items():
    _define(f"{_prefix}fft", _along_one(f"{_prefix}fft", _about))
    _define(f"{_prefix}fft2", _along_some(f"{_prefix}fft2", _about, (-2, -1)))
    _define(f"{_prefix}fftn", _along_some(f"{_prefix}fftn", _about, None))


@op
def fftshift(input, dim=None):
    """The zero frequency moved to the middle, along ``dim`` or all axes (``mindspore.ops.fftshift``)."""
    return torch.fft.fftshift(input, _axes("FFTShift", input, dim)) if input.ndim else input.clone()


@op
def ifftshift(input, dim=None):
    """What undoes `fftshift` (``mindspore.ops.ifftshift``)."""
    return torch.fft.ifftshift(input, _axes("IFFTShift", input, dim)) if input.ndim else input.clone()


def _axes(label: str, input, dim):
    """``dim``; ValueError for an axis that there is not."""
    for axis in () if dim is None else dim if isinstance(dim, (tuple, list)) else (dim,):
        if isinstance(axis, int) and not -input.ndim <= axis < input.ndim:
            raise asked(ValueError(f"For primitive[{label}], the dim must be in "
                                   f"[{-input.ndim},{input.ndim}), but got {axis}."))
    return dim


def _frequencies(make, name, n, d, dtype):
    if isinstance(n, torch.Tensor) and int(n) <= 0:
        raise asked(ValueError(f"The argument[n] must be greater than 0, but got {int(n)}."))
    return make(n, d, dtype=_dtype.given(dtype, name, torch.float32), device=device())


@op
def fftfreq(n, d=1.0, dtype=None):
    """The frequencies of `fft`'s results for samples ``d`` apart (``mindspore.ops.fftfreq``), Float32."""
    return _frequencies(torch.fft.fftfreq, "FFTFreq", n, d, dtype)


@op
def rfftfreq(n, d=1.0, dtype=None):
    """The frequencies of `rfft`'s results for samples ``d`` apart (``mindspore.ops.rfftfreq``), Float32."""
    return _frequencies(torch.fft.rfftfreq, "RFFTFreq", n, d, dtype)
