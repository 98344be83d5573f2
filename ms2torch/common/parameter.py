"""Parameter and ParameterTuple (``mindspore.common.parameter``)."""

from __future__ import annotations

import copy as _copy
import weakref
from itertools import count

import numpy as np
import torch

from ms2torch._checkparam import check_hook_fn
from ms2torch._core import mode
from ms2torch._core.gradient import local_writes, recording, threads
from ms2torch._core.gradient.copy_on_write import overwrite
from ms2torch._core.random import repeating
from ms2torch._core.tensor import pickling
from ms2torch._core.tensor.sharing import nobody_else_holds
from ms2torch._core.tensor.tensor import Tensor, as_torch, wrap
from ms2torch._naming import generation, generations

from ._buffer import _Buffer

PARAMETER_NAME_DEFAULT = "Parameter"
PARAMETER_NAME_PREFIX_MAX_LEN = 1024
_unnamed = count(2)             # MindSpore makes two such Parameters while it is imported
_keys = count()


def _is_parameter_generated(name) -> bool:
    """Whether a name is one that unnamed Parameters get."""
    return isinstance(name, str) and name.startswith(f"{PARAMETER_NAME_DEFAULT}#")


class _Flag:
    """An attribute that is a bool; TypeError for anything else."""

    def __init__(self, place: str, default: bool, says: str) -> None:
        self.place, self.default, self.says = place, default, says

    def __get__(self, parameter, owner=None):
        return self.default if parameter is None else parameter.__dict__.get(self.place, self.default)

    def __set__(self, parameter, value) -> None:
        if not isinstance(value, bool):
            raise TypeError(self.says)
        parameter.__dict__[self.place] = value
        mode.changes += 1


def _content(given) -> torch.Tensor:
    """The data that a Parameter starts with."""
    if isinstance(given, Tensor):
        return given._t.detach().clone()
    if isinstance(given, bool):
        raise ValueError("Parameter data can not be `bool`")
    if isinstance(given, (int, float)):
        data = as_torch(given)
        return data.to(torch.int32 if isinstance(given, int) else torch.float32)
    if isinstance(given, (list, np.ndarray)) or (
            hasattr(given, "__array__") and not isinstance(given, np.generic)):
        return as_torch(given)
    if given is None or isinstance(given, (str, dict)):
        raise TypeError(
            "For 'Tensor', the type of 'input_data' should be one of '['TensorPy', 'Tensor', 'ndarray', "
            "'str_', 'list', 'tuple', 'float', 'int', 'bool', 'complex', 'bytes']', but got type "
            f"'{type(given).__name__}'.")
    raise TypeError(
        "The type of the argument 'default_input' must be in ['Tensor', 'int', 'float', 'numpy.ndarray', "
        f"'list']. But got type {type(given)}.")


# Flags that a clone has as its original; `param_info` carries those of the constructor too.
_COPIED = ("comm_fusion", "cache_enable", "_cache_shape", "unique")
_FLAGS = ("_requires_grad", "_layerwise", "_sharded", "parallel_optimizer_comm_recompute", *_COPIED)


class Parameter(Tensor):
    """A Tensor that a Cell owns and an optimizer updates (``mindspore.Parameter``).

    ``default_input`` is a Tensor, Parameter, number, list or numpy array; its data is copied.
    ``requires_grad`` only marks what ``trainable_params()`` returns: unlike torch's parameters, no Parameter
    carries a graph or a ``.grad``. Between differentiations ``_rest``, a torch.nn.Parameter that does not
    require grad, holds the data; inside one, ``_t`` is a fresh alias of it.
    """

    init_mode = None
    inited_param = None
    is_param_ps = False
    cache_enable = False
    key = -1                      # of a table on a parameter server
    comm_fusion = 1
    parallel_optimizer_comm_recompute = False
    requires_grad = _Flag("_requires_grad", True, "The argument `requires_grad` must be bool type")
    layerwise_parallel = _Flag("_layerwise", False, "The argument `layerwise_parallel` must be bool type.")
    parallel_optimizer = _Flag("_sharded", True, "The argument `parallel_optimizer` must be bool type.")
    sliced = False
    unique = False
    has_init = False
    is_init = True
    param_tensor = True
    # What MindSpore's compiled class and its parallel code read.
    _requires_grad = requires_aggr = True
    _inited_param = _cast_type = None
    _sliced = _unique = is_in_parallel = is_default_input_init = False
    _param_info = property(lambda self: self)

    def __init__(
        self,
        default_input,
        name=None,
        requires_grad=True,
        layerwise_parallel=False,
        parallel_optimizer=True,
        storage_format="",
        device=None,
    ):
        data = _content(default_input)
        self._adopt(data)
        self.requires_grad = requires_grad
        if layerwise_parallel is not False:
            self.layerwise_parallel = layerwise_parallel
        if parallel_optimizer is not True:
            self.parallel_optimizer = parallel_optimizer
        self._name = None
        self.name = name

    def _adopt(self, data: torch.Tensor) -> None:
        rest = data if isinstance(data, torch.nn.Parameter) else torch.nn.Parameter(data, requires_grad=False)
        self._rest = self._t = rest

    @property
    def cache_shape(self) -> list:
        """The shape of its cache on a parameter server, of which there is none here."""
        return self.__dict__.setdefault("_cache_shape", [])

    @cache_shape.setter
    def cache_shape(self, shape) -> None:
        self._cache_shape = shape

    # ---- its name --------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._name

    @name.setter
    def name(self, name) -> None:
        if name is None or name == "":
            name = f"{PARAMETER_NAME_DEFAULT}#{next(_unnamed)}"
        elif not isinstance(name, str):
            raise ValueError(
                f"The type of the Parameter's name should be 'string' or 'None', but got {type(name)}."
            )
        else:
            name = name.strip() or PARAMETER_NAME_DEFAULT
            if len(name) > PARAMETER_NAME_PREFIX_MAX_LEN:
                raise ValueError(
                    f"The length of the '{name}' name should be less than {PARAMETER_NAME_PREFIX_MAX_LEN}."
                )
        self._name = name

    @property
    def param_info(self) -> Parameter:
        """Old code reads ``param_info.name`` and flags; here the Parameter answers itself."""
        return self

    @param_info.setter
    def param_info(self, info: Parameter) -> None:
        """Take another Parameter's name and flags, as optimizers do that make their own state."""
        self._name = info._name
        for flag in _FLAGS:
            if flag in info.__dict__:
                self.__dict__[flag] = info.__dict__[flag]
        of = info.__dict__.get("_clone_of")
        if of is not None and (of := of()) is not None and of.shape == self.shape:
            of._has_twin(self)

    def _has_twin(self, twin: Parameter) -> None:
        """``twin`` is what an optimizer keeps of this weight, and lies as it does."""
        self.__dict__.setdefault("_twins", weakref.WeakSet()).add(twin)
        if self._share is not None:
            self._share.split(twin)

    def __repr__(self) -> str:
        shape = "(" + ", ".join(map(str, self.shape)) + ("," if len(self.shape) == 1 else "") + ")"
        return (
            f"Parameter (name={self._name}, shape={shape}, dtype={self.dtype}, "
            f"requires_grad={self.requires_grad})"
        )

    __str__ = __repr__

    def __parameter__(self):
        """Marks parameters for code that looks for the attribute, as MindSpore's parser does."""

    # ---- its data --------------------------------------------------------------------------------------

    @property
    def data(self) -> Tensor:
        """A plain Tensor over the same memory: updates show in it, ``set_data`` leaves it as it is.

        No gradient flows through it. Setting it is ``set_data``. Until MindSpore 2.7 it was the Parameter.
        """
        if generations.has_old_meaning("mindspore.Parameter.data"):
            return self
        data = wrap(self._t.detach())
        if not generations.has_new_meaning("mindspore.Parameter.data"):
            data.set_data = self.set_data  # only what was written for those releases calls it
        return data

    @data.setter
    def data(self, value) -> None:
        self.set_data(value)

    @property
    def default_input(self) -> Tensor:
        """The data as a Tensor (``default_input`` of releases before 1.2)."""
        return self.value()

    @default_input.setter
    def default_input(self, data) -> None:
        self.set_data(data if isinstance(data, Tensor) else Tensor(data, self.dtype))

    def value(self) -> Tensor:
        """The data now, as a Tensor of its own; inside a gradient call, the value that is differentiated."""
        t = self._t
        return wrap(t.detach().clone() if t is self._rest and mode.way is None else t)

    def __setitem__(self, index, value) -> None:
        if local_writes.is_local(index):
            local_writes.write(self, index, value)
        else:
            super().__setitem__(index, value)

    def _move(self, change, index) -> None:
        index = index[0] if index.__class__ is tuple and len(index) == 1 else index
        rows = index.dtype is not torch.bool if isinstance(index, torch.Tensor) else (
            index.__class__ is list and bool not in map(type, index))
        if rows or self._share is not None or nobody_else_holds(self._rest):
            self._write(change)              # (rows by their numbers are MindSpore's scatter in place)
        else:
            with threads.held():
                new = self._rest.detach().clone()
                change(new)
                self._rebind(new)

    def _write(self, change) -> None:
        with threads.held():
            if local_writes.holds(self):
                new = self._t.clone()
                change(new)
                local_writes.follow(self, new)
            elif mode.tracing is not None and mode.differentiation is None:
                mode.tracing.write(self, change)
            elif mode.differentiation is not None:
                mode.differentiation.write(self, change)
            else:
                recording.before_writing(self)
                if self._share is None or self._share.level < 3:
                    change(self._t)
                else:
                    self._share.write(change)

    def _assign(self, t: torch.Tensor) -> None:
        """Write ``t`` into the data (cast, broadcast as given); differentiable inside a differentiation."""
        with threads.held():
            opened, rest = mode.differentiation, self._rest
            if mode.tracing is not None and opened is None:
                mode.tracing.rebind(self, t.to(rest.dtype).broadcast_to(rest.shape))
            elif self._away:
                return
            elif opened is None:
                recording.before_writing(self)
                with torch.no_grad():
                    if self._share is not None and self._share.level == 3:
                        self._share.refill(t.to(rest.dtype).broadcast_to(rest.shape))
                    else:
                        rest.copy_(t)
            else:
                opened.rebind(self, t.to(rest.dtype).broadcast_to(rest.shape))

    def assign_value(self, value) -> Parameter:
        """Take over another Tensor's data as it is, of any shape and dtype, shared as by ``set_data``."""
        self._replace(as_torch(value).detach())
        return self

    def _replace(self, t: torch.Tensor) -> None:
        """Make ``t`` the data, whatever its shape and dtype; it is shared at rest."""
        with threads.held():
            if mode.differentiation is None:
                self._rebind(t)
            elif repeating.note_write(self):
                self._t = overwrite(self._t, t)
            else:
                # Who reads it from here on differentiates by this Parameter.
                mode.differentiation.replace(self, t)

    def _rebind(self, t: torch.Tensor) -> None:
        if self._away:
            return
        if mode.tracing is not None:
            mode.tracing.rebind(self, t)
            return
        recording.before_rebinding(self)
        mode.changes += 1
        torch.autograd.graph.increment_version(self._rest)
        if self._share is not None and self._share.level == 3:
            self._share.refill(t)
        elif self._of_torch is not None and t.shape == self._rest.shape:
            self._rest.data.copy_(t)  # torch's own may be held elsewhere
        else:
            self._rest.data = t if _is_whole(t) else t.clone()
            self._of_torch_follows()

    def _of_torch_follows(self) -> None:
        """Where it was made over a torch Parameter, both have the memory of that which moved."""
        of = self._of_torch
        if of is None:
            return
        place, rest = self.__dict__.get("_place"), self._rest
        if of.data_ptr() != rest.data_ptr():
            if rest.data_ptr() == place:
                rest.data = of.data
            else:
                of.data = rest.data
        self.__dict__["_place"] = rest.data_ptr()

    def set_data(self, data, slice_shape=False) -> Parameter:
        """Make a Tensor's data this Parameter's: **shared**, not copied, where the dtype is the same.

        So ``target.set_data(source)`` ties the two: what an optimizer does to one shows in the other, until
        one is set again; ``ops.assign`` copies. Another dtype is cast to this one, a view is copied, any
        shape will do. Earlier views and ``asnumpy()`` arrays keep the old values.
        Raises TypeError for anything but Tensor, Parameter and number, and for a float into an integer one.
        """
        if not isinstance(data, Tensor):
            if not isinstance(data, (int, float)):
                raise TypeError(
                    "Parameter data must be [`Tensor`, `int`, `float`] or a kind of `Tensor` (like "
                    f"`Tensor`). But with type {type(data)}."
                )
            if isinstance(data, float) and not self._rest.dtype.is_floating_point:
                raise TypeError(
                    "Incoming Parameter dtype can not be converted to current dtype implicitly. Current "
                    f"dtype is {self.dtype}, and incoming is Float. Use .set_dtype(xxx) to change the dtype."
                )
            data = Tensor(data, self.dtype)
        new, old = data._t.detach(), self._rest
        if new.dtype is not old.dtype or new.device != old.device:
            new = new.to(old.device, old.dtype)
        self._replace(new)
        return self

    def init_data(self, layout=None, set_sliced=False) -> Parameter:
        return self

    def clone(self, init="same") -> Parameter:
        """A new Parameter with this one's flags: ``init`` is "same", a number, a Tensor or an initializer's
        name."""
        fill = _FILLS.get(init) if isinstance(init, str) else None
        data = fill(self._rest) if fill else self._rest.detach().clone()
        new = Parameter(
            wrap(data),
            name=self.name,
            requires_grad=self.requires_grad,
            layerwise_parallel=self.layerwise_parallel,
            parallel_optimizer=self.parallel_optimizer,
        )
        for flag in _COPIED:
            if flag in self.__dict__:
                new.__dict__[flag] = self.__dict__[flag]
        new.__dict__["_clone_of"] = weakref.ref(self)
        if fill is None and not (isinstance(init, str) and init == "same"):
            from .initializer import initializer

            data = init if isinstance(init, Tensor) else initializer(init, shape=self.shape, dtype=self.dtype)
            new._adopt(data._t.detach().clone())
        return new

    def copy(self) -> Parameter:
        return _clone(self)

    def set_param_ps(self, init_in_server=False) -> None:
        """Parameter-server training is not part of ms2torch."""
        from ms2torch._core.errors import unsupported

        raise unsupported(
            "mindspore.Parameter.set_param_ps",
            "parameter servers are not supported.",
            "train data-parallel, without set_param_ps.",
        )

    def set_param_fl(self, *args, **kwargs) -> None:
        from ms2torch._core.errors import unsupported

        raise unsupported("mindspore.Parameter.set_param_fl", "federated learning is not supported.")

    def add_pipeline_stage(self, stage) -> None:
        if not isinstance(stage, int) or stage < 0:
            raise TypeError("`stage` must be a positive number of int type")

    def register_hook(self, hook):
        """Call ``hook(grad)`` when this Parameter's gradient is computed; a result replaces it."""
        check_hook_fn(hook)
        if not self.requires_grad:
            raise RuntimeError("The tensor requires grad is false, which can not register tensor hook")
        hooks = self.__dict__.setdefault("_grad_hooks", {})
        key = next(_keys)
        hooks[key] = hook
        return _Handle(hooks, key)

    def __copy__(self) -> Parameter:
        return Parameter(wrap(self._rest.detach().clone()), self.name, self.requires_grad,
                         self.layerwise_parallel)

    def __deepcopy__(self, memodict=None) -> Parameter:
        memo = {} if memodict is None else memodict
        next(_unnamed)              # a name that MindSpore gives the copy for a moment
        new = Parameter.__new__(type(self))
        memo[id(self)] = new
        for key, value in self.__dict__.items():
            if key not in _OWN:     # hooks are the original's
                new.__dict__[key] = _copy.deepcopy(value, memo) if key == "_home" else value
        new._adopt(_copy.deepcopy(self._rest, memo))
        return new

    def __reduce_ex__(self, protocol):
        flags = {k: v for k, v in self.__dict__.items() if k != "_home" and k not in _OWN}
        return (_rebuild, (pickling.content(self._rest), flags))


# What no copy of a Parameter takes along.
_OWN = ("_rest", "_grad_hooks", "_share", "_twins", "_clone_of")
_FILLS = {"zeros": torch.zeros_like, "ones": torch.ones_like}


class _Handle:
    """What register_hook returns; ``remove()`` takes the hook away."""

    def __init__(self, hooks: dict, key) -> None:
        self._hooks, self._key = hooks, key

    def remove(self) -> None:
        self._hooks.pop(self._key, None)


def _is_whole(t: torch.Tensor) -> bool:
    """Whether ``t`` is all of its memory, in order: no view of something larger, nothing repeated."""
    return t.is_contiguous() and t.numel() * t.element_size() == t.untyped_storage().nbytes()


def _rebuild(data, flags: dict) -> Parameter:
    new = Parameter.__new__(Parameter)
    new.__dict__.update(flags)
    new._adopt(pickling.tensor(data))
    return new


class ParameterTuple(tuple):
    """A tuple of Parameters (``mindspore.ParameterTuple``); TypeError for anything else in it."""

    def __new__(cls, iterable=()):
        data = tuple(iterable)
        ids: set[int] = set()
        names: set[str] = set()
        for param in data:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"For ParameterTuple initialization, ParameterTuple input should be 'Parameter' "
                    f"collection, but got a {type(iterable)}. "
                )
            if id(param) not in ids:
                ids.add(id(param))
                if param.name in names:
                    raise ValueError(
                        f"The value {param} , its name '{param.name}' already exists. "
                        "Please set a unique name for the parameter."
                    )
                names.add(param.name)
        return tuple.__new__(cls, data)

    def clone(self, prefix: str, init="same") -> ParameterTuple:
        """Clones of all, each named ``prefix`` + "." + its name."""
        if not isinstance(prefix, str):
            raise TypeError(f"For ParameterTuple.clone, the prefix must be str, but got {type(prefix)}.")
        new = []
        for param in self:
            twin = _clone(param, init)
            twin.name = prefix + "." + twin.name
            param._has_twin(twin)
            new.append(twin)
        return ParameterTuple(new)

    def __parameter_tuple__(self):
        """Marks parameter tuples, as MindSpore's parser looks for them."""


def _clone_before_1_2(self, prefix: str, init="same") -> Parameter:
    """A clone that is named ``prefix`` + "." + this one's name."""
    new = _clone(self, init)
    new.name = prefix + "." + self.name
    return new


def _follow_the_generation() -> None:
    old = generations.has_old_meaning("mindspore.Parameter.clone")
    Parameter.clone = _clone_before_1_2 if old else _clone


# What print(type(x)) shows in MindSpore, up to 2.9.
Parameter.__module__ = "mindspore.common.parameter"
_clone = Parameter.clone
generation.follow(_follow_the_generation)

__all__ = ["Parameter", "ParameterTuple", "_Buffer"]
