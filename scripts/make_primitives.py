"""Write the packaged table of MindSpore's operator classes, ``_naming/data/primitives_2_10.tsv``.

    .reference/bin/python scripts/make_primitives.py

It asks an installed MindSpore 2.10 (``scripts/reference_env.sh`` makes one) for the arguments of every
Primitive, and of the functions and instances that are generated around them. A row is ``kind``, ``module``
below ``mindspore.ops`` (none for those that are generated), ``name`` and two more:

    class     what it takes when it is made, and what when it is called
    function  the class that it calls, and what it takes; "=" for what the class takes when it is called
    instance  its class: ``acos_op``
    core      the class whose call ends there: ``pyboost_acos``

The last two are written where the class's name does not follow from theirs, as it does from ``tanh_grad_op``.

Arguments are written as in Python; a default that is a dtype is ``dtype.float32``.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import pkgutil
import textwrap
from pathlib import Path

OUT = Path(__file__).resolve().parents[1] / "ms2torch" / "_naming" / "data" / "primitives_2_10.tsv"
GENERATED = "mindspore.ops.auto_generate.gen_ops_"
LEFT_OUT = ("mindspore.ops._op_impl", "mindspore.ops.primitive", "mindspore.ops._utils")


def written(parameters, dtypes) -> str:
    """Parameters as a signature in Python; ``*`` ones as they are."""
    parts = []
    for p in parameters:
        prefix = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        if p.default is p.empty:
            parts.append(prefix + p.name)
            continue
        same = (n for n, v in dtypes.items() if type(p.default) is type(v) and v == p.default)
        known = next(same, None)
        parts.append(f"{p.name}={f'dtype.{known}' if known else repr(p.default)}")
    return ", ".join(parts)


def arguments(function, dtypes) -> str:
    return written([p for n, p in inspect.signature(function).parameters.items() if n != "self"], dtypes)


def called(cls: type, dtypes) -> str:
    """What a class takes when called: of its own ``__call__``, or the inputs that it names when made."""
    if "__call__" in vars(cls):
        return arguments(cls.__call__, dtypes)
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(cls.__init__))))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "init_prim_io_names":
            given = (
                node.args[0]
                if node.args
                else next((k.value for k in node.keywords if k.arg == "inputs"), None)
            )
            if isinstance(given, (ast.List, ast.Tuple)):
                names = [n.value.replace(" ", "_") for n in given.elts]
                return (
                    ", ".join(names)
                    if len(set(names)) == len(names) and all(map(str.isidentifier, names))
                    else "*args"
                )
    return "*args"


def calls(function) -> tuple[str, ...]:
    """The names in a function's body."""
    return inspect.unwrap(function).__code__.co_names


def main() -> None:
    os.environ["GLOG_v"] = "4"  # noqa: SIM112 - MindSpore spells it so
    import mindspore
    from mindspore.common import dtype as mstype
    from mindspore.ops.primitive import Primitive

    dtypes = {n: v for n, v in vars(mstype).items() if isinstance(v, mstype.Type) and n != "type_none"}
    found = {}
    for info in pkgutil.walk_packages(mindspore.ops.__path__, "mindspore.ops.", onerror=lambda name: None):
        if not info.name.startswith(LEFT_OUT):
            found[info.name] = importlib.import_module(info.name)
    rows, instances = [], {}
    for path, module in found.items():
        for name, value in vars(module).items():
            if (
                isinstance(value, type)
                and issubclass(value, Primitive)
                and value.__module__ == path
                and name == value.__name__
            ):
                rows.append(("class", path, name, arguments(value.__init__, dtypes), called(value, dtypes)))
                core = calls(value.__call__) if "__call__" in vars(value) else ()
                rows += [("core", path, n, name, "") for n in core if n.startswith("pyboost_")]
            elif path.endswith("prim") and (isinstance(value, Primitive) or name.endswith("_impl")):
                instances[name] = type(value).__name__.removeprefix("_Pyboost").removesuffix("Prim")
                rows.append(("instance", path, name, instances[name], ""))
    for path in (GENERATED + "def", "mindspore.ops.auto_generate.gen_extend_func"):
        for name, value in vars(found[path]).items():
            if inspect.isfunction(value) and value.__module__.startswith("mindspore.ops.auto_generate"):
                names = calls(value)
                of = next(
                    (instances.get(n, n) for n in reversed(names) if n in instances or n[:1].isupper()), None
                )
                if of:
                    rows.append(("function", path, name, of, arguments(value, dtypes)))
    takes = {row[2]: row[4] for row in rows if row[0] == "class"}
    short = []
    for kind, path, name, of, given in rows:
        stem = name.removeprefix("pyboost_").removesuffix("_op").removesuffix("_impl").replace("_", "")
        if kind in ("instance", "core") and stem == of.lower():
            continue  # found by its name
        module = "" if path.startswith(GENERATED) else path.removeprefix("mindspore.ops.")
        short.append(
            (kind, module, name, of, "=" if kind == "function" and given == takes.get(of) else given)
        )
    OUT.write_text("".join("\t".join(row) + "\n" for row in sorted(set(short))))


if __name__ == "__main__":
    main()
