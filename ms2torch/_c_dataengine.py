"""``mindspore._c_dataengine``: the rows' own tensors, dtypes and shapes, and the profiling manager. The rest
of MindSpore's compiled core is refused."""

from __future__ import annotations

import numpy as np

from ms2torch._naming.surface import install_lazy
from ms2torch.dataset.core import config as _config
from ms2torch.dataset.core.errors import pipeline_error
from ms2torch.dataset.engine._profiling import MANAGER, ProfilingManager

__all__ = ["DataType", "GlobalContext", "ProfilingManager", "Tensor", "TensorShape"]

_KINDS = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
          "float32", "float64")


def _need(owner: str, kind: type, shown: str, given) -> None:
    if not isinstance(given, kind):
        raise TypeError("__init__(): incompatible constructor arguments. The following argument types are "
                        f"supported:\n    1. mindspore._c_dataengine.{owner}(arg0: {shown})\n\n"
                        f"Invoked with: {given}")


class DataType:
    """The dtype of a column, by name; one that does not exist is "unknown"."""

    def __init__(self, name: str) -> None:
        _need("DataType", str, "str", name)
        self._name = name if name in (*_KINDS, "string", "bytes", "python") else "unknown"

    @property
    def dtype(self) -> np.dtype:
        """What numpy compares its own with."""
        others = {"string": "U", "bytes": "S", "python": "O", "unknown": "V"}
        return np.dtype(others.get(self._name, self._name))

    def is_python(self) -> bool:
        return self._name == "python"

    def __str__(self) -> str:
        return self._name

    def __eq__(self, other) -> bool:
        return isinstance(other, DataType) and other._name == self._name

    __hash__ = None


class TensorShape:
    """Sizes, -1 for one that is not known."""

    def __init__(self, sizes: list) -> None:
        _need("TensorShape", list, "list", sizes)
        self._sizes = list(sizes)

    def as_list(self) -> list:
        return list(self._sizes)

    def is_known(self) -> bool:
        return all(n >= 0 for n in self._sizes)

    def __str__(self) -> str:
        return f"<{','.join('*' if n < 0 else str(n) for n in self._sizes)}>"


class Tensor:
    """A row's value over the memory of a numpy array, or over a copy of one that has no such layout."""

    def __init__(self, array: np.ndarray) -> None:
        _need("Tensor", np.ndarray, "numpy.ndarray", array)
        if array.dtype.kind not in "US" and array.dtype.name not in _KINDS:
            raise pipeline_error("Failed to create tensor from numpy array, data type is unknown.")
        self._array = np.ascontiguousarray(array) if array.ndim else array

    def as_array(self) -> np.ndarray:
        return self._array

    def as_python(self):
        return self._array.tolist()

    def type(self) -> DataType:
        return DataType({"U": "string", "S": "bytes"}.get(self._array.dtype.kind, self._array.dtype.name))

    def shape(self) -> TensorShape:
        return TensorShape(list(self._array.shape))

    def __array__(self, dtype=None, copy=None):
        array = self._array if dtype is None else self._array.astype(dtype, copy=False)
        return array.copy() if copy else array

    def __str__(self) -> str:
        numbers = str(self._array.tolist()).replace(" ", "")
        return f"Tensor (shape: {self.shape()}, Type: {self.type()})\n{numbers}"


class GlobalContext:
    """What there is one of in a process."""

    @staticmethod
    def profiling_manager() -> ProfilingManager:
        return MANAGER

    @staticmethod
    def config_manager():
        return _config


install_lazy(__name__, globals())
