"""Symbol, a size that is not known yet (``mindspore.common.symbol``)."""

__all__ = ["Symbol"]


class Symbol:
    """A size that varies, in the shape of a Tensor for ``Cell.set_inputs`` (``mindspore.Symbol``).

    A call with a size beyond the limits is a ValueError in graph mode. TypeError and ValueError for limits
    that cannot be.
    """

    def __init__(self, max=0, min=1, divisor=1, remainder=0, unique=False, **kwargs) -> None:
        for name, value, kind in (("max", max, int), ("min", min, int), ("divisor", divisor, int),
                                  ("remainder", remainder, int), ("unique", unique, bool)):
            if not isinstance(value, kind):
                raise TypeError(f"For 'Symbol', the argument '{name}' must be {kind.__name__}, "
                                f"but got {type(value)}")
        if divisor <= 0:
            raise ValueError(f"For 'Symbol', the 'divisor' value should be positive, but got {divisor}")
        if not 0 <= remainder < divisor:
            raise ValueError(f"For 'Symbol', the 'remainder' value should be in the range '[0, {divisor})', "
                             f"but got {remainder}")
        self.max, self.min, self.divisor, self.remainder, self.unique = max, min, divisor, remainder, unique

    def to_dict(self) -> dict:
        """What was given, by name; "id" tells one that stands for a single size from the others."""
        first = {"max": 0, "min": 1, "divisor": 1, "remainder": 0}
        if self.min <= self.remainder:          # which says as much
            del first["min"]
        said = {name: getattr(self, name) for name, usual in first.items() if getattr(self, name) != usual}
        return said | ({"id": id(self)} if self.unique else {})

    def __str__(self) -> str:
        return str(self.to_dict())
