"""The code of a changed network: a class for each network that is read, under the functions that it calls.

All of it is one module. Where two of the modules that it comes from call different things by one name, the
later one gets a number. Networks and functions that are alike and unchanged are written once.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import os
import sys
import textwrap
from types import ModuleType

from ..ast_helpers.ast_flattener import numbered
from ..node import CallFunction

__all__ = ["network_code"]

_HEAD = ["import sys", "import mindspore", "from mindspore import nn", "from mindspore.nn import Cell",
         "from mindspore.ops import functional as F"]


_INIT = ["def __init__(self, obj):", "    nn.Cell.__init__(self)",
         "    for key, value in obj.__dict__.items():", "        setattr(self, key, value)"]
_OWN = "_the_function_itself_"


class NetworkCode:
    """The parts of a module: its ``lines``, and the ``namespace`` that its imports make."""

    def __init__(self) -> None:
        import ms2torch

        self.lines: list[str] = list(_HEAD)
        self.namespace = {"nn": ms2torch.nn, "mindspore": ms2torch}
        self.taken = {"nn", "mindspore", "sys", "Cell", "F"}
        self.known: dict = {}                              # what was written, by kind and text
        self.name = ""

    def text(self) -> str:
        """The module."""
        return "\n".join(self.lines) + "\n"

    def run(self, path: str) -> dict:
        """What the module defines, over what it would import; ``path`` is where its text is kept."""
        tree = ast.parse(self.text())
        tree.body = [one for one in tree.body if isinstance(one, (ast.ClassDef, ast.FunctionDef))]
        module = ModuleType(os.path.splitext(os.path.basename(path))[0])
        module.__file__ = path
        vars(module).update(self.namespace)
        sys.modules[module.__name__] = module              # its source can be read
        exec(compile(tree, path, "exec"), vars(module))
        return vars(module)

    # ---- names of the modules that the code comes from --------------------------------------------------

    def fetched(self, name: str, value, home: str) -> str:
        """The name by which the module knows a value, fetched from ``home`` where it is new."""
        for word in (name, *(one for one, held in self.namespace.items() if held is value and
                             one.rpartition("_")[0] == name)):
            if word in self.namespace and self.namespace[word] is value:
                return word
        word = numbered(name, self.taken | self.namespace.keys())
        self.taken.add(word)
        self.namespace[word] = value
        named = word if word == name else f"{name} as {word}"
        if isinstance(value, ModuleType):
            line = f"import {value.__name__} as {word}"
        elif inspect.isfunction(value) or inspect.isclass(value):
            source = value.__module__ if _is_found(value, name) else home
            line = f"from {source} import {named}"
            if source == "__main__":
                line = f"{word} = getattr(sys.modules['__main__'], '{name}')"
        else:
            line = f"from {home} import {named}"
        self.lines.append(line)
        return word

    def written(self, function: ast.FunctionDef, world: dict, names: dict[str, str]) -> str:
        """A function's text; ``names`` are of what this module defines itself."""
        code, home = copy.deepcopy(function), world.get("__name__", "__main__")
        for one in ast.walk(code):
            if isinstance(one, ast.arg):
                one.annotation = None
        names_of = [one for one in ast.walk(code) if isinstance(one, ast.Name)]
        local = {one.id for one in names_of if isinstance(one.ctx, ast.Store)}
        local |= {one.arg for one in ast.walk(code) if isinstance(one, ast.arg)} | {"super"}
        for one in names_of:
            if one.id in local:
                continue
            if one.id in names:
                one.id = names[one.id]
            elif one.id in world:
                one.id = self.fetched(one.id, world[one.id], home)
            elif hasattr(builtins, one.id) and one.id in self.namespace:
                one.id = self.fetched(one.id, getattr(builtins, one.id), "builtins")
        return ast.unparse(ast.fix_missing_locations(code))

    def defined(self, text: str) -> None:
        """Add a definition."""
        self.lines.append(f"\n{text}\n#")

    # ---- functions and networks --------------------------------------------------------------------------

    def called(self, block) -> dict[str, str]:
        """Write the functions that a block calls; by which names it calls them, and what they are here."""
        names: dict[str, str] = {}
        for one in block.all_nodes(False):
            if isinstance(one, CallFunction) and one.again is not None:
                own = str(one.get_func_name())
                names[own] = self.known.get(("function", id(one.again)), own)
            elif isinstance(one, CallFunction) and one.function is not None and not one.is_method():
                names[str(one.get_func_name())] = self.function(one)
        return names

    def function(self, node) -> str:
        """Write a function; its name here."""
        own = str(node.get_func_name())
        marker = ("function", id(node.function))
        if marker in self.known:
            return self.known[marker]
        self.known[marker] = own                           # for what calls itself
        names = {**self.called(node), own: _OWN, node.function.name: _OWN}
        code = copy.deepcopy(node.function)
        code.name = _OWN
        text = self.written(code, node.world, names)
        key = (id(node) if node.modified else None, text)
        if key not in self.known:
            self.known[key] = own
            self.taken.add(own)
            self.defined(text.replace(_OWN, own))
        self.known[marker] = self.known[key]
        return self.known[key]

    def network(self, tree) -> str:
        """Write the class of a network; its name."""
        names, first = self.called(tree), []
        for one in tree.first:
            if isinstance(one, str):
                first.append(one)
            elif _is_there(one[1], tree):
                place, node = one
                first.append(f"{place} = {self.network(node.symbol_tree)}({place})")
        first = [f"self.{name} = obj.{name}" for name in dict.fromkeys(tree.added)] + first
        marks = [f"@{self.written(one, tree.world, names)}" for one in tree.decorators]
        methods = ["\n".join([*marks, *_INIT, *(f"    {one}" for one in first)])]
        methods += [self.written(one, world, names) for one, world in tree_methods(tree)]
        base = self.fetched(tree.cls.__name__, tree.cls, tree.cls.__module__)
        body = textwrap.indent("\n\n".join(methods), "    ")
        key = (id(tree) if tree.modified else None, tree.cls, body)
        if key not in self.known:
            name = numbered(tree.get_opt_cls_name(), self.taken | self.namespace.keys())
            self.taken.add(name)
            self.known[key] = name
            self.defined(f"class {name}({base}, nn.Cell):\n\n{body}")
        return self.known[key]


def tree_methods(tree) -> list[tuple]:
    """The new class's methods, those that its statements call as they were read: (code, what it sees)."""
    read = {one.function.name: (one.function, one.world) for one in tree.all_nodes(False)
            if isinstance(one, CallFunction) and one.function is not None and one.is_method()}
    found = [(tree.get_ast_root(), tree.world)]
    for one in tree.get_class_ast().body if tree.get_class_ast() is not None else ():
        if isinstance(one, ast.FunctionDef) and one.name not in ("__init__", "construct"):
            found.append(read.pop(one.name, (one, tree.world)))
    return found + list(read.values())


def _is_there(node, tree) -> bool:
    while node is not None and node is not tree:
        node = node.get_node_manager()
    return node is tree


def _is_found(value, name: str) -> bool:
    return getattr(sys.modules.get(value.__module__), name, None) is value


def network_code(tree) -> NetworkCode:
    """The module of a tree."""
    code = NetworkCode()
    code.name = code.network(tree)
    return code
