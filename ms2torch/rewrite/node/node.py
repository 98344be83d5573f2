"""One statement: its code, what it calls, and its arguments by name."""

from __future__ import annotations

import ast
import inspect

from ms2torch.nn.cell import Cell
from ms2torch.ops.primitive import Primitive

from ..api.node_type import NodeType
from ..api.scoped_value import ScopedValue, ValueType
from ..ast_helpers.ast_flattener import slots, write

__all__ = ["LocalPrim", "Node", "TreeNode"]


class LocalPrim(Primitive):
    """Stands for a Primitive that a function makes for itself."""

    def __init__(self, prim_obj) -> None:
        super().__init__(prim_obj.__name__)
        self.prim_cls = prim_obj


def named(value) -> ScopedValue:
    """A target or a function, which may be given as a name."""
    if isinstance(value, ScopedValue):
        return value
    scope, _, name = value.rpartition(".")
    return ScopedValue.create_naming_value(name, scope)


def assignment(targets, func, args, kwargs) -> ast.Assign:
    """``targets = func(*args, **kwargs)``."""
    given = [one.to_code() for one in args]
    keywords = [ast.keyword(key, one.to_code()) for key, one in kwargs.items()]
    left = [ast.parse(str(one), mode="eval").body for one in targets]
    for one in left:
        one.ctx = ast.Store()
    left = left[0] if len(left) == 1 else ast.Tuple(left, ast.Store())
    called = ast.parse(str(func), mode="eval").body
    return ast.Assign([left], ast.Call(called, given, keywords), lineno=0)


def normalized(instance, args, kwargs) -> dict[str, ScopedValue]:
    """Arguments by the names that the construct of a Cell gives them; ``arg_0``, ... where there are none."""
    names, rest, parameters = [], "args", {}
    if isinstance(instance, Cell):
        parameters = inspect.signature(inspect.unwrap(type(instance).construct)).parameters
        for one in parameters.values():
            if one.kind is one.VAR_POSITIONAL:
                rest = one.name
                break
            names.append(one.name)
        names = names[1:]
    else:
        rest = "arg"
    given = {names[k] if k < len(names) else f"{rest}_{k}": one for k, one in enumerate(args)}
    order = {name: k for k, name in enumerate(parameters)}
    return given | {key: kwargs[key] for key in sorted(kwargs, key=lambda key: order.get(key, len(order)))}


class Node:
    """A statement, or an argument of the function, in a block of them."""

    def __init__(self, node_type, ast_node, targets, func_name, args, kwargs, name, instance) -> None:
        self._node_type, self._ast_node, self._name, self._instance = node_type, ast_node, name, instance
        self._targets = [named(one) for one in targets or ()]
        self._func_name, self._attribute = func_name, {}
        self._args_num, self._kwargs_num = len(args or ()), len(kwargs or {})
        self._normalized_args = normalized(instance, args or (), kwargs or {})
        self._node_manager = self._belong_tree = None

    # ---- making ----------------------------------------------------------------------------------------

    @classmethod
    def create_call_buildin_op(cls, op, ast_node, targets, func_name, args=None, kwargs=None, name=""):
        """The call of a Cell or a Primitive."""
        kind = NodeType.CallCell if isinstance(op, Cell) else NodeType.CallPrimitive
        if ast_node is None:
            ast_node = assignment(map(named, targets), named(func_name), args or (), kwargs or {})
        return cls(kind, ast_node, targets, named(func_name), args, kwargs, name, op)

    @classmethod
    def create_output_node(cls, ast_node, return_value, name="return") -> Node:
        """A ``return``."""
        func = ScopedValue.create_naming_value("return")
        return cls(NodeType.Output, ast_node, [], func, return_value, None, name, None)

    @classmethod
    def create_input_node(cls, ast_node, arg_name, default=None, name="") -> Node:
        """An argument of the function."""
        args = [] if default is None else [default]
        return cls(NodeType.Input, ast_node, [arg_name], None, args, None, name or f"input_{arg_name}", None)

    @classmethod
    def create_python_node(cls, ast_node, name="", instance=None) -> Node:
        """A statement that is no call and no operator."""
        return cls(NodeType.Python, ast_node, [], None, [], None, name, instance)

    # ---- what it is ------------------------------------------------------------------------------------

    def get_name(self) -> str:
        """Its name."""
        return self._name

    def set_name(self, name) -> None:
        """Give it another name."""
        self._name = name

    def get_node_type(self) -> NodeType:
        """What kind of statement it is."""
        return self._node_type

    def get_instance(self):
        """What it calls."""
        return self._instance

    def get_instance_type(self):
        """The class of what it calls; of a function itself."""
        if isinstance(self._instance, LocalPrim):
            return self._instance.prim_cls
        function = self._node_type is NodeType.CallFunction and self._instance is not None
        return self._instance if function and not inspect.ismethod(self._instance) else type(self._instance)

    def get_func_name(self) -> ScopedValue:
        """The name by which the code calls it."""
        return self._func_name

    def set_func_name(self, func_name) -> None:
        """Let the code call something by another name."""
        self._func_name = named(func_name)
        self._ast_node.value.func = self._func_name.to_code()

    def get_ast(self):
        """Its code."""
        return self._ast_node

    def set_ast(self, ast_node) -> None:
        """Give it other code."""
        self._ast_node = ast_node

    def get_source_code(self) -> str:
        """Its code as text."""
        code = self._ast_node
        return "" if code is None else ast.unparse(ast.fix_missing_locations(code))

    def get_attributes(self) -> dict:
        """The attributes of what it calls, and those that were set here."""
        return {**getattr(self._instance, "__dict__", {}), **self._attribute}

    def get_attribute(self, key):
        """One of the attributes; None where there is none."""
        return self._attribute[key] if key in self._attribute else getattr(self._instance, key, None)

    def set_attribute(self, key, value) -> None:
        """Keep a value with the node."""
        self._attribute[key] = value

    # ---- where it is -----------------------------------------------------------------------------------

    def get_node_manager(self):
        """The block that it is in."""
        return self._node_manager

    def set_node_manager(self, node_manager) -> None:
        """Say which block it is in."""
        self._node_manager = node_manager

    def get_belong_symbol_tree(self):
        """The tree that it is in."""
        return self._belong_tree

    def set_belong_symbol_tree(self, symbol_tree) -> None:
        """Say which tree it is in."""
        self._belong_tree = symbol_tree

    def _beside(self, step: int):
        members = [] if self._node_manager is None else self._node_manager.node_list
        place = members.index(self) + step if self in members else -1
        return members[place] if 0 <= place < len(members) else None

    @property
    def _next(self):
        return self._beside(1)

    @property
    def _prev(self):
        return self._beside(-1)

    def get_next(self):
        """The node behind it."""
        return self._next

    def get_prev(self):
        """The node before it."""
        return self._prev

    # ---- what it takes and gives -----------------------------------------------------------------------

    @property
    def _normalized_args_keys(self) -> list[str]:
        return list(self._normalized_args)

    def get_normalized_args(self) -> dict[str, ScopedValue]:
        """All that it takes, by name."""
        return self._normalized_args

    def get_args(self) -> list[ScopedValue]:
        """What it takes by position."""
        return list(self._normalized_args.values())[: self._args_num]

    def get_kwargs(self) -> dict[str, ScopedValue]:
        """What it takes by keyword."""
        return dict(list(self._normalized_args.items())[self._args_num :])

    def get_targets(self) -> list[ScopedValue]:
        """What it gives."""
        return self._targets

    def set_targets(self, targets) -> None:
        """Let it give other variables."""
        self._targets = [named(one) for one in targets]
        left = [ast.parse(str(one), mode="eval").body for one in self._targets]
        for one in left:
            one.ctx = ast.Store()
        self._ast_node.targets = [left[0] if len(left) == 1 else ast.Tuple(left, ast.Store())]

    def set_arg(self, arg, index):
        """Give it another argument; the new and the old one."""
        key = self._normalized_args_keys[index]
        new, old = named(arg), self._normalized_args[key]
        self._normalized_args[key] = new
        self.update_ast_node()
        return new, old

    def set_arg_by_node(self, arg_idx, node, out_idx=None) -> None:
        """Give it what another node gives: its only value, or the one at ``out_idx``."""
        if out_idx is None and len(node.get_targets()) != 1:
            raise RuntimeError("node should has one output when out_idx is not provided")
        self.set_arg(node.get_targets()[out_idx or 0], arg_idx)

    def append_kwarg(self, kwarg) -> None:
        """Give it further arguments by keyword."""
        self._normalized_args.update(kwarg)
        self._kwargs_num = len(self._normalized_args) - self._args_num
        self.update_ast_node()

    def set_kwarg(self, key, arg) -> None:
        """Give it another argument by keyword."""
        self.append_kwarg({key: named(arg)})

    def update_ast_node(self):
        """Write the arguments into the code."""
        code, args = self._ast_node, self.get_args()
        value = getattr(code, "value", None)
        if isinstance(value, ast.Call) and isinstance(code, ast.Assign):
            value.args[: len(args)] = [one.to_code() for one in args]
            kwargs = self.get_kwargs().items()
            kept = [one for one in value.keywords if one.arg is None]
            value.keywords = kept + [ast.keyword(key, one.to_code()) for key, one in kwargs]
            return code
        if isinstance(value, ast.Dict):
            value.values = [one.to_code() for one in self.get_kwargs().values()]
            return code
        for slot, one in zip(self._slots(), args, strict=False):
            write(slot, one.to_code())
        return code

    def _slots(self) -> list[tuple]:
        """Where the arguments are in the code."""
        code = self._ast_node
        if isinstance(code, ast.Return):
            return [(code, "value")]
        if isinstance(code, (ast.If, ast.While)):
            return [(code, "test")]
        if isinstance(code, ast.For):
            return [(code, "iter")]
        return slots(code, code.value) if isinstance(code, ast.Assign) else []

    # ---- who gives and who takes -----------------------------------------------------------------------

    def get_arg_providers(self) -> dict:
        """For each argument: the node that gives it, and at which place."""
        if self._node_manager is None:
            return {}
        members = self._node_manager.node_list
        before, found = members[: members.index(self)], {}
        for place, value in enumerate(self._normalized_args.values()):
            if value.type is not ValueType.NamingValue:
                continue
            for other in reversed(before):
                if value in other._targets:
                    found[place] = (other, other._targets.index(value))
                    break
        return found

    def get_inputs(self) -> list[Node]:
        """The nodes whose values it takes, one for each argument."""
        return [other for other, _ in self.get_arg_providers().values()]

    def get_target_users(self, index=-1):
        """Who takes what it gives, as (node, place of the argument): of one value, or of each in a dict."""
        users: dict[int, list] = {}
        if self._node_manager is not None:
            members = self._node_manager.node_list
            for other in members[members.index(self) + 1 :]:
                for place, (giver, at) in other.get_arg_providers().items():
                    if giver is self:
                        users.setdefault(at, []).append((other, place))
        return users if index == -1 else users.get(index, [])

    def get_users(self) -> list[Node]:
        """The nodes that take its values."""
        users = self.get_target_users().values()
        return list(dict.fromkeys(user for found in users for user, _ in found))


class TreeNode(Node):
    """The call of a network whose own statements are read."""

    def __init__(self, tree, ast_node, targets, func_name, args, kwargs, name, instance) -> None:
        super().__init__(NodeType.Tree, ast_node, targets, func_name, args, kwargs, name, instance)
        self.symbol_tree = tree
