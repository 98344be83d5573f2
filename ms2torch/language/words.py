"""MindSpore's words for the error that a statement of a graph ended with. Read only after it happened.

Python's own errors become those of MindSpore's compiler: the instruction that failed is found in the source,
and what it worked on is read from its frame, names and constants only, so that nothing runs twice.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import re
import types
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import torch

from ms2torch._core import mode
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.language import absent, axis_words, index_words, operand_kinds, overloads, places, reading
from ms2torch.language.builtin_functions import AMBIGUOUS, not_enumerable, walked_range
from ms2torch.language.containers import refused_key
from ms2torch.language.mapping import type_name
from ms2torch.language.printing import constant_text

_ENGINE = str(Path(__file__).resolve().parents[1])
_UNKNOWN = object()
_KINDS = {"list": "List", "tuple": "Tuple", "dict": "Dictionary", "int": "Int", "float": "Float",
          "bool": "Bool", "str": "String", "NoneType": "NoneType"}
# Functions that pass on what they were called with.
_PASSING_ON = frozenset({"method_of_a_graph", "__call__", "_slow_call", "construct"})
_DEEP = (
    "Exceed function call depth limit 1000, (function call depth: 1001, simulate call depth: 1000).\n"
    "It's always happened with complex construction of code or infinite recursion or loop.\n"
    "Please check the code if it's has the infinite recursion or call "
    "'mindspore.set_recursion_limit(recursion_limit=value)' to adjust this value.\nIf recursion_limit is set "
    "larger, the system max stack depth should be set larger too to avoid stack overflow.\n"
    "For more details, please refer to the FAQ at https://www.mindspore.cn."
)


@dataclass
class Place:
    """Where it failed: the innermost frame of the program, the expression there, and what it called."""

    frame: FrameType
    node: ast.AST | None
    tree: ast.AST | None
    called: str
    asked: object = None        # the Tensor whose truth was asked for

    def value(self, node):
        """What an expression of names, attributes and constants is worth in the frame; _UNKNOWN otherwise."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            for names in (self.frame.f_locals, self.frame.f_globals):
                if node.id in names:
                    return names[node.id]
        if isinstance(node, ast.Attribute):         # (as it lies there: no property of the program runs)
            if node.attr == "shape" and isinstance(self.value(node.value), Tensor):
                return self.value(node.value).shape
            return getattr(self.value(node.value), "__dict__", {}).get(node.attr, _UNKNOWN)
        if (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and isinstance(node.operand, ast.Constant)
        ):
            return -node.operand.value
        if isinstance(node, (ast.List, ast.Tuple)):
            inner = [self.value(n) for n in node.elts]
            return _UNKNOWN if _UNKNOWN in inner else tuple(inner) if isinstance(node, ast.Tuple) else inner
        if isinstance(node, ast.Dict) and None not in node.keys:
            keys, values = map(self.value, node.keys), map(self.value, node.values)
            return dict(zip(keys, values, strict=True))
        return _UNKNOWN

    def calls_program(self) -> bool:
        """Whether the expression calls a function of the program, with arguments that do not fit it."""
        if self.called or getattr(self.node, "func", None) is None:
            return False
        found = self.called_function()
        if isinstance(getattr(found, "__self__", None), torch.nn.Module) and found.__name__ == "construct":
            return True
        found = getattr(found, "__func__", found)
        return reading.is_read(getattr(found, "_graph_source", found))

    def called_function(self):
        """What the expression calls, a method bound to its owner, a Cell's ``construct``; None if unknown."""
        func = self.node.func
        found = self.value(func)
        if found is _UNKNOWN and isinstance(func, ast.Attribute):
            owner = self.value(func.value)
            found = getattr(owner, "__dict__", {}).get("_modules", {}).get(func.attr)
            if found is None:
                found = inspect.getattr_static(type(owner), func.attr, None)
                return types.MethodType(found, owner) if isinstance(found, types.FunctionType) else found
        if isinstance(found, torch.nn.Module):
            return found.construct
        return None if found is _UNKNOWN else found

    def binds(self) -> bool:
        """Whether what the expression calls has an owner, which Python counts among the arguments."""
        return isinstance(self.called_function(), types.MethodType)

    def function(self):
        """The name of the function that the expression calls, or None."""
        func = getattr(self.node, "func", None)
        return func.id if isinstance(func, ast.Name) else getattr(func, "attr", None)


def explained(error: Exception, function, args: tuple, kwargs: dict, entry: str) -> Exception:
    """``error`` as MindSpore's compiler or graph would have raised it; ``entry`` is "Cell" or "function"."""
    if getattr(error, "from_user", False) or getattr(error, "_graph_words", False):
        return error
    if isinstance(error, RecursionError) and mode.inside > 1:
        return error                        # (the outermost call tells, which has room for it)
    try:
        place = _place(error)
        if place is None and entry == "Cell" and _is_inside(function):
            return error                    # (the place of the call tells)
        told = _entry(error, function, args, kwargs, entry) if place is None else _told(error, place)
    except Exception:  # an explanation never hides what happened
        told = None
    told = error if told is None else told
    told._graph_words = True
    return told


def _is_inside(construct) -> bool:
    """Whether a Cell's ``construct`` is not the one that the graph under way began with."""
    call = graph_streams.here.call
    return call is not None and call.function is not getattr(construct, "__self__", None)


def _place(error) -> Place | None:
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    for number in range(len(frames) - 1, -1, -1):
        code = frames[number].tb_frame.f_code
        if code.co_filename.startswith(_ENGINE) or code.co_filename.startswith("<"):
            continue
        tree, node = _node(code, frames[number].tb_lasti)
        last = frames[-1].tb_frame.f_code.co_name if number < len(frames) - 1 else ""
        last = "" if last in _PASSING_ON else last
        asked = frames[-1].tb_frame.f_locals.get("self") if last == "__bool__" else None
        return Place(frames[number].tb_frame, node, tree, last, asked)
    return None


def _node(code, instruction: int):
    """(the function's tree, the expression or the `if` that an instruction was compiled from)."""
    tree = reading.definition(code)
    if tree is None or not hasattr(code, "co_positions"):
        return tree, None
    line, end_line, column, end_column = list(code.co_positions())[instruction // 2]
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.expr, ast.If, ast.While, ast.AugAssign))
            and (node.lineno, node.end_lineno) == (line, end_line)
            and (node.col_offset, node.end_col_offset) == (column, end_column)
        ):
            return tree, node
    return tree, None


# ---- where a graph begins ----------------------------------------------------------------------------------


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _entry(error, function, args, kwargs, entry: str):
    """A call of the marked function or of the Cell itself with the wrong number of arguments."""
    if not isinstance(error, TypeError):
        return None
    signature = inspect.signature(function)
    if kwargs:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as wrong:
            return TypeError(str(wrong))
    kinds = [p.kind for p in signature.parameters.values()]
    parameters = [p for p in signature.parameters.values() if p.kind in _POSITIONAL]
    defaults = sum(p.default is not p.empty for p in parameters)
    needed, given = len(parameters) - defaults, len(args) + len(kwargs)
    name, written = function.__name__, getattr(inspect.unwrap(function), "__code__", None)
    missing = re.search(r"missing \d+ required (positional|keyword-only) arguments?: '(\w+)'", str(error))
    if missing and inspect.Parameter.VAR_POSITIONAL in kinds and missing[2] not in signature.parameters:
        return None                                        # what it calls lacks one
    keywords = {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD} <= set(kinds)
    if missing and missing[1] == "positional" and inspect.Parameter.VAR_POSITIONAL in kinds and not keywords:
        return RuntimeError(
            f"For function:{name}, its max argument size: {given + defaults} is less than parameter size: "
            f"{len(parameters)} , actual argument size from caller: {given}"
        )
    if missing and (missing[1] == "keyword-only" or inspect.Parameter.VAR_KEYWORD in kinds):
        return RuntimeError(f"Miss argument input for parameter:{missing[2]}")
    begin, more = f"Function {name} needs", ""
    if entry == "Cell":
        if written is not None and "self" not in written.co_varnames[:1]:
            return TypeError("For 'Cell', the method 'construct' must have parameter 'self'. ")
        begin = "For 'Cell', the function construct requires"
        more = (
            " When using set_inputs, please make sure that all networks and loss functions are "
            "configured with set_inputs."
        )
    if len(args) > len(parameters):
        total = f" and {defaults} default argument, total {len(parameters)}"
        return TypeError(f"{begin} {needed} positional argument{total}, but got {given}.")
    if given < needed:
        return TypeError(f"{begin} {needed} positional argument, but got {given}.{more}")
    return None


# ---- inside ------------------------------------------------------------------------------------------------


def _told(error, place: Place):
    for kind, tell in _TELLERS:
        if isinstance(error, kind):
            told = tell(error, str(error), place)
            if told is not None:
                return told
    return None


def _recursion(error, text, place):
    return RuntimeError(_DEEP)


def _key(error, text, place):
    target = place.value(place.node.value) if isinstance(place.node, ast.Subscript) else _UNKNOWN
    if not isinstance(target, dict):
        return None
    known = not any(callable(v) for v in target.values())       # (Cells and functions)
    shown = constant_text(target) if known else "ValueAny"
    return ValueError(f"The key {error.args[0]} does not exist in the dict:{shown}")


def _shown(error, place):
    """``error`` with the function's source behind it, as the compiler shows where its words come from."""
    tree, file = place.tree, place.frame.f_code.co_filename
    lines = linecache.getlines(file)[tree.lineno - 1 : tree.end_lineno]
    rule = places.RULE
    return type(error)(f"{error}\n\n{rule}\n- The Traceback of Net Construct Code:\n{rule}\n\n# In file "
                       f"{file}:{tree.lineno}~{tree.end_lineno}\n{''.join(lines)}")


def _type(error, text, place):
    if text.startswith(("Cannot join the return values", "For 'make_range'")) and place.tree is not None:
        return _shown(error, place)
    told = operand_kinds.refused_in(place)
    if told is None:
        told = _method(place)
    if told is not None:
        return told
    if place.calls_program() and (told := _count(text, place)) is not None:
        return told
    if (told := _of_an_operator(text, place)) is not None:
        return told
    for pattern, tell in (*_TYPE_ERRORS, *(_CALL_ERRORS if place.calls_program() else ())):
        found = re.search(pattern, text)
        if found:
            return tell(found, place)
    return None


def _of_an_operator(text, place):
    """A call of one of MindSpore's functions without what it needs, or with a name that it does not have."""
    if isinstance(place.node, ast.Call) and (
            found := re.match(r"\w+\.__call__\(\) got an unexpected keyword argument '(\w+)'", text)):
        return RuntimeError(f"Got an unexpected keyword argument '{found[1]}'.")
    found = re.match(r"(\w+)\(\) (?:got an unexpected keyword argument|"
                     r"missing \d+ required positional arguments?:) '(\w+)'", text)
    function = place.called_function() if found and isinstance(place.node, ast.Call) else None
    if not isinstance(function, types.FunctionType) or function.__name__ != found[1] or (
            function.__module__.partition(".")[0] != "ms2torch"):
        return None
    return RuntimeError(f"Miss argument input for parameter:{found[2]}" if "missing" in text
                        else f"Got an unexpected keyword argument '{found[2]}'")


def _count(text, place):
    """A call by position of a function without defaults, with too many or too few arguments."""
    args = place.node.args
    found = re.search(r"(\w+)>?\(\) (takes \d+ positional|missing \d+ required positional)", text)
    if not found or place.node.keywords or any(isinstance(a, ast.Starred) for a in args):
        return None
    function = place.called_function()
    takes = list(inspect.signature(function).parameters.values())
    if any(p.default is not p.empty or p.kind is not p.POSITIONAL_OR_KEYWORD for p in takes):
        return None
    code = inspect.unwrap(function).__code__
    return TypeError(
        f"The parameters number of the function is {len(takes)}, but the number of provided arguments is "
        f"{len(args)}.\nFunctionGraph ID : {function.__name__.strip('<>')}\nNodeInfo: In file "
        f"{code.co_filename}:{code.co_firstlineno}")


def _method(place):
    """The error of a Tensor method whose forms do not take what it was called with."""
    func = getattr(place.node, "func", None)
    if not isinstance(func, ast.Attribute) or any(isinstance(a, ast.Starred) for a in place.node.args):
        return None
    owner, args = place.value(func.value), [place.value(a) for a in place.node.args]
    kwargs = {k.arg: place.value(k.value) for k in place.node.keywords}
    if isinstance(owner, type) and issubclass(owner, Tensor) and args:
        owner, *args = args
    if not isinstance(owner, Tensor) or None in kwargs or any(
        v is _UNKNOWN for v in (*args, *kwargs.values())
    ):
        return None
    return overloads.refused(func.attr, args, kwargs)


def _not_iterable(found, place):
    name, function = found[1], place.function()
    if function in ("all", "any", "zip"):
        return None
    if function == "enumerate":
        return not_enumerable(name)
    if function == "fromkeys":
        return RuntimeError(f"{type_name(place.value(place.node.args[0]))} object is not iterable")
    if function == "sum":
        return TypeError(f"'{'Int64' if name == 'int' else name} object is not iterable.'")
    if function == "extend":
        value = place.value(place.node.args[0])
        kind = f"AbstractScalar(Type: {type_name(value)}, Value: {value}, Shape: NoShape)"
        return TypeError(f"For ListInplaceExtend, the second input should be tuple or list but got: {kind}")
    return TypeError(f"'{ {'int': 'int64', 'NoneType': 'none'}.get(name, name) }' object is not iterable")


def _of_range(found, place):
    """What a graph says of the limits of a ``range`` that Python's refused."""
    if place.function() != "range":
        return None
    limits = list(map(place.value, place.node.args))
    try:
        walked_range(*limits)
    except Exception as error:
        return None if _UNKNOWN in limits else error
    return None


def _no_integer(found, place):
    if place.function() == "range":
        return _of_range(found, place)
    if place.function() not in ("pop", "insert"):
        return None
    value = place.value(place.node.args[0])
    kind = {str: "StringImm", float: "FP32Imm"}.get(type(value), type(value).__name__)
    if place.function() == "insert" and os.environ.get("MS_DEV_JIT_SYNTAX_LEVEL") != "0":
        return TypeError(f"The second input to ListInplaceInsert must be int scalar but got {kind}")
    shown = f"{value:g}" if isinstance(value, float) else value
    return TypeError(f"Integer argument expected, but got {kind} type value: {shown}")


def _scalar_tensor(found, place):
    if place.function() in ("zip", "sum", "min", "max"):
        return TypeError("'Cannot iterate over a scalar tensor.'")
    return TypeError("Not support len of a 0-D tensor.")


def _unhashable(found, place):
    node, value = place.node, _UNKNOWN
    if isinstance(node, ast.Dict):
        values = [place.value(key) for key in node.keys if key is not None]
        value = next((v for v in values if v is not _UNKNOWN and not _hashable(v)), _UNKNOWN)
    elif isinstance(node, ast.Subscript):
        value = place.value(node.slice)
    elif place.function() == "fromkeys":
        value = next((v for v in place.value(node.args[0]) if not _hashable(v)), _UNKNOWN)
    return None if value is _UNKNOWN else refused_key(value, isinstance(node, ast.Subscript))


def _hashable(value) -> bool:
    try:
        return hash(value) is not None
    except TypeError:
        return False


_TYPE_ERRORS = [
    (r"object is not callable$", lambda m, p: ValueError("The object is not callable. Please check code.")),
    (r"^'(\w+)' object is not iterable$", _not_iterable),
    (
        r"^object of type '(?i:_?(int|float))' has no len\(\)$",
        lambda m, p: AttributeError(f"'{m[1].capitalize()}' object has no attribute '__len__'"),
    ),
    (r"^Not support len of a 0-D tensor$|^iteration over a 0-d tensor$", _scalar_tensor),
    (r"^unhashable type: '(\w+)'$", _unhashable),
    (r"^(tuple|list) indices must be integers or slices, not float$", index_words.of_odd_index),
    (r"^range expected at (least|most)", _of_range),
    (r"^slice indices must be integers or None", index_words.of_slice_part),
    (r"object cannot be interpreted as an integer$", _no_integer),
    (r"^super\(\) expected at most 2 arguments, got (\d+)$", lambda m, p: RuntimeError(
        f"Arguments number of 'super()' should be 0 or 2, but got {m[1]}.")),
    # (The second form is Python 3.13's.)
    (r"^super\(type, obj\): obj (must be|\(.*\) is not) an instance or subtype", lambda m, p: RuntimeError(
        "Unable to cast Python instance of type <class 'NoneType'> to C++ type 'std::string'")),
    # (MatMul has a check of its own, in the same words as PyNative's.)
    (r"^For '(MatMulExt|BatchMatMulExt|Dense)', the type of 'x2' should be same as 'x1', but got 'x1' with "
     r"type (Tensor\[\w+\]) and 'x2' with type (Tensor\[\w+\])\.$", lambda m, p: TypeError(
        f"For primitive[{m[1]}], the input type must be same.\nname:[w]:{m[3]}.\nname:[x]:{m[2]}.")),
    (r"^isinstance\(\) arg 2 must be a type", lambda m, p: TypeError(
        "isinstance() arg 2 must be a type or tuple of types.")),
]
# The same for a call of a function of the program.
_CALL_ERRORS = [
    (
        r"(\w+)\(\) takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) w\w+ given$",
        lambda m, p: RuntimeError(
            f"Function:{m[1]} takes {int(m[2]) - p.binds()} positional arguments, but "
            f"{int(m[3]) - p.binds()} were given."
        ),
    ),
    (
        r"\(\) missing \d+ required (?:positional|keyword-only) arguments?: '(\w+)'",
        lambda m, p: RuntimeError(f"Miss argument input for parameter:{m[1]}"),
    ),
    (
        r"\(\) got an unexpected keyword argument '(\w+)'",
        lambda m, p: RuntimeError(f"Got an unexpected keyword argument '{m[1]}'"),
    ),
    (
        r"\(\) got multiple values for argument '(\w+)'",
        lambda m, p: TypeError(f"Multiply values for specific argument: {m[1]}"),
    ),
]


def _attribute(error, text, place):
    found = re.search(r"^The '\w+' object has no attribute '(\w+)'\.$", text)
    owner = place.value(place.node.value) if found and isinstance(place.node, ast.Attribute) else _UNKNOWN
    if owner is not _UNKNOWN:
        if any(part is place.node for part in map(_innermost, ast.walk(place.tree))):
            return TypeError(f"'self.{found[1]}' should be initialized in the '__init__' function before "
                             "subscript.")
        return absent.of_object(type(owner), found[1])
    if found := re.search(r"^module '([\w.]+)' has no attribute '(\w+)'(\. Did you mean.*)?", text):
        return AttributeError(f"{absent.of_module(found[1], found[2])}{found[3] or ''}")
    found = re.search(r"^'\w+' object has no attribute '(\w+)'$", text)
    if found and isinstance(place.node, ast.Attribute) and hasattr(place.value(place.node.value), "_fields"):
        return AttributeError(f"'NamedTuple' object has no attribute '{found[1]}'")
    if text.startswith("'super' object has no attribute") and _is_super_of_one(place.node.value):
        return RuntimeError("Arguments number of 'super()' should be 0 or 2, but got 1.")
    found = re.search(rf"^'({'|'.join(_KINDS)})' object has no attribute '(\w+)'$", text)
    return found and AttributeError(f"'{_KINDS[found[1]]}' object has no attribute '{found[2]}'")


def _is_super_of_one(node) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", None) == "super" and len(node.args) == 1


def _innermost(node):
    """What a subscript that is written to is of."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Store):
        return None
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def _value(error, text, place):
    if place.called == "__bool__" and place.function() in ("max", "min"):
        return ValueError(f"'{AMBIGUOUS}'")
    if place.called == "__bool__" and place.function() in ("sorted", "sort"):
        return ValueError(f"The tensor should have only one element, but got {place.asked.size}, more than "
                          "one element is ambiguous.")
    if place.called == "__bool__" and not _decides_while(place):
        shape = getattr(place.asked, "shape", None)
        if shape is not None:
            return ValueError(
                "Only tensor which shape is () or (1,) can be converted to bool, "
                f"but got tensor shape is ({', '.join(map(str, shape))})"
            )
    if text.startswith("The tensor should have only one element"):
        whole = getattr(getattr(place.node, "func", None), "value", None)
        if whole is not None and place.node.func.attr == "item" and isinstance(place.value(whole), Tensor):
            return ValueError("The tensor should have only one element. But the shape of input tensor is "
                              f"{place.value(whole).shape}.")
        return ValueError(AMBIGUOUS)
    if text.startswith(("For 'AddExt', input.shape", "For 'SubExt', input.shape")) and not _is_of_mint(place):
        text = text.replace("Ext'", "'", 1).replace("input.shape", "input1.shape")
        return ValueError(text.replace("other.shape", "input2.shape"))
    if (told := axis_words.of_axis(text, place)) is not None:
        return told
    if isinstance(place.node, ast.Subscript):
        if text == "slice step cannot be zero" and isinstance(place.value(place.node.value), (tuple, list)):
            return ValueError("Slice step cannot be zero.")
        return index_words.of_mask(text) or index_words.among_functions(
            place.value(place.node.value), place.value(place.node.slice))
    if text == "range() arg 3 must not be zero":
        return _of_range(None, place)
    if re.search(r"^(max|min)\(\)", text):
        return ValueError(f"'{place.function()}() arg is an empty sequence.'")
    return None


def _is_of_mint(place) -> bool:
    """Whether the expression calls one of ``mindspore.mint``'s functions, which have names of their own."""
    func = getattr(place.node, "func", None)
    return func is not None and "mint" in ast.unparse(func)


def _decides_while(place) -> bool:
    return isinstance(place.node, ast.While) or any(
        isinstance(n, ast.While) and n.test is place.node for n in ast.walk(place.tree)
    )


def _unbound(error, text, place):
    found = re.search(r"(?:local|free) variable '(\w+)'", text)
    return found and NameError(f"The name '{found[1]}' is not defined, or not supported in graph mode.")


def _zero(error, text, place):
    operation = getattr(place.node, "op", None)
    if isinstance(operation, ast.Mod):
        return ValueError("Cannot perform modulo operation on zero.")
    if isinstance(operation, (ast.Div, ast.FloorDiv)):
        return ValueError("The divisor could not be zero. But the divisor is zero now.")
    return None


_TELLERS = [
    (RecursionError, _recursion),
    (KeyError, _key),
    (IndexError, index_words.of_index),
    (TypeError, _type),
    (AttributeError, _attribute),
    (ValueError, _value),
    (NameError, _unbound),
    (ZeroDivisionError, _zero),
]
