"""GradOperation, HyperMap, Map, MultitypeFuncGraph, vmap (``mindspore.ops.composite.base``)."""

from __future__ import annotations

import functools
import inspect
import operator

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.checks.calls import object_name, type_name
from ms2torch._core.checks.words import renderings
from ms2torch._core.errors import final
from ms2torch._core.gradient import autodiff
from ms2torch._core.gradient.passes import Valued
from ms2torch._core.gradient.rows import as_gradients
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.dtype import Type
from ms2torch._core.tensor.printing import plain_repr
from ms2torch._core.tensor.tensor import Tensor, lift
from ms2torch.common.parameter import Parameter
from ms2torch.language import calling, entry, mapping
from ms2torch.ops.function.grad_func import (
    _weights,
    given,
    graph_of,
    is_input,
    need_function,
    refuse_without_gradients,
)

from . import _kinds

_EMPTY = object()


class GradOperation:
    """Makes the gradient function of a function (``mindspore.ops.GradOperation``).

    Neither flag: the gradient of the first input. ``get_all``: of all Tensor inputs, a tuple.
    ``get_by_list``: of the Parameters given as ``weights`` (a Cell's trainable ones where none are), a tuple.
    Both: the pair. ``sens_param``: the last argument of the call, or ``sens=``, is the sensitivity; otherwise
    ones. TypeError for flags that are no bool.
    """

    __repr__ = plain_repr

    _differentiates = None

    def __init__(self, get_all=False, get_by_list=False, sens_param=False) -> None:
        for name, value in (("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)):
            if not isinstance(value, bool):
                raise TypeError(
                    f"For 'GradOperation', the '{name}' should be bool, but got {type_name(value)}"
                )
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn=_EMPTY, weights=None):
        if fn is _EMPTY and not mode.graph:
            raise TypeError("GradOperation.__call__() missing 1 required positional argument: 'fn'")
        if fn is _EMPTY:
            raise RuntimeError(
                "'GradOperation' requires a forward network or function as an input, "
                "while the input is empty."
            )
        if not callable(fn) and mode.graph:
            raise RuntimeError(
                "For 'GradOperation', the first argument must be a 'Function' or 'Cell', but got "
                f"{type(fn).__name__}."
            )
        refuse_without_gradients()
        asked = self._asked(fn, weights)
        single, graph = isinstance(weights, Tensor), None

        def gradient(*args, **kwargs):
            need_function(fn)
            sens = None
            if self.sens_param:
                if "sens" in kwargs:
                    kwargs = dict(kwargs)
                    sens = kwargs.pop("sens")
                else:
                    *args, sens = args
                    args = tuple(args)
                if not isinstance(sens, (Tensor, tuple, list, dict, Valued)):
                    sens = Tensor(float(sens))
            if self.get_all:
                places = [p for p in (*range(len(args)), *kwargs) if is_input(given(p, args, kwargs))]
            elif self.get_by_list:
                places = []
            else:
                places = [p for p in (*range(len(args)), *kwargs)[:1] if is_input(given(p, args, kwargs))]
            nonlocal graph
            if mode.graph and graph is None:
                graph = graph_of(fn)
            found = autodiff.differentiate(graph if mode.graph else fn, args, kwargs, places, asked, sens)
            return self._arrange(found, single)

        gradient = entry.gradients(fn, gradient, self)
        if not isinstance(fn, torch.nn.Module):     # (which has no name, and takes long to say so)
            functools.update_wrapper(gradient, fn, assigned=("__name__", "__doc__"), updated=())
        return gradient

    def with_value(self, fn, weights, args: tuple, sens=None) -> tuple:
        """The output of ``fn(*args)`` and its gradients by ``weights``, of one run (ms2torch's own method).

        ``sens(output)`` gives the sensitivity, None stands for ones.
        """
        refuse_without_gradients()
        found = autodiff.value_and_gradients(fn, args, self._asked(fn, weights), sens)
        return found.output, tuple(as_gradients(found.weights))

    def _asked(self, fn, weights) -> tuple[Parameter, ...]:
        if not self.get_by_list:
            return ()
        if weights is None:
            return tuple(fn.trainable_params()) if hasattr(fn, "trainable_params") else ()
        return _weights(weights)

    def _arrange(self, found, single_weight: bool):
        weights = tuple(as_gradients(found.weights))
        if single_weight:
            weights = weights[0] if weights else weights
        if not self.get_all:
            if self.get_by_list:
                return weights
            return lift(found.inputs[0]) if found.inputs else ()
        inputs = tuple(map(lift, found.inputs))
        return (inputs, weights) if self.get_by_list else inputs


class MultitypeFuncGraph:
    """One name for several functions, chosen by the types of the arguments
    (``mindspore.ops.MultitypeFuncGraph``).

    ``register("Tensor", "Number")`` (names or dtypes) decorates the function for these types; ValueError at a
    call with types that none is registered for.
    """

    def __init__(self, name: str, read_value: bool = False, doc_url: str = "") -> None:
        if not isinstance(name, str):
            raise TypeError("__init__(): incompatible constructor arguments. The following argument types "
                            "are supported:\n    1. mindspore._c_expression.MultitypeFuncGraph_(arg0: str)"
                            f"\n\nInvoked with: {name!r}")
        self.name = name
        self.entries: list[tuple[tuple[str, ...], object]] = []
        self._chosen: dict[tuple, object] = {}

    def register(self, *types):
        """Decorates the function to call for arguments of ``types``."""
        def keep(fn):
            names = tuple(map(_kinds.registered, types))
            self.entries.append((names, fn))
            self._chosen.clear()
            return fn

        return keep

    def __call__(self, *args):
        key = tuple(map(type, args))
        if np.ndarray in key:
            raise TypeError("For 'MultitypeFuncGraph', the input can not be numpy.ndarray")
        if len(self.entries) == 1:          # there is nothing to choose, whatever kinds were registered
            return _in_its_language(self.entries[0][1])(*args)
        graph = graph_streams.here.call is not None
        fn = self._chosen.get((graph, key))
        if fn is None:
            fn = self._choose(args, graph)
            by_dtype = any(n.startswith("Tensor[") for names, _ in self.entries for n in names)
            if not by_dtype and type not in key:        # else the values decide, not their classes
                self._chosen[graph, key] = fn
        return _in_its_language(fn)(*args)

    def _choose(self, args, graph: bool):
        kinds = [_kinds.of(arg, graph) for arg in args]
        # Of several that fit, a graph takes the last registered, Python the first, as in MindSpore.
        for names, fn in reversed(self.entries) if graph else self.entries:
            if len(names) == len(args) and all(
                    n.lower() in kind for n, kind in zip(names, kinds, strict=True)):
                return fn
        raise ValueError("For 'MultitypeFuncGraph', cannot find fn match given args. "
                         f"{_kinds.told(self.entries, kinds)}.")


def _in_its_language(function):
    """``function``, in a graph's language where one calls it."""
    if graph_streams.here.call is None:
        return function
    return calling.called(function)


def _is_flag(value) -> bool:
    """Whether C++ takes a value for a bool: None, and what can be asked whether it is true."""
    if value is None or type(value).__name__ in ("CSRTensor", "COOTensor") or isinstance(value, Type):
        return value is None
    try:
        return hasattr(type(value), "__bool__") and bool(value) in (True, False)
    except Exception:
        return False


class _Mapping:
    """Applies a function over the items of sequences side by side."""

    def __init__(self, ops=None, reverse: bool = False) -> None:
        fits, deep = ops is None or isinstance(ops, MultitypeFuncGraph), isinstance(self, HyperMap)
        if not fits and deep and isinstance(ops, (Tensor, np.ndarray)) and ops.size > 1:
            bool(ops)                               # (which it asks whether it is true)
        if not fits and deep and _is_flag(reverse):
            raise RuntimeError(f"Unable to cast Python instance of type {renderings(ops)['cls']} to C++ type "
                               "'std::shared_ptr<mindspore::prim::MultitypeFuncGraph>'")
        if not fits or not _is_flag(reverse):
            name = f"mindspore._c_expression.{type(self).__name__}_"
            raise TypeError("__init__(): incompatible constructor arguments. The following argument types "
                            f"are supported:\n    1. {name}(reverse: bool, ops: "
                            f"mindspore::prim::MultitypeFuncGraph)\n    2. {name}(reverse: bool)\n\n"
                            f"Invoked with: {reverse!r}, {ops!r}")
        self.ops = ops
        self.reverse = reverse

    def _parts(self, args):
        """The function, and what it is applied over."""
        return (self.ops, args) if self.ops is not None else (args[0], args[1:])


class Map(_Mapping):
    """Applies a function to each element of one or more sequences: ``Map()(fn, xs, ys)`` or ``Map(fn)(xs,
    ys)``."""

    def __init__(self, ops=None, reverse: bool = False) -> None:
        super().__init__(ops, reverse)

    def __call__(self, *args):
        fn, args = self._parts(args)
        if graph_streams.here.call is not None:
            return mapping.map_(fn, *args)
        if not args:
            raise TypeError("map() must have at least two arguments.")
        return _kept(args[0], [fn(*items) for items in zip(*args, strict=True)])


class HyperMap(_Mapping):
    """``Map`` that goes into nested sequences down to their leaves."""

    def __init__(self, ops=None, reverse: bool = False) -> None:
        super().__init__(ops, reverse)

    def __call__(self, *args):
        fn, args = self._parts(args)
        return _hyper(fn, args) if graph_streams.here.call is None else mapping.hyper_map(fn, args)


def _hyper(fn, args):
    first = args[0]
    if not isinstance(first, (tuple, list)):
        return fn(*args)
    # Arguments that are no sequences go to every leaf.
    length = len(first)
    for a in args[1:]:
        if isinstance(a, (tuple, list)) and len(a) != length:
            raise ValueError(
                f"For 'HyperMap', the sequences must have the same length, but got {length} and {len(a)}."
            )
    result = [_hyper(fn, [a[i] if isinstance(a, (tuple, list)) else a for a in args]) for i in range(length)]
    return _kept(first, result)


def _kept(given, result: list):
    """Results as a list where a list was given in a graph; PyNative mode makes tuples of lists too."""
    return result if isinstance(given, list) and (mode.graph or mode.inside) else tuple(result)


def partial(func, *args, **kwargs):
    """A function with its first arguments fixed (``mindspore.ops.partial``); by name only in a graph."""
    if kwargs and not (mode.graph or mode.inside):
        raise TypeError(f"partial() got an unexpected keyword argument '{next(iter(kwargs))}'")
    if not kwargs:
        if not callable(func):
            raise AttributeError(f"{object_name(func)} has no attribute '__call__'")
        return functools.partial(func, *args)

    def filled(*more, **named):
        bound = inspect.signature(func).bind_partial(*args, *more)
        for name in kwargs:
            if name in bound.arguments or name in named:
                raise final(TypeError(f"Multiply values for specific argument: {name}"))
        return func(*args, *more, **kwargs, **named)

    return filled


def core(fn=None, **flags):
    """Marks a function for MindSpore's compiler; here it is the function itself."""
    return fn if fn is not None else (lambda f: f)


def add_flags(fn=None, **flags):
    """Sets flags for MindSpore's compiler; here the function stays as it is."""
    return fn if fn is not None else (lambda f: f)


def env_get(env, key, default):
    """What a dict of gradients holds for a key, else ``default``."""
    return env.get(key, default)


def _operator(symbol: str, function) -> MultitypeFuncGraph:
    graph = MultitypeFuncGraph(symbol)
    graph._choose = lambda args, graph: function
    return graph


# What `a += b` and its kind do, as functions; they leave `a` as it was.
augassign_add, augassign_sub, augassign_mul, augassign_div, augassign_floordiv, augassign_mod = (
    _operator(f"augassign_{name}", function) for name, function in (
        ("add", operator.add), ("sub", operator.sub), ("mul", operator.mul), ("div", operator.truediv),
        ("floordiv", operator.floordiv), ("mod", operator.mod)))


_added = MultitypeFuncGraph("hyper_add")
_added.register("Tensor", "Tensor")(operator.add)
hyper_add = HyperMap(_added)


def tail(*args):
    """All elements of a tuple or list but the first (``mindspore.ops.tail``)."""
    return args[0][1:]
