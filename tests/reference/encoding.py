"""Results as JSON, the same from both sides, and the comparison of two of them.

A Tensor becomes {"Tensor": [dtype, shape, values]}; tuples, dicts, floats and numpy values carry their kind
likewise, so that an int, a 0-d Tensor and a numpy scalar never pass for one another. Lists, ints, bools,
strings and None are themselves.
"""
from __future__ import annotations

import base64
import re
import zlib

import numpy as np

# torch.testing.assert_close's defaults: rtol, atol
TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5),
              "float64": (1e-7, 1e-7), "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7)}
DTYPE = re.compile(r"b?float\d+|complex\d+|u?int\d+|bool_?|str\d*|bytes\d*|object", re.IGNORECASE)
INLINE = 64                              # larger arrays are packed


def encode(value):
    """A result as JSON. Raises TypeError for what it cannot hold."""
    if value is None or type(value) in (bool, int):
        return value
    if type(value) is str:
        return plain(value)
    kind = type(value).__name__
    if type(value) is float:
        return {"float": repr(value)}
    if type(value) is complex:
        return {"complex": repr(value)}
    if isinstance(value, list):
        return [encode(v) for v in value]
    if isinstance(value, tuple):
        return {kind: [encode(v) for v in value]}
    if isinstance(value, dict):
        return {kind: [[encode(k), encode(v)] for k, v in value.items()]}
    if isinstance(value, (np.ndarray, np.generic)):
        return {kind: _array(value, value.dtype.name)}
    import mindspore as ms

    if isinstance(value, ms.Tensor):
        return {kind: _tensor(ms, value)}
    if isinstance(value, type(ms.float32)):
        return {"dtype": str(value)}
    if isinstance(value, type):
        return {"class": value.__name__}
    raise TypeError(f"a case returns tensors, numbers, strings, dtypes, arrays or None, nested; not {kind}")


def plain(text: str) -> str:
    """A text without what differs from run to run: addresses, and the package's own name."""
    return re.sub(r"0x[0-9a-f]+", "0x", text).replace("ms2torch.", "mindspore.")


def _tensor(ms, value):
    dtype = str(value.dtype)
    if hasattr(value, "torch"):          # ms2torch's: a value at rest carries no graph
        assert not value.torch().requires_grad, "a result still requires grad"
    numbers = value.value() if isinstance(value, ms.Parameter) else value
    if dtype == "BFloat16":              # numpy has no such dtype; every bfloat16 is a float32
        numbers = numbers.astype(ms.float32)
    encoded = _array(numbers.asnumpy(), dtype)
    encoded[1] = list(value.shape)
    return [*encoded, value.name, value.requires_grad] if isinstance(value, ms.Parameter) else encoded


def _array(array, dtype):
    array = np.asarray(array)
    if array.dtype.kind in "OUSMm":
        return [dtype, list(array.shape), [str(v) for v in array.ravel()]]
    if array.size > INLINE:
        packed = zlib.compress(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes(), 9)
        return [dtype, list(array.shape), base64.b64encode(packed).decode()]
    if array.dtype.kind == "c":
        return [dtype, list(array.shape), [[_short(v.real), _short(v.imag)] for v in array.ravel()]]
    return [dtype, list(array.shape), [_short(v) for v in array.ravel()]]


def _short(value):
    """The shortest decimal that reads back to the same value of its dtype."""
    return float(str(value)) if value.dtype.kind == "f" else value.item()


def _numbers(dtype, shape, values):
    kind = "float32" if dtype.lower() == "bfloat16" else dtype.lower().rstrip("_")
    if isinstance(values, str):
        return np.frombuffer(zlib.decompress(base64.b64decode(values)), kind).reshape(shape)
    if kind.startswith("complex"):
        values = [complex(re, im) for re, im in values]
    return np.array(values, kind).reshape(shape)


def differences(theirs, ours, rtol=None, atol=None, path="result") -> list[str]:
    """Where two encoded results differ, one line each; empty when they agree."""
    if type(theirs) is not type(ours):
        return [f"  {path}: MindSpore {_brief(theirs)}, ms2torch {_brief(ours)}"]
    if isinstance(theirs, list):
        return _sequence(theirs, ours, rtol, atol, path)
    if not isinstance(theirs, dict):
        return [] if theirs == ours else [f"  {path}: MindSpore {theirs!r}, ms2torch {ours!r}"]
    ((kind, content),), ((our_kind, our_content),) = theirs.items(), ours.items()
    if kind != our_kind:
        return [f"  {path}: MindSpore {_brief(theirs)}, ms2torch {_brief(ours)}"]
    if kind in ("float", "complex"):
        python = {"float": float, "complex": complex}[kind]
        return _values(python(content), python(our_content), "float64", rtol, atol, path)
    if not isinstance(content, list):
        return [] if content == our_content else [f"  {path}: MindSpore {content}, ms2torch {our_content}"]
    if _is_array(content):
        return _arrays(content, our_content, rtol, atol, path)
    return _sequence(content, our_content, rtol, atol, path)


def _is_array(content):
    return len(content) >= 3 and isinstance(content[0], str) and DTYPE.fullmatch(content[0]) is not None


def _sequence(theirs, ours, rtol, atol, path):
    if len(theirs) != len(ours):
        return [f"  {path}: MindSpore has {len(theirs)} elements, ms2torch {len(ours)}"]
    return [line for i, (a, b) in enumerate(zip(theirs, ours, strict=True))
            for line in differences(a, b, rtol, atol, f"{path}[{i}]")]


def _arrays(theirs, ours, rtol, atol, path):
    (dtype, shape, values, *rest), (our_dtype, our_shape, our_values, *our_rest) = theirs, ours
    if (dtype, shape, rest) != (our_dtype, our_shape, our_rest):
        said = [" ".join(map(str, (d, s, *r)))
                for d, s, r in ((dtype, shape, rest), (our_dtype, our_shape, our_rest))]
        return [f"  {path}: MindSpore {said[0]}, ms2torch {said[1]}"]
    if values == our_values:
        return []
    if isinstance(values, list) and values and isinstance(values[0], str):
        return [f"  {path}: MindSpore {values}, ms2torch {our_values}"]
    numbers, our_numbers = _numbers(dtype, shape, values), _numbers(dtype, shape, our_values)
    return _values(numbers, our_numbers, dtype.lower(), rtol, atol, path)


def _values(theirs, ours, dtype, rtol, atol, path):
    default_rtol, default_atol = TOLERANCES.get(dtype, (0, 0))
    rtol, atol = (default_rtol if rtol is None else rtol), (default_atol if atol is None else atol)
    if dtype not in TOLERANCES:          # ints and bools, whatever the case allows its floats
        wrong = np.asarray(theirs != ours)
    else:
        wrong = ~np.isclose(ours, theirs, rtol, atol, equal_nan=True)
    if not wrong.any():
        return []
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    return [f"  {path}: {int(wrong.sum())} of {wrong.size} values differ (rtol {rtol}, atol {atol}), "
            f"first at {first}: MindSpore {np.asarray(theirs)[first]}, ms2torch {np.asarray(ours)[first]}"]


def _brief(encoded) -> str:
    if isinstance(encoded, dict):
        kind, content = next(iter(encoded.items()))
        return f"{kind}{content[:2]}" if isinstance(content, list) and _is_array(content) else kind
    return f"{type(encoded).__name__} {encoded!r}"[:120]
