"""What is asked of both MindSpore and ms2torch about dtypes, printing and indexing; needs numpy alone."""

from pathlib import Path

import numpy as np

DTYPES = ["bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
          "bfloat16", "float32", "float64", "complex64", "complex128"]

# Python numbers beside a Tensor [1, 3] of each dtype, on each side of each operator.
NUMBERS = {"True": True, "2": 2, "-5": -5, "300": 300, "2**40": 2**40, "2**63": 2**63, "0.1": 0.1, "1.5": 1.5,
           "1e300": 1e300, "2j": 2j}
OPERATORS = ["add", "sub", "mul", "truediv"]

X = np.arange(24).reshape(2, 3, 4)
KINDS = {"f": np.float32, "i": np.int32, "b": np.bool_, "u8": np.uint8, "c": np.complex64, "f16": np.float16,
         "bf": np.float32, "f64": np.float64, "i64": np.int64}


class _Index:
    def __getitem__(self, index):
        return index


def index_cases() -> list[str]:
    lines = Path(__file__).with_name("index_cases.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def parse(case: str, names: dict):
    """A case's dtype letter, index and, in a tuple, the value to write; ``names`` has T and the dtypes."""
    names = names | {"S": _Index(), "np": np, "X": X}
    kind, _, rest = case.rpartition(": x[") if ": x[" in case else ("f", "", case[2:])
    index, written, value = rest.partition("] = ")
    if not written:
        index = rest[:-1]
    return kind, eval(f"S[{index}]", names), (eval(value, names),) if written else ()


def start(kind: str) -> np.ndarray:
    return np.array(3, np.float32) if kind == "s" else X.astype(KINDS[kind])


def printed_arrays():
    """Name, dtype and array of every tensor whose str and repr are compared."""
    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, 1e-5, 123456.7]
    wide = [1e-45, 1e-40, 6e-8, 65504, 3e38, 1e16, 99999.5, 999999.5, 0.00099999995, 1e-300, -1e300]
    shapes = [(), (1,), (7,), (12,), (24,), (25,), (1001,), (0,), (0, 3), (2, 0, 3), (1, 1), (2, 3),
              (6, 6), (7, 6), (3, 7), (2, 1, 3), (1, 7, 8), (2, 2, 2, 2)]
    random = np.random.RandomState(0)
    for i, dtype in enumerate(DTYPES):
        for j, shape in enumerate(shapes + [(1000,)] * (dtype in ("bool_", "int8", "complex64"))):
            n = int(np.prod(shape))
            kinds = [random.randn(n), random.randint(-300, 300, n) * 1.0, random.choice(odd, n),
                     random.choice(wide, n), np.arange(n) * 1.0,
                     random.randn(n) * 10.0 ** random.randint(-30, 30, n)]
            drawn = kinds[(i + j) % len(kinds)].reshape(shape)
            yield f"{dtype}{list(shape)}", dtype, _as(dtype, drawn, random)


def _as(dtype: str, values: np.ndarray, random) -> np.ndarray:
    if dtype == "bool_":
        return values > 0
    with np.errstate(all="ignore"):
        if dtype.startswith("complex"):
            out = np.empty(values.shape, dtype)
            out.real, out.imag = values, random.permutation(values.ravel()).reshape(values.shape)
            return out
        if "int" in dtype:
            limit = np.iinfo(dtype)
            values = np.nan_to_num(values, nan=0, posinf=9, neginf=-9)
            values = np.abs(values) if limit.min == 0 else values
            return np.clip(values, limit.min // 2, limit.max // 2).astype(dtype)
        return np.asarray(values).astype("float32" if dtype == "bfloat16" else dtype)
