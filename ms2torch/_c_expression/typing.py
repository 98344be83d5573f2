"""``mindspore._c_expression.typing``: kinds of dtypes, for ``isinstance(x.dtype, typing.Float)``."""

from __future__ import annotations

from ms2torch._core.tensor.dtype import Type


class _Kind(type):
    """A class whose instances are the dtypes with one of its prefixes."""

    prefixes: tuple[str, ...]

    def __instancecheck__(cls, value) -> bool:
        return isinstance(value, Type) and str(value).startswith(cls.prefixes)


def _kind(name: str, *prefixes: str) -> _Kind:
    return _Kind(
        name,
        (),
        {"prefixes": prefixes, "__doc__": f"The dtypes {', '.join(prefixes)}.", "__module__": __name__},
    )


Bool = _kind("Bool", "Bool")
Int = _kind("Int", "Int")
UInt = _kind("UInt", "UInt")
Float = _kind("Float", "Float")
BFloat = _kind("BFloat", "BFloat")
Complex = _kind("Complex", "Complex")
String = _kind("String", "String")
Number = _kind("Number", "Bool", "Int", "UInt", "Float", "BFloat", "Complex")
