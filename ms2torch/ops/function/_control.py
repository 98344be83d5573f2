"""Functions as operators, on Tensors: WhileLoop, ForiLoop, Scan, Morph, Custom (``mindspore.ops``)."""

from __future__ import annotations

import numpy as np

from ms2torch._core import mode
from ms2torch._core.checks.calls import object_name, type_name
from ms2torch._core.errors import final, unsupported
from ms2torch._core.gradient.custom import custom_bprop
from ms2torch._core.gradient.passes import is_differentiating
from ms2torch._core.operators.registry import REQUIRED, Primitive, primitive, primitive_class
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, lower


def _ask_function(operator: str, **given) -> None:
    for name, value in given.items():
        if not callable(value) or isinstance(value, type) or hasattr(value, "construct"):
            raise final(TypeError(f"For '{operator}', the type of '{name}' should be one of '['function', "
                                  f"'method']', but got type '{type_name(lower(value))}'."))


@primitive("WhileLoop", on_tensors=True)
def _while_loop(cond_func, loop_func, init_val):
    """``val = loop_func(val)`` while ``cond_func(val)`` holds (``mindspore.ops.WhileLoop``)."""
    _ask_function("WhileLoop", cond_func=cond_func, loop_func=loop_func)
    val = init_val
    while cond_func(val):
        val = loop_func(val)
    return val


@primitive("ForiLoop", on_tensors=True)
def _fori_loop(lower, upper, loop_func, init_val, unroll=True):
    """``val = loop_func(i, val)`` for i from ``lower`` up to ``upper`` (``mindspore.ops.ForiLoop``)."""
    _ask_function("ForiLoop", loop_func=loop_func)
    val = init_val
    for bound in (lower, upper):
        if isinstance(bound, Tensor) and bound.is_floating_point():
            raise final(ValueError("Invalid loop_func, please check input arguments and return value, error "
                                   "info: Only integer tensors of a single element can be converted to an "
                                   "index."))
    for i in range(int(lower), int(upper)):
        val = loop_func(i, val)
    return val


@primitive("Scan", on_tensors=True)
def _scan(loop_func, init, xs, length=None, unroll=True):
    """``carry, y = loop_func(carry, x)`` over ``xs``; the last carry and all y (``mindspore.ops.Scan``)."""
    _ask_function("Scan", loop_func=loop_func)
    if not isinstance(xs, (tuple, list)):       # None too, in MindSpore against its documentation
        raise final(TypeError("isinstance() arg 2 must be a type, a tuple of types, or a union"))
    carry, found = init, []
    for x in xs:
        carry, y = loop_func(carry, x)
        found.append(y)
    return carry, found


@primitive("Morph", init={"fn": REQUIRED, "infer_shape": REQUIRED, "infer_dtype": REQUIRED, "bprop_fn": None},
           on_tensors=True)
def _morph(*args, fn, infer_shape, infer_dtype, bprop_fn=None, **named):
    """A function of Tensors as an operator (``mindspore.ops.Morph``), with ``bprop_fn`` for its gradients."""
    if bprop_fn is None or not is_differentiating():
        return fn(*args, **named)
    return custom_bprop(fn, bprop_fn, args, named)


@primitive("Custom", init={"func": REQUIRED, "out_shape": None, "out_dtype": None, "func_type": "pyfunc",
                           "bprop": None, "reg_info": None}, on_tensors=True)
def _custom(*args, func, out_shape=None, out_dtype=None, func_type="pyfunc", bprop=None, reg_info=None):
    """A function of numpy arrays as an operator (``mindspore.ops.Custom``, ``func_type`` "pyfunc")."""
    if func_type != "pyfunc":
        raise unsupported(f"mindspore.ops.Custom(func_type={func_type!r})", "it is a kernel of MindSpore's.",
                          "func_type='pyfunc', or write the operator with torch.")
    for name, value, kinds in (("out_shape", out_shape, "tuple, list, function"),
                               ("out_dtype", out_dtype, "mindspore.dtype, tuple, list, function")):
        if not (isinstance(value, (tuple, list)) or callable(value)
                or (name == "out_dtype" and isinstance(value, _dtype.Type))):
            raise TypeError(f"For 'Custom', 'func_type': pyfunc, 'func': {func}, '{name}' must be one of "
                            f"[{kinds}], but got {type(value)}")

    for a in args:
        if isinstance(a, np.ndarray):
            raise TypeError(f"Not support for PythonObject(type: {type(a)}, value: {a})")
        if isinstance(a, list):
            raise RuntimeError("For 'Custom', the inputs must be Tensors, but got a list")

    def forward(*args):
        found = func(*(a.asnumpy() if isinstance(a, Tensor) else a for a in args))
        declared = out_dtype
        if callable(out_dtype):
            declared = out_dtype(*(a.dtype if isinstance(a, Tensor) else type(a) for a in args))
        several = isinstance(declared, (tuple, list))
        if several and not declared and found is None:
            return None
        values = found if isinstance(found, tuple) else (found,)
        kinds = declared if several else (declared,)
        if len(values) != len(kinds):
            raise RuntimeError(f"The output num is {len(values)}, with {len(kinds)} expect.")
        made = tuple([_declared(value, kind, several) for value, kind in zip(values, kinds, strict=True)])
        return made if several else made[0]

    if bprop is None or not is_differentiating():
        return forward(*args)
    return custom_bprop(forward, bprop, args, {})


def _declared(value, kind, several: bool) -> Tensor:
    """What a Python function gave as the Tensor that was declared: a number is converted, an array is not.
    A single number has one axis, as in MindSpore."""
    array = np.asarray(value)
    if not isinstance(kind, _dtype.Type):
        return Tensor(value)
    if not array.ndim:
        return Tensor(array if several else array[None]).astype(kind)
    if array.dtype.itemsize != _dtype.to_torch(kind).itemsize:
        raise RuntimeError(f"memcpy failed.\nThe function gave {array.dtype}, out_dtype says {kind}.")
    return Tensor(array)


@primitive_class
class Partial(Primitive):
    """A function with its first arguments given (``mindspore.ops.Partial``)."""

    def __init__(self) -> None:
        super().__init__("Partial")

    def __call__(self, *args, **kwargs):
        if not args:
            raise IndexError("tuple index out of range")
        function, *args = args
        if not callable(function):
            raise AttributeError(f"{object_name(function)} has no attribute '__call__'")
        if kwargs and not mode.graph and not mode.inside and graph_streams.here.call is None:
            raise TypeError(f"Partial.__call__() got an unexpected keyword argument '{next(iter(kwargs))}'")
        return lambda *rest, **named: function(*args, *rest, **kwargs, **named)
