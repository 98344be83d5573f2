"""``mindspore._c_expression.typing``: classes of dtypes, for ``isinstance(x.dtype, typing.Float)``."""

from ms2torch._core.tensor.dtype import BFloat, Bool, Complex, Float, Int, Number, String, Type, UInt

__all__ = ["BFloat", "Bool", "Complex", "Float", "Int", "Number", "String", "Type", "UInt"]
