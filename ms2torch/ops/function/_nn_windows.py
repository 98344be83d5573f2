"""What MindSpore says of windows: sizes that are not positive, columns that are too few or too many."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.checks.calls import describe
from ms2torch._core.errors import asked

from ._array_shape import size_of


def _all_ints(sizes) -> bool:
    return all(n.__class__ is int for n in sizes)


def check_three(name: str, lead: tuple = (1, 1), least: int = 1, **sizes) -> None:
    """ValueError unless the three numbers of each of ``sizes`` are at least ``least``; errors show ``lead``
    before them."""
    for argument, three in sizes.items():
        if _all_ints(three) and min(three) < least:
            raise asked(ValueError(
                f"For '{name}', the parameter '{argument}' must be an positive integer or a tuple of three "
                f"positive integer, but got {(*lead, *three)}"))


def check_max_pool3d(kernel, stride, pads) -> None:
    """The sizes of `max_pool3d`, whose padding is at most half of the window."""
    check_three("MaxPool3DWithArgmax", (), ksize=kernel, strides=stride)
    check_three("MaxPool3DWithArgmax", (), 0, pads=pads)
    if _all_ints((*kernel, *pads)) and any(2 * p > k for k, p in zip(kernel, pads, strict=True)):
        told = ("{" + ", ".join(map(str, three)) + "}" for three in (kernel, pads))
        raise asked(ValueError("For Maxpool3DWithArgmax, pads should be less equal to the half of ksize, but "
                               "got ksize is[[const vector]{}], pads is[[const vector]{}].".format(*told)))


def check_some_left(x, kernel, stride, padding) -> None:
    """RuntimeError for the mean of windows of an empty tensor."""
    dims = len(kernel)
    if x.ndim != dims + 2 or not _all_ints((*kernel, *stride)) or padding.__class__ is not int:
        return
    rest = [(n + 2 * padding - k) // s + 1 for n, k, s in zip(x.shape[2:], kernel, stride, strict=True)]
    shape = ", ".join(map(str, (*x.shape[:2], *(1,) * (3 - dims), *rest)))
    raise asked(RuntimeError("For 'AvgPool3D', output shape's all elements must be positive, but got shape: "
                             f"[const vector]{{{shape}}}.Please check input parameter!"))


def check_columns(name: str, kernel_size, dilation, padding, stride, output_size=None, x=None) -> None:
    """ValueError for windows of two sizes that are not positive, and for columns ``x`` (N, C, windows'
    elements, places) that are not those of an image of ``output_size``."""
    least = {"padding": 0}
    sizes = {"kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride}
    pairs = {}
    for argument, given in sizes.items():
        pair = [*given] if isinstance(given, (tuple, list)) else [given]
        for k, n in enumerate(pair if _all_ints(pair) else ()):
            if n < least.get(argument, 1):
                bound = "> 0" if argument not in least else ">= 0"
                raise asked(ValueError(f"For '{name}', the '{argument}[{k}]' must be int and must {bound}, "
                                       f"but got '{n}' with type 'int'."))
        pairs[argument] = pair * 2 if len(pair) == 1 else pair
    if x is None or not all(len(p) == 2 and _all_ints(p) for p in (*pairs.values(), output_size)):
        return
    if min(output_size) < 0:
        raise asked(ValueError("For 'Col2Im', the value of 'output_size' must not be negative, but got "
                               f"{list(output_size)}."))
    kernel, (held, places), count = pairs["kernel_size"], x.shape[-2:], 1
    if held != kernel[0] * kernel[1]:
        raise asked(ValueError("For Col2Im, expected size of input's dimension 2 to be divisible by the "
                               f"product of kernel_size, but got input.size(2)={held} and "
                               f"kernel_size={(*kernel,)}."))
    for n, k, d, p, s in zip(output_size, *pairs.values(), strict=True):
        count *= (n + 2 * p - d * (k - 1) - 1) // s + 1
    if places != count:
        raise asked(ValueError(
            "For 'Col2Im', size of input's 4th dimension must be equal to calculated number of sliding "
            f"blocks, but got input.size[3]: {places}, calculated number of sliding blocks: {count}."))


def check_max_unpool3d(x, kernel, stride, pads, size) -> None:
    """The sizes of `max_unpool3d`, and that something is left."""
    check_three("MaxUnpool3D", ksize=kernel, strides=stride)
    if size is None and _all_ints((*kernel, *stride, *pads)):
        for k, (n, window, step, pad) in enumerate(zip(x.shape[-3:], kernel, stride, pads, strict=True), 2):
            if (out := (n - 1) * step - 2 * pad + window) < 1:
                raise asked(ValueError(f"For primitive[MaxUnpool3D], the output_shape[{k}] must be greater "
                                       f"than 0, but got {out}."))


def _dims(t, rank: int, dims: int) -> str:
    """A shape with the axes that MindSpore adds to it."""
    shape = [*t.shape, *([1] if dims == 1 else [])]
    return f"[{''.join(f'{n},' for n in [1] * (rank - len(shape)) + shape)}]"


def check_unpool(x, indices, dims: int) -> None:
    """That maxima and their places have the rank of images and one shape."""
    wanted = max(dims, 2) + 2
    more = (x.ndim == dims + 1) + (dims == 1)           # axes that MindSpore adds to both
    for who, rank in (("x", x.ndim + more), ("argmax", indices.ndim + more)):
        if rank != wanted:
            raise ValueError(f"For primitive[MaxUnpool{wanted - 2}D], the {who}_rank must be equal to "
                             f"{wanted}, but got {rank}.")
    if x.shape != indices.shape:
        shown = (_dims(t, wanted, dims) for t in (x, indices))
        raise ValueError("For primitive[MaxUnpool{}D], the x_shape: {} must be equal to {}"
                         .format(wanted - 2, *shown))


def check_lp(x, kernel, stride, ceil: bool) -> None:
    """What is said, of three dimensions, where nothing is left."""
    lead, sizes = (1,) * (3 - len(kernel)), x.shape[-len(kernel):]
    if any(n < k for n, k in zip(sizes, kernel, strict=True)):
        given = ", ".join(f"{way}:{n}" for way, n in zip("DHW", (*lead, *sizes), strict=True))
        window = ", ".join(map(str, (*lead, *kernel)))
        raise asked(RuntimeError(f"For 'AvgPool3D, size of input with the padding is ({given}) smaller than "
                                 f"kernel size [const initializer_list]{{{window}}}"))
    counts = ((-((k - n) // s) if ceil else (n - k) // s) + 1
              for n, k, s in zip(sizes, kernel, stride, strict=True))
    batch = (1, *x.shape)[-len(kernel) - 2:-len(kernel)]
    shape = ", ".join(map(str, (*batch, *lead, *counts)))
    raise asked(RuntimeError("For 'AvgPool3D', output shape's all elements must be positive, but got shape: "
                             f"[const vector]{{{shape}}}.Please check input parameter!"))


def max_size(t, output_size) -> tuple[int, ...]:
    """The sizes that are asked of AdaptiveMaxPool2D, where None and -1 keep one."""
    if output_size.__class__ is int:
        output_size = (output_size, output_size)
    size = tuple(output_size)
    if len(size) == 2 and size[0].__class__ is not int:
        size = tuple(size_of(n) if isinstance(n, np.integer) or (isinstance(n, torch.Tensor) and not n.ndim)
                     else n for n in size)
    if not all(n is None or n.__class__ is int for n in size):
        raise asked(TypeError(f'Failed calling AdaptiveMaxPool2D with "AdaptiveMaxPool2D(output_size='
                              f'{describe(size)})(input=Tensor)".'))
    if len(size) < 2:
        raise asked(RuntimeError(f"The index[{len(size)}] is out of range, element size is: {len(size)}"))
    if any(n is not None and n < -1 for n in size):
        raise asked(RuntimeError("The output_size input is invalid"))
    if 0 in size:
        raise asked(RuntimeError("For primitive[AdaptiveMaxPool2D], the output_size is illegal"))
    return tuple(t.shape[i - 2] if n in (None, -1) else n for i, n in enumerate(size))


def check_fractional(x, samples, kernel, size) -> None:
    """What MindSpore asks of the shapes of pooling at random places in planes."""
    if not isinstance(samples, torch.Tensor) or samples.ndim != 3 or x.ndim != 4:
        return                                      # (said elsewhere)
    if x.shape[1] != samples.shape[1]:
        raise asked(ValueError("The second dimension size of input_x and random_samples must be equal."))
    for way, k, n, most in zip(("height", "width"), kernel, size or (), x.shape[2:], strict=False):
        if k + n - 1 > most:
            raise asked(ValueError(
                f"For FractionalMaxPoolWithFixedKsize, ksize {way} [{k}] + output_shape_{way[0]} [{n}] too "
                f"large relative to input {way} [{most}], conflict with the rule: ksize_{way[0]} + "
                f"output_shape_{way[0]} - 1 <= input_{way[0]}"))
