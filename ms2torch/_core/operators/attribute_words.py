"""The numbers and names that MindSpore's core has for the words and dtypes that operators are made with:
``ops.AvgPool().pad_mode`` is 2, ``ops.Argmax().output_type`` 34."""

from __future__ import annotations

# By what a word says, in whatever list of words it stands.
_WORDS = {
    "none": 2, "mean": 1, "sum": 0, "trunc": 1, "floor": 2, "left": 1, "right": 0, "xy": 1, "ij": 0,
    "add": 1, "update": 3, "backward": 0, "forward": 1, "ortho": 2,
    "pad": 0, "same": 1, "valid": 2, "full": 3, "reflect": 1, "symmetric": 2, "constant": 0, "zeros": 0,
    "border": 1, "reflection": 2,
    "bilinear": 0, "nearest": 1, "linear": 15, "asymmetric": 0, "align_corners": 1, "half_pixel": 2,
    "nchw": 0, "nhwc": 1, "ncdhw": 14, "ndhwc": 17, "hwcn": 34, "nc1hwc0": 21, "nd": 20, "ncl": 58,
    "default": 0, "pertoken": 1, "mask_default": 0, "mask_alibi": 2,
    "bsh": 0, "bnsd": 1, "sbh": 2, "bsnd": 3, "tnd": 4, "th": 5, "nsd": 6, "sh": 7, "bnsd_bsnd": 8,
    "no_activation": 0, "relu": 1, "sigmoid": 2, "relu6": 3, "tanh": 10,
    "gelu": 19, "fastgelu": 22, "silu": 23, "geglu": 24, "swiglu": 25, "reglu": 26,
}
# The core's identifiers of dtypes.
_IDENTIFIERS = {
    "Bool": 30, "Int8": 32, "Int16": 33, "Int32": 34, "Int64": 35, "UInt8": 37, "UInt16": 38, "UInt32": 39,
    "UInt64": 40, "Float16": 42, "Float32": 43, "Float64": 44, "BFloat16": 45,
    "Float8E4M3FN": 46, "Float8E5M2": 47, "HiFloat8": 48, "Complex64": 51, "Complex128": 52,
}
_OLDER = {"Int32": 3, "int32": 3, "Int64": 4, "int64": 4}
_GE = {"Float32": 0, "Float16": 1, "Float64": 11}


def _word(value):
    return _WORDS.get(value.lower(), value) if isinstance(value, str) else value


def _number(numbers):
    return lambda value: numbers.get(str(value), value) if value is not None else None


def _name(value):
    return str(value).lower()


FORMS = {
    "enum": _word, "id": _number(_IDENTIFIERS), "older": _number(_OLDER), "ge": _number(_GE), "name": _name,
}
