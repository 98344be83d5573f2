"""Values in the code of a network (``mindspore.rewrite.ScopedValue``)."""

from __future__ import annotations

import ast
from enum import Enum

from ms2torch._checkparam import check_element_type_of_iterable, check_value_type

__all__ = ["ScopedValue", "ValueType"]


class ValueType(Enum):
    """Kinds of values."""

    ConstantValue = 0
    TupleValue = 20
    ListValue = 21
    DictValue = 22
    NamingValue = 40
    CustomObjValue = 41
    UnsupportedValue = 50


_KINDS = {int: 0, float: 0, str: 0, bytes: 0, bool: 0, type(None): 0, tuple: 20, list: 21, dict: 22}


class ScopedValue:
    """A name, with what stands before its dot, or a constant (``mindspore.rewrite.ScopedValue``).

    ``arg_type``: a `ValueType`; ``scope``: "self" in ``self.conv``; ``value``: the name, or the constant.
    """

    def __init__(self, arg_type, scope="", value=None) -> None:
        check_value_type("arg_type", arg_type, [ValueType], "ScopedValue")
        self.type, self.scope, self.value = arg_type, scope, value

    @classmethod
    def create_variable_value(cls, value):
        """Of a constant, or of a tuple, list or dict of values."""
        if isinstance(value, ScopedValue):
            return value
        kind = ValueType(_KINDS.get(type(value), 41))
        if kind in (ValueType.TupleValue, ValueType.ListValue):
            value = type(value)(map(cls.create_variable_value, value))
        elif kind is ValueType.DictValue:
            value = {key: cls.create_variable_value(one) for key, one in value.items()}
        return cls(kind, "", value)

    @classmethod
    def create_naming_value(cls, name, scope=""):
        """Of a variable's name."""
        check_value_type("name", name, [str], "ScopedValue")
        check_value_type("scope", scope, [str], "ScopedValue")
        return cls(ValueType.NamingValue, scope, name)

    @staticmethod
    def create_name_values(names, scopes=None) -> list:
        """Of several names. ValueError unless there is a scope for each."""
        check_value_type("names", names, [list, tuple], "ScopedValue")
        check_element_type_of_iterable("names", names, [str], "ScopedValue")
        if scopes is not None:
            check_value_type("scopes", scopes, [list, tuple], "ScopedValue")
            check_element_type_of_iterable("scopes", scopes, [str], "ScopedValue")
            if len(names) != len(scopes):
                raise ValueError("Length of names should be equal to length of scopes")
        return [ScopedValue.create_naming_value(name, scope)
                for name, scope in zip(names, scopes or [""] * len(names), strict=True)]

    @classmethod
    def of_code(cls, code: ast.expr) -> ScopedValue:
        """Of an expression, as far as it is a name or a constant."""
        if isinstance(code, ast.Constant):
            return cls.create_variable_value(code.value)
        if isinstance(code, ast.Name):
            return cls.create_naming_value(code.id)
        if isinstance(code, ast.Attribute):
            return cls.create_naming_value(code.attr, ast.unparse(code.value))
        return cls(ValueType.UnsupportedValue, "", code)

    def to_code(self) -> ast.expr:
        """The expression. TypeError for a value that code can not say."""
        if self.type is ValueType.NamingValue:
            return ast.parse(str(self), mode="eval").body
        if self.type is ValueType.ConstantValue:
            return ast.Constant(self.value)
        if self.type in (ValueType.TupleValue, ValueType.ListValue):
            kind = ast.Tuple if self.type is ValueType.TupleValue else ast.List
            return kind([one.to_code() for one in self.value], ast.Load())
        if self.type is ValueType.DictValue:
            return ast.Dict([ast.Constant(key) for key in self.value],
                            [one.to_code() for one in self.value.values()])
        if self.type is ValueType.UnsupportedValue and isinstance(self.value, ast.expr):
            return self.value                              # as it was read
        raise TypeError(f"A value of type {type(self.value)} can not be written in code; give it a name.")

    def __str__(self) -> str:
        if self.type is ValueType.ConstantValue:
            return str(self.value)
        if self.type is ValueType.NamingValue:
            return f"{self.scope}.{self.value}" if self.scope else str(self.value)
        if self.type is ValueType.CustomObjValue:
            return f"CustomObj: {self.value}"
        return f"Illegal ValueType: {self.type}"

    __repr__ = __str__

    def __eq__(self, other) -> bool:
        if not isinstance(other, ScopedValue):
            return False
        return (self.type, self.scope, self.value) == (other.type, other.scope, other.value)

    def __hash__(self) -> int:
        return hash((self.type, self.scope, str(self.value)))
