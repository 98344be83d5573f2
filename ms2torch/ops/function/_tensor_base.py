"""What MindSpore's compiled base class gives a Tensor beside its public names; libraries read some of it."""

from __future__ import annotations

import torch

from ms2torch._core.checks.compiled_methods import without_arguments
from ms2torch._core.errors import unsupported
from ms2torch._core.operators.registry import METHODS, method
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common import storage  # noqa: F401 - gives Tensor.storage

from ._tensor_values import assign_value

# ---- what it is --------------------------------------------------------------------------------------------

# Public attributes under the names that the base class has them by.
for _public in ("size", "itemsize", "nbytes", "strides"):
    setattr(Tensor, f"_{_public}", property(vars(Tensor)[_public].fget))

# What describes MindSpore's own graphs and memory; the values are those of a Tensor at rest.
for _name, _value in {
    "_dtensor_info": None, "_grad": None, "_grad_node": None, "_is_leaf": True, "_output_index": 0,
    "_requires_grad": False, "_retains_grad": False, "_version": 0, "index_of_parent_": None,
    "init_finished": True, "init_flag": False, "parent_tensor_": None, "symbolic_shape": None,
}.items():
    setattr(Tensor, _name, _value)


@method(on_tensors=True)
def _need_contiguous(self):
    """Whether an operator that wants its elements in order would copy it."""
    return not self._t.is_contiguous()


@method(on_tensors=True)
def _is_test_stub(self):
    """False: no Tensor here stands for one that is computed later."""
    return False


@method(on_tensors=True)
@without_arguments
def offload_file_path(self):
    """The file that its content was moved to: "", for none ever is."""
    return ""


@method(on_tensors=True)
def _set_user_data(self, key, value):
    """Keeps an object with the Tensor."""
    self.__dict__.setdefault("_user_data", {})[key] = value


@method(on_tensors=True)
def _get_user_data(self, key):
    """The object that `_set_user_data` kept, or None."""
    return self.__dict__.get("_user_data", {}).get(key)


# ---- its memory --------------------------------------------------------------------------------------------


def _nothing(name: str):
    def moved(self, *args):
        """Nothing: the content is always where it is used."""

    method(moved, name=name, on_tensors=True)


for _name in ("_flush_from_cache", "_load", "_offload", "set_cast_dtype", "set_init_flag"):
    _nothing(_name)


@method(on_tensors=True)
def to_(self, device=None, non_blocking=False):
    """Moves the Tensor to "CPU", where it is; other devices are chosen by ``set_context``."""
    if device not in ("Ascend", "CPU"):
        raise ValueError(f"The value of 'to' must be one of ['Ascend', 'CPU'], but got {device}")
    if device != "CPU" or self._t.device.type != "cpu":
        raise unsupported("mindspore.Tensor.to_", "does not move Tensors between devices.",
                          "use x.torch().to(...), or mindspore.set_device for the whole program.")
    return self


@method(on_tensors=True)
def delete_(self, non_blocking=False):
    """Refused, as by MindSpore on a CPU: frees the memory of a Tensor that is still referred to."""
    raise unsupported("mindspore.Tensor.delete_", "has a kernel on Ascend alone.",
                      "del x frees what nothing else holds.")


@method(on_tensors=True)
def _numpy_non_blocking(self):
    """`asnumpy`."""
    return self.asnumpy()


@method(on_tensors=True)
def to_dlpack(self):
    """A DLPack capsule over the Tensor's memory (``mindspore.utils.dlpack.to_dlpack``)."""
    return self._t.detach().__dlpack__()


Tensor.from_dlpack = staticmethod(lambda dlpack: wrap(torch.from_dlpack(dlpack)))

# ---- its elements ------------------------------------------------------------------------------------------


@method(on_tensors=True)
def _getitem(self, index):
    """``x[index]``."""
    return self[index]


@method(on_tensors=True)
def _setitem(self, index, value):
    """``x[index] = value``; gives the Tensor."""
    self[index] = value
    return self


METHODS["_getitem_origin"] = Tensor._getitem_origin = _getitem
METHODS["_setitem_origin"] = Tensor._setitem_origin = _setitem


@method(on_tensors=True)
def assign_value_cpp(self, value, /):
    """``assign_value`` of arguments without names."""
    return assign_value(self, value)


@method(on_tensors=True)
def __req__(self, other):
    """``other == x``."""
    return other == self


@method(on_tensors=True)
def triangular_solve(self, A, upper=True, transpose=False, unitriangular=False):
    """Refused, as by MindSpore, whose method looks for an operator that it has not."""
    raise AttributeError("'Registry' object has no attribute 'triangular_solve'")


__all__: list[str] = []
