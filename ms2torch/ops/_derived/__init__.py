"""MindSpore's generated operators and gradients, each made when it is first asked for.

``mindspore.ops.auto_generate`` and the private modules of ``ops.operations`` hold a thousand classes for
libraries: the gradient of every operator, mint's functions as Primitives (``AddExt``), what only Ascend
runs. What each takes is packaged data (`_naming.primitives`); what it computes is a row here, most often the
name of a definition that ms2torch has:

    forms        names for definitions under ``ops/function`` and ``mint``
    elementwise, reductions, layers, pooling, images, arrays
                 gradients: the forward definition's vector-Jacobian product, or a formula over what is given
    sequences    Python's sequences as operators
    sampling, drawing, experts, paged
                 random numbers from a seed and an offset, or from seeds of their own; mixtures of experts;
                 attention over paged caches
    caches       rows of tables in embedding caches
    inner        private operators that compute forward
    quantising   quantisation-aware training
    regions      windows and regions of images
    second_order factors of covariances, for THOR
    transforms   cosine and Fourier transforms' steps, least squares
    sparse_tensors, sparse_matrices
                 operators over coordinates, and over compressed rows
    kernels      what a program's own Primitives compute by their names
    refused      what has no computation here, and what to do instead

A gradient is made of differentiable operations, so its own gradient and ``vmap`` need nothing more. A class
without a row can be made (libraries do so when they are imported) and refuses its call.
"""

from __future__ import annotations

import importlib
import inspect
from functools import cache, partial, wraps

from ms2torch._core.errors import unsupported
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.operators.primitive_factory import REQUIRED, make_primitive
from ms2torch._core.operators.tables import PRIMITIVES
from ms2torch._core.tensor.tensor import lift, lower
from ms2torch._naming import primitives
from ms2torch.common import dtype

from .refused import refusal

_FAMILIES = (
    "elementwise",
    "reductions",
    "layers",
    "pooling",
    "images",
    "regions",
    "arrays",
    "sequences",
    "second_order",
    "sampling",
    "drawing",
    "experts",
    "paged",
    "caches",
    "inner",
    "quantising",
    "sparse_matrices",
    "sparse_tensors",
    "transforms",
)


@cache
def computations() -> dict[str, object]:
    """What every row computes, by the class's name: a function over torch tensors, or of ``on_tensors``."""
    from . import forms

    found = dict(forms.table())
    for family in _FAMILIES:
        found.update(importlib.import_module(f"{__name__}.{family}").ROWS)
    return found


def derive(home: str, name: str) -> object | None:
    """What ``home.name`` is for a generated name, None for any other."""
    if home.startswith("mindspore._c_expression") or name.endswith("_instance"):
        return _core(name)
    if home.startswith("mindspore.ops.auto_generate.pyboost_inner_prim"):
        return _inner(name)
    row = primitives.row(home, name)
    if row is None:
        return None
    if row.kind == "class":
        return _class(row)
    if row.kind == "core":
        return _core(name)
    return (_instance if row.kind == "instance" else _function)(home, row)


def by_name(made: Primitive):
    """What a Primitive of a program's computes by its name and attributes; None for an unknown one."""
    from .kernels import KERNELS

    kernel = KERNELS.get(made.name)
    if kernel is not None:
        fixed = _held(made, inspect.getfullargspec(kernel).kwonlyargs)
        return lambda *args: lift(kernel(*map(lower, args), **fixed))
    cls = derive("mindspore.ops.auto_generate.gen_ops_prim", made.name) or PRIMITIVES.get(made.name)
    if not isinstance(cls, type) or hasattr(cls, "__refused__") or isinstance(made, cls):
        return None
    return cls(**_held(made, [*inspect.signature(cls.__init__).parameters][1:]))


def _held(made: Primitive, names) -> dict:
    return {name: made.__dict__[name] for name in names if name in made.__dict__}


@cache
def _class(row: primitives.Row) -> type:
    known = PRIMITIVES.get(row.name)
    if known is not None:
        return known
    compute = computations().get(row.name)
    if isinstance(compute, type):
        return compute
    on_tensors = getattr(compute, "on_tensors", False)
    init, call = primitives.arguments(row.init), primitives.arguments(row.takes)
    if compute is None:
        compute = partial(_refuse, row.name)
        kernel, on_tensors = (lambda *args, **kwargs: compute()), True
        given = {a.name: _value(a) for a in init if not a.name.startswith("*")}
        kernel.__signature__ = inspect.Signature(
            [
                *(inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in given),
                inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
            ]
        )
    else:
        kernel, given = _spelled(row.name, compute, call, init), {a.name: _value(a) for a in init}
    cls = make_primitive(row.name, kernel, given, on_tensors=on_tensors)
    del PRIMITIVES[row.name]  # MindSpore may have another class of this name elsewhere
    cls.on_tensors = on_tensors
    if check := getattr(compute, "check_attributes", None):
        cls.__init__ = _checking(cls.__init__, check)
    if row.name not in computations():
        cls.__refused__ = refusal(row.name)
        cls.__call__.__signature__ = inspect.Signature(
            [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *map(_parameter, call)]
        )
    return cls


def _checking(make, check):
    @wraps(make)
    def __init__(self, *args, **kwargs):
        make(self, *args, **kwargs)
        check(self)

    return __init__


def _parameter(argument: primitives.Argument) -> inspect.Parameter:
    starred = argument.name.startswith("*")
    kind = inspect.Parameter.VAR_POSITIONAL if starred else inspect.Parameter.POSITIONAL_OR_KEYWORD
    default = inspect.Parameter.empty if argument.default is None else _value(argument)
    return inspect.Parameter(argument.name.removeprefix("*"), kind, default=default)


def _value(argument: primitives.Argument):
    return (
        REQUIRED
        if argument.default is None
        else eval(argument.default, {"dtype": dtype, "inf": float("inf")})
    )


def _refuse(name: str):
    reason, instead = refusal(name)
    raise unsupported(f"mindspore.ops.{name}", reason, instead)


def _spelled(name: str, compute, call, init):
    """``compute`` under MindSpore's names of the arguments: those of the call, then those of the class."""
    takes = [p for p in inspect.signature(compute).parameters.values() if p.kind is not p.VAR_KEYWORD]
    if call and call[0].name == "*args":  # MindSpore's class does not say their names: the row's
        count = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in takes) - len(init)
        call = [
            primitives.Argument(p.name, None if p.default is p.empty else repr(p.default))
            for p in takes[:count]
        ]
    parts, passed, optional = [], [], False
    for index, argument in enumerate([*call, *init]):
        optional = optional or argument.default is not None or (bool(init) and index >= len(call))
        parts.append(argument.name + (f"={argument.default or None}" if optional else ""))
        own = takes[min(index, len(takes) - 1)]
        if index >= len(takes) and own.kind is not own.VAR_POSITIONAL:
            raise TypeError(
                f"{name}: the row takes {len(takes)} arguments, the class {len(call) + len(init)}"
            )
        passed.append(f"{own.name}={argument.name}" if own.kind is own.KEYWORD_ONLY else argument.name)
    space = {"compute": compute, "dtype": dtype, "inf": float("inf")}
    exec(f"def {name}({', '.join(parts)}):\n    return compute({', '.join(passed)})", space)
    kernel = space[name]
    kernel.__doc__ = (
        f"``{name}`` of MindSpore's operators; its computation is a row of ``ms2torch.ops._derived``."
    )
    return kernel


@cache
def _instance(home: str, row: primitives.Row) -> Primitive | None:
    of = primitives.row(home, row.of)
    return _class(of)() if of and of.kind == "class" and not primitives.arguments(of.init) else None


@cache
def _function(home: str, row: primitives.Row):
    """A function around a class that computes: it takes what the class takes when made and when called."""
    of = primitives.row("mindspore.ops.auto_generate.gen_ops_prim", row.of)
    if of is None or of.kind != "class":
        return None
    cls, takes = _class(of), primitives.arguments(row.takes)
    if hasattr(cls, "__refused__"):
        return None
    held = {a.name for a in primitives.arguments(of.init)}
    space = {"cls": cls, "dtype": dtype, "inf": float("inf")}
    parts = [a.name + (f"={a.default}" if a.default is not None else "") for a in takes]
    first = [a.name for a in takes if a.name not in held]
    attributes = ", ".join(f"{a.name}={a.name}" for a in takes if a.name in held)
    exec(f"def {row.name}({', '.join(parts)}):\n    return cls({attributes})({', '.join(first)})", space)
    function = space[row.name]
    function.__name__ = function.__qualname__ = row.name
    function.__module__ = "mindspore.ops"
    function.__doc__ = cls.__doc__
    return function


def _call(cls: type, values):
    """A class's computation over all its arguments, given in one list as the compiled core takes them."""
    if hasattr(cls, "__refused__"):
        return _refuse(cls.__name__)
    if getattr(cls, "on_tensors", False):
        return cls.kernel(*values)
    return lift(cls.kernel(*map(lower, values)))


@cache
def _core(name: str):
    """``pyboost_tanh_grad(primitive, [y, dy])``, and ``TanhGradPrim_()([y, dy])``; MindSpore 2.4 took the
    list alone. ``_empty_instance`` is mint's function of that name."""
    if name.endswith("Prim_"):
        return _caller(name, name.removesuffix("Prim_"))
    if name.startswith("_") and name.endswith("_instance"):
        return getattr(importlib.import_module("ms2torch.mint"), name[1 : -len("_instance")], None)
    row = primitives.row("mindspore.ops.auto_generate.gen_ops_prim", name)
    if row is None or row.kind != "core":
        return None
    cls = derive("mindspore.ops.auto_generate.gen_ops_prim", row.of)

    def call(*given):
        return _call(cls, given[-1])

    call.__name__ = call.__qualname__ = name
    return call


def _inner(name: str):
    """``_PyboostTanhGradPrim`` and its instance ``tanh_grad_impl``."""
    if name.startswith("_Pyboost"):
        return _caller(name, name.removeprefix("_Pyboost").removesuffix("Prim"), spread=True)
    if not name.endswith("_impl"):
        return None
    row = primitives.row("", f"pyboost_{name.removesuffix('_impl')}") or primitives.row("", name)
    of = row and row.of
    return of and _caller(f"_Pyboost{of}Prim", of, spread=True)()


@cache
def _caller(name: str, of: str, spread: bool = False):
    cls = derive("mindspore.ops.auto_generate.gen_ops_prim", of)
    if cls is None:
        return None

    def __call__(self, *args):
        return _call(cls, args if spread else args[0])

    return type(name, (Primitive,), {"__call__": __call__, "__module__": "mindspore._c_expression"})
