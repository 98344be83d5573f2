"""Tensor methods about memory: strides, copies, hooks, sharing, what numpy shares."""

from __future__ import annotations

import itertools
from types import FunctionType

import numpy as np
import torch

from ms2torch._checkparam import check_hook_fn
from ms2torch._core.checks.compiled_methods import without_arguments
from ms2torch._core.devices.device import accelerator as _accelerator
from ms2torch._core.devices.device import device as _here
from ms2torch._core.devices.device import module_of as _module_of
from ms2torch._core.devices.device import pins_memory as _pins
from ms2torch._core.gradient import passes
from ms2torch._core.operators.registry import method
from ms2torch._core.tensor.construct import need_bool
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._naming import generations

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


@method(on_tensors=True)
def contiguous(self):
    """The Tensor with its elements in order: itself where they are."""
    return self if self._t.is_contiguous() else wrap(self._t.contiguous())


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
@without_arguments
def wait_pipeline(self):
    """Waits until the value is there."""
    data_sync(self)


@method(on_tensors=True)
def set_const_arg(self, const_arg=True):
    """Marks the Tensor as a constant of a graph, which has no gradient there."""
    need_bool(const_arg, "set_const_arg")
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
@without_arguments
def is_shared(self):
    """Whether the memory is shared between processes."""
    return self._t.is_shared()


@method(on_tensors=True)
def pin_memory(self):
    """A copy in page-locked memory, where there is an accelerator that reads it."""
    return wrap(self._t.pin_memory() if _pins(_accelerator()) else self._t)


class _HookHandle:
    """What `register_hook` returns; ``remove()`` takes the hook away."""

    def __init__(self, hooks: dict, registered) -> None:
        self._hooks, self._registered = hooks, registered
        self._number = next(_hook_numbers)

    def remove(self) -> None:
        self._hooks.pop(self._number, None)
        if self._registered is not None:
            self._registered.remove()


_hook_numbers = itertools.count(1)


@method(on_tensors=True)
def register_hook(self, hook):
    """Call ``hook(gradient)`` whenever this Tensor's gradient is computed; a result replaces it.

    The handle that it returns has ``remove()``. RuntimeError for a result that is no Tensor.
    """
    check_hook_fn(hook)
    hooks = self.__dict__.setdefault("_grad_hooks", {})
    # At rest there is no gradient yet: each differentiation by this Tensor asks for its hooks then.
    recorded = self._t.requires_grad
    handle = _HookHandle(hooks, self._t.register_hook(passes.watching(hook)) if recorded else None)
    hooks[handle._number] = hook
    return handle


@method(on_tensors=True)
def hooks(self):
    """The Tensor's hooks."""
    return list(self.__dict__.get("_grad_hooks", {}).values())


@method(on_tensors=True)
def requires_grad_(self, requires_grad=True):
    """Nothing for a Tensor: gradients come from ``mindspore.grad``. A Parameter's flag is set."""
    if hasattr(self, "requires_grad"):
        self.requires_grad = requires_grad
    return None


def from_numpy(array) -> Tensor:
    """A Tensor over the memory of a numpy array (``mindspore.from_numpy``, ``Tensor.from_numpy``); TypeError
    for anything else.

    What is not contiguous, of the other byte order, or must not be written to, is copied.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError("Expected a NumPy array.")
    if array.dtype.kind in "US":
        return Tensor(array)
    if not (array.flags.writeable and array.flags.c_contiguous and array.dtype.isnative):
        array = np.array(array, array.dtype.newbyteorder("="), order="C")
    t = torch.from_numpy(array)
    made = wrap(t if _here().type == "cpu" else t.to(_here()))
    made._of_numpy = True
    return made


Tensor.from_numpy = staticmethod(FunctionType(from_numpy.__code__, from_numpy.__globals__, "from_numpy"))
Tensor.from_numpy.__qualname__, Tensor.from_numpy.__doc__ = "Tensor.from_numpy", from_numpy.__doc__
