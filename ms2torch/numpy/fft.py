"""numpy's names of the Fourier transforms (``mindspore.numpy.fft``): ``axis`` and ``axes`` for ``dim``."""

from ms2torch.ops.function import fft_func as _ops

_PREFIXES = ("", "i", "r", "ir", "h", "ih")
__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq",  # noqa: F822
           *(f"{prefix}fft{end}" for prefix in _PREFIXES for end in ("", "2", "n"))]

fftfreq, rfftfreq = _ops.fftfreq, _ops.rfftfreq


def _along_one(transform):
    def named(a, n=None, axis=-1, norm=None):
        return transform(a, n, axis, norm)
    return named


def _along_some(transform, default):
    def named(a, s=None, axes=default, norm=None):
        return transform(a, s, axes, norm)
    return named


def _shift(transform):
    def named(x, axes=None):
        return transform(x, axes)
    return named


def _define(name, named, transform):
    named.__name__ = named.__qualname__ = name
    text = transform.__doc__.replace("mindspore.ops", "mindspore.numpy.fft")
    named.__doc__ = text.replace("``dim``", "``axes``")
    globals()[name] = named


for _prefix in _PREFIXES:
    _one, _two, _all = (getattr(_ops, f"{_prefix}fft{_end}") for _end in ("", "2", "n"))
    _define(f"{_prefix}fft", _along_one(_one), _one)
    _define(f"{_prefix}fft2", _along_some(_two, (-2, -1)), _two)
    _define(f"{_prefix}fftn", _along_some(_all, None), _all)
_define("ihfftn", _along_some(_ops.hfftn, None), _ops.hfftn)       # MindSpore 2.10 has hfftn under this name
_define("fftshift", _shift(_ops.fftshift), _ops.fftshift)
_define("ifftshift", _shift(_ops.ifftshift), _ops.ifftshift)
