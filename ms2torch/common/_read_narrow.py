"""What a Cell of half precision reads of its Parameters."""

from __future__ import annotations

from ms2torch._core.tensor.tensor import Tensor


class Narrow(Tensor, hands_data_on=False):
    """A Parameter as operators take it in a Cell that ``to_float`` gave a narrower dtype: its values cast, as
    they are when an operator reads them. What is written goes to the Parameter, in its own dtype."""

    def __init__(self, param, dtype) -> None:
        self.__dict__.update(_written=param, _cast_to=dtype, _cast=(None, 0, None))

    @property
    def _t(self):
        whole = self._written._t
        of, version, cast = self._cast
        if of is not whole or version != whole._version:
            cast = whole.to(self._cast_to)
            self.__dict__["_cast"] = (whole, whole._version, cast)
        return cast

    @_t.setter
    def _t(self, value) -> None:
        self._written._t = value.to(self._written._t.dtype)

    def __getattr__(self, name: str):
        return getattr(self._written, name)         # its name, `set_data`, ...

    def __setattr__(self, name: str, value) -> None:
        if name == "_t":
            Tensor.__setattr__(self, name, value)
        else:
            setattr(self._written, name, value)

    def __setitem__(self, index, value) -> None:
        self._written[index] = value
