"""What MindSpore says when an operator is called with the wrong kinds of arguments.

A definition carries the form of its valid calls as MindSpore prints it, such as
``Tile()(input=<Tensor>, dims=<Tensor, tuple of int>)``. It is read only after a call has failed, so that
good calls pay nothing.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from itertools import groupby
from pathlib import Path
from types import FunctionType

import numpy as np
import torch

from ms2torch._core.checks.overloads import valid_calls
from ms2torch._core.tensor.dtype import Type, from_torch

# The valid calls of the Primitive that MindSpore calls for a form, where the definition goes by another one.
VALID_CALLS = dict(row.split("\t") for row in Path(__file__).with_name("valid_calls.tsv")
                   .read_text(encoding="utf-8").splitlines()[1:])
# That Primitive by the form's public name.
PRIMITIVES_BEHIND = {**{form: valid.partition("(")[0] for form, valid in VALID_CALLS.items()},
                     **dict.fromkeys(("mint.add", "Tensor.add"), "AddExt"),
                     **dict.fromkeys(("mint.sub", "Tensor.sub", "Tensor.subtract"), "SubExt"),
                     **dict.fromkeys(("mint.fmod", "Tensor.fmod"), "DivMod"), "mint.atan2": "Atan2Ext"}
_PLAIN = (int, float, bool, str, type(None), list, tuple, complex, dict, np.ndarray)
_GROUP = re.compile(r"^\w+|\([^()]*\)")
_ARGUMENT = re.compile(r"(\w+)(?::(\w+)(?:\.(\w+))?|:=([^=]+))?(?:\{([^}]*)\})?=<([^>]*)>")
_AXIS = re.compile(r"(start_|end_)?(dim|axis)s?\d?")
_CAST = re.compile(r"For '(\w+)', the value of '(\w+)' is invalid")
_WORDS = {bool: "bool", int: "int", float: "float", str: "string", type(None): "None"}
# The Tensors of which sparse ones are made.
_SPARSE = {"COOTensor": ("indices", "values"), "CSRTensor": ("indptr", "indices", "values")}
_TYPES = ((type(None), "None"), (bool, "Bool"), (int, "Int64"), (float, "Float32"), ((str, bytes), "String"),
          (type(...), "Ellipsis"))


def wrong_call(valid: str, kernel, args, kwargs, fixed=None) -> TypeError | None:
    """MindSpore's TypeError if an argument's kind is not among those of ``valid``, else None."""
    try:
        bound = inspect.signature(kernel).bind(*args, **kwargs, **(fixed or {}))
    except TypeError:
        return None
    defaults = {p.name: p.default for p in inspect.signature(kernel).parameters.values()}
    bound.apply_defaults()
    return wrong_arguments(valid, bound.arguments, defaults)


def wrong_arguments(valid: str, arguments: dict, defaults: dict) -> TypeError | AttributeError | None:
    """`wrong_call` of arguments by name, those that were not given with their ``defaults``.

    What a function calls otherwise than its Primitive stands behind a colon (``axis:dim=<int>``), behind a
    second "=" the kind of what it gives by itself (``upper:=bool=<bool>``), in braces that of what it gives
    for None (``axis{Tuple<>}=<int>``), behind a dot the attribute that it looks at first (``x:input.shape``).
    """
    head, *groups = _GROUP.findall(valid)
    said, wrong = [], False
    for group in groups:
        found = []
        for name, source, attribute, fixed, none, kinds in _ARGUMENT.findall(group):
            if fixed:
                found.append(f"{name}={fixed}")
                continue
            called, name = name, source or name
            given = arguments.get(name)
            if given is None and kinds in ("mindspore.dtype", "string"):        # (as their defaults print)
                found.append(f"{called}={kinds}")
                wrong = wrong or defaults.get(name, defaults) is not None
                continue
            if given is None and none:
                found.append(f"{called}={none}")
                continue
            if not_whole := _WITH_SEQUENCES.search(head) and " of int" in kinds and _without_whole(given):
                return ValueError(f"For '{head}', the input '{called}' should be integral tensor, but got "
                                  f"{not_whole}.")
            casts = isinstance(given, torch.Tensor) and (head, called) in cast_inputs()
            if casts or (isinstance(given, torch.Tensor) and group is not groups[-1]):
                if given.ndim and casts:
                    told = str(given.detach().cpu().numpy())
                    return ValueError(f"For '{head}', the value of '{called}' is invalid: '{told}'.",
                                      "Only support 0-dim tenor to scalar.")
                given = _number_of(head, called, given)
            if attribute and not isinstance(given, (torch.Tensor, np.ndarray, np.generic)):
                return AttributeError(f"{object_name(given)} has no attribute '{attribute}'")
            found.append(f"{called}={_said_by(head, given)}")
            wrong = wrong or (
                given is not defaults.get(name, defaults) and kinds not in ("mindspore.dtype", "string")
                and not any(fits_kind(given, kind) for kind in kinds.split(", ")))
        said.append("(" + ", ".join(found) + ")")
    if not wrong:
        return None
    plain = _ARGUMENT.sub(r"\1=<\6>", valid)
    return failed_call(head + "".join(said), plain)


def failed_call(given: str, valid: str) -> TypeError:
    """MindSpore's error for a Primitive that was called as ``given`` and takes ``valid``, both in full:
    ``Cast()(input=string, dtype=mindspore.dtype)``."""
    return TypeError(f'Failed calling {given.partition("(")[0]} with "{given}".\n'
                     f'The valid calling should be: \n"{valid}".')


# Primitives whose callers in Python make numbers of the Tensors in sequences.
_WITH_SEQUENCES = re.compile("FFT|^Reduce|^ScatterNd$")


def _without_whole(value) -> str:
    """The dtype of the first Tensor in a sequence that holds no whole number."""
    raws = [getattr(v, "_t", v) for v in value] if isinstance(value, (tuple, list)) else ()
    return next((dtype_name(t.dtype) for t in raws if isinstance(t, torch.Tensor) and (
        t.is_floating_point() or t.is_complex() or t.dtype is torch.bool)), "")


# Primitives whose callers in Python read bytes as a string; the others print their class.
_BYTES_ARE_STRINGS = frozenset((
    "ACos", "Acosh", "Addcdiv", "Addcmul", "Angle", "Argmax", "Argmin", "Asin", "Asinh", "Assign",
    "AssignAdd", "AssignSub", "Atan", "Atan2", "AvgPool", "Betainc", "BiasAdd", "BoolNot", "CeLU",
    "Cholesky", "CholeskyInverse", "Complex", "Conj", "CountNonZero", "CumProd", "CumSum", "DCT", "DCTN",
    "Diag", "Diagonal", "Dropout", "Eig", "Elu", "FFT", "FFT2", "FFTFreq", "FFTN", "FFTShift", "FastGeLU",
    "Flatten", "FloorMod", "Gather", "GatherNd", "Geqrf", "HFFT", "HFFT2", "HFFTN", "IDCT", "IDCTN", "IFFT",
    "IFFT2", "IFFTN", "IFFTShift", "IHFFT", "IHFFT2", "IHFFTN", "IRFFT", "IRFFT2", "IRFFTN", "Identity",
    "LayerNorm", "LinSpace", "LogMatrixDeterminant", "Logit", "MatrixDeterminant", "MatrixExp", "NextAfter",
    "OneHot", "OnesLike", "Qr", "RFFT", "RFFT2", "RFFTFreq", "RFFTN", "RandpermV2", "Range", "ReLU6",
    "Real", "RealDiv", "Sub", "ReduceMean", "ReduceProd", "ReduceStd", "ReduceSum", "ResizeBicubic",
    "ResizeBilinearV2", "ResizeLinear1D", "ResizeNearestNeighborV2", "RightShift", "ScatterNd", "Svd",
    "TensorScatterElements", "TensorShape", "Trace", "UnsortedSegmentSum", "ZerosLike",
))


def _said_by(head: str, value) -> str:
    return "string" if value.__class__ is bytes and head in _BYTES_ARE_STRINGS else describe(value)


def are_unfit(valid: str, attributes: dict) -> bool:
    """Whether one of a Primitive's ``attributes`` is of a kind that ``valid`` has not for it."""
    _, *groups = _GROUP.findall(valid)
    for name, source, _, fixed, none, kinds in _ARGUMENT.findall(groups[0]) if len(groups) > 1 else ():
        given = attributes.get(source or name, ...)
        if given is None and kinds == "string":
            return True
        if fixed or given is ... or (given is None and none) or kinds in ("mindspore.dtype", "string") \
                or isinstance(given, torch.Tensor):
            continue
        if not any(fits_kind(given, kind) for kind in kinds.split(", ")):
            return True
    return False


def _number_of(primitive: str, argument: str, value):
    """The number for which a Tensor without axes stands, where an operator takes it for one."""
    from ms2torch._core.operators.attribute_forms import holds_number

    known = (primitive, argument) in cast_inputs() or holds_number(primitive, argument)
    return value.item() if not value.ndim and known else value


@cache
def cast_inputs() -> frozenset[tuple[str, str]]:
    """The operators' inputs, (Primitive, argument), that are numbers and may be Tensors without axes: those
    of which an odd argument's table says so."""
    text = Path(__file__).with_name("odd.tsv").read_text(encoding="utf-8")
    return frozenset(_CAST.findall(text)) | {("FFTFreq", "d"), ("RFFTFreq", "d"), ("CumSum", "axis"),
                                            ("DCT", "axis")}


@cache
def confusable(valid: str) -> dict[str, frozenset[type]]:
    """By argument the classes of plain values that torch takes for what ``valid`` wants there: bools and
    numbers for each other, None and a Tensor for bools. (Of axes definitions ask themselves.)"""
    found = {}
    if valid.startswith("Eye("):        # (which tells of n for the m that is not given: by its own lines)
        return found
    for name, source, _, fixed, _, kinds in _ARGUMENT.findall(valid):
        listed, called = kinds.split(", "), source or name
        if fixed or not {"bool", "float", "int"} >= set(listed) or _AXIS.fullmatch(called):
            continue
        wrong = {type(v) for v in (True, 1, 1.0) if not any(fits_kind(v, kind) for kind in listed)}
        if listed == ["int"]:                   # torch refuses fractions
            wrong -= {float}
        if listed == ["bool"]:                  # (a Tensor without axes is an int, mostly a fraction too)
            wrong |= {torch.Tensor, type(None)}
        if wrong:
            found[called] = frozenset(wrong)
    return found


def no_matching_form(name: str, *args, **kwargs) -> TypeError:
    """The error of a method that has no form for arguments of these kinds."""
    said = ", ".join([*map(describe, args), *(f"{n}={describe(v)}" for n, v in kwargs.items())])
    error = TypeError(f'Failed calling {name} with "{name}({said})".{valid_calls(f"Tensor.{name}")}')
    error.form = name                       # (`failed_calls` knows what was given by name)
    return error


def wrong_inputs(name: str, **inputs) -> TypeError:
    """The error of a Primitive whose inputs are not of the kinds that it takes."""
    said = ", ".join(f"{n}={_said_by(name, v)}" for n, v in inputs.items())
    return TypeError(f'Failed calling {name} with "{name}()({said})".')


def not_a_tensor(err: AttributeError, name: str, kernel, raw, kwargs, fixed=None) -> Exception | None:
    """The error for a number, string or sequence where ``kernel`` wanted a Tensor, told by the attribute
    that it looked for; None for another error."""
    fixed = fixed or {}
    try:
        given = inspect.signature(kernel).bind(*raw, **kwargs, **fixed).arguments
    except TypeError:
        return None
    if not isinstance(err.obj, _PLAIN) and not any(err.obj is value for value in given.values()):
        return None
    made = ", ".join(f"{n}={describe(v)}" for n, v in given.items() if n in fixed)
    called = ", ".join(f"{n}={describe(v)}" for n, v in given.items() if n not in fixed)
    return TypeError(f'Failed calling {name} with "{name}({made})({called})".')


def describe(value) -> str:
    """The kind of an argument as MindSpore's messages name it: ``Tensor``, ``List<int, int>``, ``string``."""
    if isinstance(getattr(value, "_t", value), torch.Tensor):           # (one of a list)
        return "Tensor"
    if isinstance(value, (tuple, list)):
        return f"{'Tuple' if isinstance(value, tuple) else 'List'}<{', '.join(map(describe, value))}>"
    if isinstance(value, (Type, torch.dtype)):
        return "mindspore.dtype"
    if isinstance(value, np.bool_):                 # (by the name of the releases that MindSpore runs on)
        return "<class 'numpy.bool_'>"
    if isinstance(value, (str, float)):             # numpy's strings and float64 are such
        return "string" if isinstance(value, str) else "float"
    return _WORDS.get(type(value)) or class_text(value)


def class_text(value) -> str:
    """A value's class as Python prints it."""
    if is_tensor_class(value):
        return "<class 'mindspore.common.tensor._TensorMeta'>"
    text = str(type(value)).replace("'ms2torch._core.tensor.dtype.", "'mindspore._c_expression.typing.")
    return text.replace("'ms2torch.", "'mindspore.").replace("'numpy.bool'", "'numpy.bool_'")


def is_tensor_class(value) -> bool:
    """Whether this is the class Tensor itself, which has a class of its own in MindSpore."""
    return isinstance(value, type) and value.__name__ == "Tensor" and \
        value.__module__.startswith(("ms2torch.", "mindspore."))


def object_name(value) -> str:
    """How an AttributeError of Python's begins that is about ``value``: ``'list' object``."""
    if isinstance(value, type):
        return f"type object '{value.__name__}'"
    if isinstance(value, Type):
        return f"'mindspore._c_expression.typing.{type(value).__name__}' object"
    cell = "The " if hasattr(value, "construct") else ""
    of_numpy = "numpy." if isinstance(value, (np.ndarray, np.generic)) else ""
    return f"{cell}'{of_numpy}{type_name(value)}' object"


def compiled_name(value) -> str:
    """The name of a value's class where a compiled function of Python says it: ``'numpy.float32'``."""
    if isinstance(value, Type):
        return f"'mindspore._c_expression.typing.{type(value).__name__}'"
    if not isinstance(value, type):
        value = getattr(value, "_t", value)
    return f"'{'numpy.' * isinstance(value, (np.ndarray, np.generic))}{type_name(value)}'"


def type_name(value) -> str:
    """The name of a value's class in MindSpore's words."""
    return "Parameter" if isinstance(value, torch.nn.Parameter) else \
        "Tensor" if isinstance(value, torch.Tensor) else \
        "bool_" if isinstance(value, np.bool_) else \
        "_TensorMeta" if is_tensor_class(value) else type(value).__name__


# numpy's integers of the C types int and long long, which MindSpore makes no number of. (An int64 is a long.)
_UNCONVERTED = frozenset("iIqQ")


def is_unconverted(value) -> bool:
    """Whether this is a number of numpy's that is none to older Primitives."""
    return isinstance(value, np.integer) and value.dtype.char in _UNCONVERTED


def type_description(value) -> str:
    """A value's type as MindSpore's compiler names it: ``Tensor[Float32]``, ``List[Int64*3,String]``."""
    if isinstance(value, np.generic) and not is_unconverted(value):         # a number like Python's
        value = value.item()
    raw = getattr(value, "_t", value)
    if isinstance(raw, torch.Tensor):
        return f"Tensor[{dtype_name(raw.dtype)}]"
    if isinstance(value, (tuple, list)):
        runs = ((k, len(list(same))) for k, same in groupby(map(_inner_description, value)))
        held = ",".join(f"{k}*{n}" if n > 1 else k for k, n in runs)
        return f"{'Tuple' if isinstance(value, tuple) else 'List'}[{held}]"
    if isinstance(value, dict):
        names, kinds = "".join(f"{n}," for n in value), ",".join(map(type_description, value.values()))
        return f"Dictionary[[{names}],[{kinds}]]"
    if isinstance(value, slice):
        return f"Slice[{' : '.join(map(type_description, (value.start, value.stop, value.step)))}]"
    if (parts := _SPARSE.get(type(value).__name__)) and hasattr(value, "values"):
        held = [dtype_name(getattr(value, part)._t.dtype) for part in parts] + ["Int64"] * len(value.shape)
        return f"{type(value).__name__}[{','.join(held)},]"
    if isinstance(value, FunctionType) or hasattr(value, "construct") or hasattr(value, "add_prim_attr"):
        return "Func"                                   # functions, Cells and their classes, operators
    if isinstance(value, (Type, torch.dtype, type)):
        return "TypeType"
    return next((word for kind, word in _TYPES if isinstance(value, kind)), "External")


def _inner_description(value) -> str:
    told = type_description(value)
    return f"Ref[{told}]" if value.__class__.__name__ == "Parameter" else told


@cache
def dtype_name(dtype: torch.dtype) -> str:
    """``Float32``; nothing for a dtype that MindSpore lacks."""
    try:
        return from_torch(dtype)._text
    except (KeyError, TypeError, ValueError):
        return ""


def _is_whole(value) -> bool:
    """Whether this is a Tensor that stands for a whole number."""
    raw = getattr(value, "_t", value)
    return isinstance(raw, torch.Tensor) and not raw.ndim and not raw.dtype.is_floating_point


def fits_kind(value, kind: str) -> bool:
    if " of " in kind:
        holder, inner = kind.split(" of ")
        held = {"list": list, "tuple": tuple}[holder]
        return isinstance(value, held) and all(
            fits_kind(v, inner.replace("tensor", "Tensor")) or (inner == "int" and _is_whole(v))
            for v in value)
    if kind == "Tensor":
        return isinstance(value, torch.Tensor)
    if kind == "int":
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if kind == "float":
        return isinstance(value, (float, np.floating))
    if kind == "Number":
        return isinstance(value, (int, float, np.number, np.bool_))
    return describe(value) == kind
