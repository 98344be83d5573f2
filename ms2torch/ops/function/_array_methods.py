"""Tensor methods whose form differs from the functional one's, and those that have none.

Methods of one meaning are attached where their operator is defined.
"""

from __future__ import annotations

import builtins

import numpy as np
import torch

from ms2torch._checkparam import check_hook_fn
from ms2torch._core.devices.device import accelerator as _accelerator
from ms2torch._core.devices.device import device as _here
from ms2torch._core.devices.device import module_of as _module_of
from ms2torch._core.devices.device import pins_memory as _pins
from ms2torch._core.operators.calls import no_matching_form
from ms2torch._core.operators.registry import method
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, as_torch, lower, wrap
from ms2torch._naming import generations

from ._array_index import chosen
from ._array_shape import ints, not_an_order

# ---- dtype -------------------------------------------------------------------------------------------------


@method(on_tensors=True)
def astype(self, dtype, copy=True):
    """The Tensor as another dtype: MindSpore's, numpy's, a Python type or a name.

    (``mindspore.Tensor.astype``.)

    A new Tensor also where the dtype stays, over the same memory.
    """
    t = self._t
    want = dtype.torch if isinstance(dtype, _dtype.Type) else None
    if want is None:
        want = _dtype.to_torch(_word(dtype))
    return wrap(t if t.dtype is want else t.to(want))


def _word(dtype):
    if isinstance(dtype, str) and dtype.lower() not in _dtype._WORDS:
        raise TypeError("For Tensor.astype, the string input type must be one of "
                        f"{sorted(_dtype._WORDS)}, but got '{dtype}'.")
    return dtype


@method(on_tensors=True)
def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False):
    """The Tensor as another dtype, or on another device, or as ``other`` is (``mindspore.Tensor.to``).

    Devices are mapped as ``device_target`` is: "CPU" stays on the CPU, all others are the device in use.
    """
    for arg in args:
        if isinstance(arg, Tensor):
            dtype = arg.dtype
        elif isinstance(arg, str):
            device = arg
        elif isinstance(arg, (_dtype.Type, torch.dtype)):
            dtype = arg
    t = self._t
    if dtype is not None:
        t = t.to(_dtype.to_torch(dtype))
    if device is not None:
        t = t.to(_place(device), non_blocking=non_blocking)
    return wrap(t.clone() if copy and t is self._t else t)


def _place(name: str) -> torch.device:
    kind = name.split(":")[0].lower()
    if kind not in ("cpu", "gpu", "ascend", "cuda", "npu"):
        raise ValueError(f'Failed to convert the value "{name}" of input \'device\' of \'to\' to enum.')
    return torch.device("cpu") if kind == "cpu" else _here()


@method(on_tensors=True)
def move_to(self, to, blocking=True):
    """A copy on the CPU or on the device in use (``mindspore.Tensor.move_to``)."""
    return wrap(self._t.to(_place(to), non_blocking=not blocking, copy=True))


@method(name="type", on_tensors=True)
def _type(self, dtype=None):
    """The dtype's name, or the Tensor as another dtype (``mindspore.Tensor.type``)."""
    return str(self.dtype) if dtype is None else astype(self, dtype)


def _kind(name: str, want: torch.dtype) -> None:
    @method(name=name, on_tensors=True)
    def convert(self):
        t = self._t
        return wrap(t if t.dtype is want else t.to(want))

    convert.__doc__ = f"The Tensor as {_dtype.from_torch(want)} (``mindspore.Tensor.{name}``)."


for _name, _want in (("float", torch.float32), ("half", torch.float16), ("double", torch.float64),
                     ("bfloat16", torch.bfloat16), ("int", torch.int32), ("long", torch.int64),
                     ("short", torch.int16), ("byte", torch.uint8), ("bool", torch.bool)):
    _kind(_name, _want)


@method(on_tensors=True)
def set_dtype(self, dtype):
    """Converts the Tensor itself, and returns the dtype (``mindspore.Tensor.set_dtype``)."""
    if isinstance(dtype, _dtype.Type):
        self._replace(self._t.detach().to(dtype.torch))
        return dtype
    raise TypeError(f"For 'set_dtype', the 'dtype' must be a mindspore dtype, but got {dtype}.")


@method
def is_signed(input):
    """Whether the dtype has a sign."""
    return input.dtype.is_signed


# ---- shape -------------------------------------------------------------------------------------------------


def _shape_of(shape):
    return ints(shape[0]) if len(shape) == 1 and not isinstance(shape[0], builtins.int) else shape


@method
def reshape(input, *shape):
    """The Tensor in another shape, given as numbers or as one tuple (``mindspore.Tensor.reshape``)."""
    return _reshaped(input, _shape_of(shape), "reshape")


@method
def view(input, *shape, dtype=None):
    """``reshape``; with a dtype, the same bytes read as it (``mindspore.Tensor.view``).

    Unlike torch's it also takes Tensors whose elements do not lie in order, and copies then.
    """
    if dtype is not None:
        shape = (dtype,)
    if len(shape) == 1 and isinstance(shape[0], (_dtype.Type, torch.dtype)):
        return input.view(_dtype.to_torch(shape[0]))
    return _reshaped(input, _shape_of(shape), "view")


def _reshaped(input, shape, name):
    try:
        return torch.reshape(input, shape)
    except TypeError:
        for i, n in enumerate(shape):
            if not hasattr(n, "__index__"):
                raise TypeError(f"{name}(): argument 'shape' (position 1) must be tuple of int but found "
                                "type of "
                                f"{n.__class__.__name__} at pos {i}.") from None
        raise
    except RuntimeError as err:
        if list(shape).count(-1) < 2 and all(n >= -1 for n in shape):       # sizes, of another number
            sizes = ", ".join(map(str, shape))
            raise ValueError(f"proposed_shape '[const vector]{{{sizes}}}' is invalid for input of size "
                             f"{input.numel()}") from None
        raise ValueError(str(err)) from None


@method
def view_as(input, other):
    """The Tensor in the shape of ``other``."""
    return input.reshape(other.shape)


@method
def reshape_as(input, other):
    """The Tensor in the shape of ``other``."""
    return input.reshape(other.shape)


@method
def transpose(input, *axes, dim0=None, dim1=None):
    """The axes in another order, by default reversed; two numbers beside more axes swap those.

    (``mindspore.Tensor.transpose``.) The order is given as numbers or as one tuple.
    """
    if dim0 is not None:
        return torch.transpose(input, dim0, dim1)
    ndim = input.ndim
    if not axes:
        return input.permute(*range(ndim - 1, -1, -1))
    if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
        axes = axes[0]
    elif axes == (None,):
        return input.permute(*range(ndim - 1, -1, -1))
    elif len(axes) == 2 and ndim != 2:
        return torch.transpose(input, *axes)
    elif len(axes) != ndim:
        raise ValueError("For Tensor.transpose, the number of axes must be equal to the dimension of Tensor, "
                         f"but got {len(axes)} in the number of axes.")
    try:
        return input.permute(axes)
    except (RuntimeError, IndexError):
        raise not_an_order(input, axes) from None


@method
def permute(input, *axis):
    """The axes in another order, given as numbers or as one tuple (``mindspore.Tensor.permute``)."""
    axis = axis[0] if len(axis) == 1 and isinstance(axis[0], (tuple, list)) else axis
    try:
        return input.permute(axis)
    except (RuntimeError, IndexError):
        raise not_an_order(input, axis) from None


@method
def tile(input, *dims, reps=None):
    """The Tensor repeated along its axes, as numbers or one tuple (``mindspore.Tensor.tile``)."""
    dims = reps if reps is not None else dims
    dims = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    for i, n in enumerate(dims):
        if n < 0:
            raise ValueError(f"For 'Tile', 'dims' cannot contain negative integer numbers, but got {n} in "
                             f"{i}th.")
    return input.tile(tuple(dims))


@method
def repeat(input, *repeats, axis=None):
    """The Tensor repeated along its axes, as torch's; with ``axis``, each slice along it, as numpy's.

    (``mindspore.Tensor.repeat``; before 2.3 it was numpy's.)
    """
    if axis is not None or (generations.has_old_meaning("mindspore.Tensor.repeat") and len(repeats) <= 2):
        counts, *rest = repeats
        axis = axis if not rest else rest[0]
        counts = counts if isinstance(counts, builtins.int) else torch.tensor(counts, device=input.device)
        return torch.repeat_interleave(input, counts, axis)
    repeats = repeats[0] if len(repeats) == 1 and isinstance(repeats[0], (tuple, list)) else repeats
    return input.repeat(*repeats)


@method
def expand(input, *size):
    """The Tensor repeated to a shape, without copying (``mindspore.Tensor.expand``)."""
    return input.expand(_shape_of(size))


@method
def resize(input, *new_shape):
    """The elements read in order into another shape: cut, or filled up with zeros.

    (``mindspore.Tensor.resize``.)
    """
    shape = tuple(_shape_of(new_shape))
    size = int(np.prod(shape))
    flat = input.reshape(-1)
    if size > flat.numel():
        flat = torch.cat((flat, flat.new_zeros(size - flat.numel())))
    return flat[:size].reshape(shape)


@method
def sum_to_size(input, *size):
    """Summed over the axes in which it is larger than ``size``."""
    size = _shape_of(size)
    try:
        return input.sum_to_size(size)
    except RuntimeError:
        raise ValueError(f"For sum_to_size, size {tuple(size)} is not expandable to the tensor size "
                         f"{tuple(input.shape)}.") from None


def _transposed(name: str, conjugate: builtins.bool) -> None:
    def read(self):
        t = self._t
        if name == "mT" and t.ndim < 2:
            raise ValueError(f"The 'axis' must be in the range of [-{t.ndim}, {t.ndim}), but got -2.")
        t = t.transpose(-2, -1) if t.ndim >= 2 else t
        return wrap(t.conj().resolve_conj() if conjugate and t.is_complex() else t)

    doc = "The last two axes swapped, conjugate." if conjugate else "The last two axes swapped."
    setattr(Tensor, name, property(read, doc=doc))


_transposed("mT", False)
_transposed("H", True)
_transposed("mH", True)


# ---- memory ------------------------------------------------------------------------------------------------


@method
def stride(input, dim=None):
    """The steps in elements: a list, or that of one axis (``mindspore.Tensor.stride``)."""
    return list(input.stride()) if dim is None else input.stride(dim)


@method
def is_contiguous(input):
    """Whether the elements lie in order."""
    return input.is_contiguous()


@method
def storage_offset(input):
    """Where in its memory the Tensor begins, in elements."""
    return input.storage_offset()


@method
def data_ptr(input):
    """The address of the first element."""
    return input.data_ptr()


@method
def _data_ptr(input):
    """``data_ptr``, as the compiled base class calls it."""
    return input.data_ptr()


@method
def contiguous(input):
    """The Tensor with its elements in order: itself where they are."""
    return input.contiguous()


@method(name="copy")
def _copy(input):
    """A copy, through which gradients flow (``mindspore.Tensor.copy``)."""
    return input.clone()


@method
def clone(input):
    """A copy, through which gradients flow."""
    return input.clone()


@method(on_tensors=True)
def value(self):
    """The Tensor itself."""
    return self


@method(on_tensors=True)
def flush_from_cache(self):
    """Nothing: there is no cache between host and device here."""


@method(on_tensors=True)
def data_sync(self, need_wait=True):
    """Waits until the value is there."""
    wait = getattr(_module_of(self._t.device.type), "synchronize", None)
    if wait is not None:
        wait()


@method(on_tensors=True)
def wait_pipeline(self):
    """Waits until the value is there."""
    data_sync(self)


@method(on_tensors=True)
def set_const_arg(self, const_arg=True):
    """Marks the Tensor as a constant of a graph; it has no effect here."""
    if not isinstance(const_arg, builtins.bool):
        raise TypeError(f"For 'set_const_arg', the 'const_arg' must be bool, but got {type(const_arg)}.")
    self.const_arg = const_arg
    return self


Tensor.const_arg = False
Tensor.virtual_flag = False
Tensor.param_info = None
Tensor.is_meta = property(lambda self: self._t.is_meta)
Tensor.data = property(lambda self: wrap(self._t))


class _Kept:
    """An attribute that Tensors had up to 2.5, None until a program sets it."""

    def __set_name__(self, owner, name: str) -> None:
        self._name = name

    def __get__(self, tensor, owner=None):
        if tensor is None:
            return self
        if generations.has_old_meaning("mindspore.Tensor.grad"):
            return None
        said = f"{type(tensor).__name__!r} object has no attribute {self._name!r}"
        raise AttributeError(said, name=self._name, obj=tensor)


for _name in ("grad", "grad_fn"):
    setattr(Tensor, _name, _kept := _Kept())
    _kept.__set_name__(Tensor, _name)


@method(on_tensors=True)
def is_shared(self):
    """Whether the memory is shared between processes."""
    return self._t.is_shared()


@method(on_tensors=True)
def pin_memory(self):
    """A copy in page-locked memory, where there is an accelerator that reads it."""
    return wrap(self._t.pin_memory() if _pins(_accelerator()) else self._t)


@method(on_tensors=True)
def register_hook(self, hook):
    """Call ``hook(gradient)`` when this Tensor's gradient is computed; a result replaces it.

    The handle that it returns has ``remove()``.
    """
    check_hook_fn(hook)

    def see(gradient):
        result = hook(wrap(gradient))
        if result is not None and not isinstance(result, Tensor):
            kind = type(result).__name__
            raise RuntimeError(f"Tensor hook should be return Tensor, but get type: {kind}.")
        return None if result is None else lower(result)

    t = self._t if self._t.requires_grad else self._t.detach().requires_grad_()
    return t.register_hook(see)


@method(on_tensors=True)
def requires_grad_(self, requires_grad=True):
    """Nothing for a Tensor: gradients come from ``mindspore.grad``. A Parameter's flag is set."""
    if hasattr(self, "requires_grad"):
        self.requires_grad = requires_grad
    return None


def _from_numpy(array):
    """A Tensor over the memory of a numpy array (``mindspore.Tensor.from_numpy``)."""
    if not isinstance(array, np.ndarray):
        raise TypeError("Expected a NumPy array.")
    if not array.flags.writeable or not array.flags.c_contiguous:
        array = np.array(array, order="C")
    t = torch.from_numpy(array)
    return wrap(t if _here().type == "cpu" else t.to(_here()))


Tensor.from_numpy = staticmethod(_from_numpy)


# ---- values ------------------------------------------------------------------------------------------------


@method
def item(input):
    """The only element, a Python number; ValueError where there are more (``mindspore.Tensor.item``)."""
    if input.numel() != 1:
        raise ValueError(f"The tensor should have only one element, but got {input.numel()}, more than one "
                         "element "
                         "is ambiguous.")
    return input.item()


@method
def tolist(input):
    """The values as nested lists of Python numbers."""
    return input.tolist()


@method(on_tensors=True)
def itemset(self, *args):
    """A Tensor with one element replaced, at ``(index, value)``, or ``(value)`` where there is one.

    (``mindspore.Tensor.itemset``.) The Tensor itself stays as it is, unlike numpy's array.
    """
    if len(args) == 1:
        if self.shape != (1,):
            raise IndexError("Only tensor which shape is (1,) support 1 arg that means omit index, but the "
                             "tensor "
                             f"shape is {self.shape} and got 1 input.")
        index, new = (0,), args[0]
    else:
        index, new = args
        if isinstance(index, builtins.int):
            index = tuple(int(i) for i in np.unravel_index(index, self.shape))
    changed = wrap(self._t.clone())
    changed[index] = new
    return changed


@method(on_tensors=True)
def assign_value(self, value):
    """Takes over the value of another Tensor, of any shape (``mindspore.Tensor.assign_value``)."""
    if not isinstance(value, Tensor):
        raise TypeError(f"For 'assign_value', the 'value' must be a Tensor, but got {type(value)}.")
    t = value._t.detach()
    self._t = t.to(self._t.dtype).clone()
    return self


@method
def fill(input, value):
    """A Tensor of the same shape and dtype filled with a number (``mindspore.Tensor.fill``)."""
    if not isinstance(value, (builtins.int, builtins.float, builtins.bool)):
        raise TypeError("For 'Tensor.fill', the type of the argument 'value' must be int, float or bool, "
                        "but got "
                        f"{type(value)}.")
    return torch.full_like(input, value)


@method
def take(input, indices=None, axis=None, mode="clip", *, index=None):
    """Elements at indices, of all in order or along ``axis`` (``mindspore.Tensor.take``).

    What is out of range is moved to the end ("clip") or counted round ("wrap").
    """
    indices = index if indices is None else indices
    if not isinstance(indices, torch.Tensor):
        raise TypeError("take(): argument 'indices' (position 1) must be Tensor, not "
                        f"{type(indices).__name__}.")
    if axis is None:
        input, axis = input.reshape(-1), 0
    n = input.shape[axis]
    indices = indices.long()
    if mode == "wrap":
        indices = indices.remainder(n)
    elif mode == "clip":
        indices = indices.clamp(0, n - 1)
    elif mode != "raise":
        raise ValueError("For 'Tensor.take', the argument 'mode' should be one of in ['raise', 'wrap', "
                         "'clip'], but "
                         f"got {mode}.")
    shape = input.shape
    axis = axis % len(shape)
    return torch.index_select(input, axis, indices.reshape(-1)).reshape(
        shape[:axis] + indices.shape + shape[axis + 1:])


@method
def choose(input, choices, mode="clip"):
    """In each place the element of that of ``choices`` whose number stands there.

    (``mindspore.Tensor.choose``.)
    """
    stacked = torch.stack(torch.broadcast_tensors(*(c if isinstance(c, torch.Tensor) else as_torch(c)
                                                    for c in choices)))
    n = stacked.shape[0]
    index = input.long().remainder(n) if mode == "wrap" else input.long().clamp(0, n - 1)
    index, stacked = torch.broadcast_tensors(index.unsqueeze(0), stacked)
    return stacked.gather(0, index[:1]).squeeze(0)


@method
def searchsorted(input, v, side="left", sorter=None):
    """Where each value would go into this sorted Tensor, Int32 (``mindspore.Tensor.searchsorted``)."""
    if side not in ("left", "right"):
        raise ValueError("For 'Tensor.searchsorted', the argument 'side' should be one of in ['left', "
                         "'right'], but "
                         f"got {side}.")
    v = v if isinstance(v, torch.Tensor) else as_torch(v)
    return torch.searchsorted(input, v, right=side == "right", sorter=sorter, out_int32=True)


@method(name="select")
def _select(input, condition=None, y=None, *, dim=None, index=None):
    """``(condition, y)``: itself where true, else ``y``; ``(dim, index)``: one slice.

    (``mindspore.Tensor.select``.)
    """
    if isinstance(condition, builtins.int):
        if not isinstance(y, builtins.int):
            raise no_matching_form("select", condition, *(() if y is None else (y,)))
        dim, index = condition, y
    if dim is not None:
        return torch.select(input, dim, index)
    if not isinstance(y, (torch.Tensor, builtins.int, builtins.float)):
        raise no_matching_form("select", condition, y)
    for kind, dtype in ((builtins.int, torch.int32), (builtins.float, torch.float32)):
        if isinstance(y, kind) and input.dtype is not dtype:
            raise TypeError(f"For 'Tensor.select', if the argument 'y' is {kind.__name__}, then the tensor "
                            f"type should be {kind.__name__}32 but got {_dtype.from_torch(input.dtype)}")
    return chosen(condition, input, y)


@method(name="where")
def _where(input, condition, y):
    """Itself where ``condition`` is true, else ``y`` (``mindspore.Tensor.where``)."""
    return chosen(condition, input, y)


@method
def masked_scatter(input, mask, source):
    """With the elements of ``source`` one after another where ``mask`` is True."""
    return torch.masked_scatter(input, mask, source)


@method
def index_put(input, indices, values, accumulate=False):
    """With ``values`` at the places that the tensors in ``indices`` name, added where ``accumulate``."""
    return torch.index_put(input, [i.long() if i.dtype is torch.int32 else i for i in indices],
                           values.to(input.dtype), builtins.bool(accumulate))


@method
def index(input, indices):
    """The elements at the places that the tensors in ``indices`` name."""
    if not isinstance(indices, (tuple, list)):
        raise TypeError("index(): argument 'indices' (position 1) must be tuple of Tensor, "
                        f"not {'Tensor' if isinstance(indices, torch.Tensor) else type(indices).__name__}.")
    return input[tuple(i.long() if i.dtype is torch.int32 else i for i in indices)]


@method
def fill_diagonal(input, fill_value, wrap=False):
    """With a number on the diagonal."""
    return input.clone().fill_diagonal_(fill_value, wrap)


__all__: list[str] = []
