"""Runs a script, module, command or prompt as plain ``python`` does, with the alias installed.

The program is ``__main__``; ``sys.argv``, ``sys.path[0]``, ``__file__``, ``__spec__`` and exit codes are
what Python makes them. Tracebacks start at the program's own first frame.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import io
import linecache
import os
import sys
import tokenize
import types
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader, SourcelessFileLoader
from pathlib import Path

from ms2torch._core.errors import notice
from ms2torch._naming import surface

_HERE = str(Path(__file__))
# What makes a script's text its code; ms2torch translate puts in one that watches its calls.
compiler = compile


def _main_module(**attributes) -> types.ModuleType:
    """A fresh ``__main__`` in place of the launcher's own."""
    main = types.ModuleType("__main__")
    vars(main).update(__builtins__=builtins, __package__=None, __spec__=None, **attributes)
    # The launcher's own __main__ must outlive its place in sys.modules: its frame is still running.
    _kept.append(sys.modules["__main__"])
    sys.modules["__main__"] = main
    return main


_kept: list[types.ModuleType] = []


def _from_users_frame(trace):
    """The part of a traceback that plain Python would show: without the launcher and without `surface`."""
    found = trace
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _HERE:
            found = trace.tb_next
        elif trace.tb_next is not None and trace.tb_next.tb_frame.f_code.co_filename == surface.__file__:
            trace.tb_next = None
        trace = trace.tb_next
    return found


def _clean_tracebacks() -> None:
    before = sys.excepthook

    def show(kind, value, trace):
        before(kind, value.with_traceback(_from_users_frame(trace)), value.__traceback__)
        if kind is AttributeError and (dropped := surface.dropped_member(type(value.obj), value.name)):
            notice(f"member: {value.name}", f"{value.name}: {dropped[0]} Instead: {dropped[1]}")

    sys.excepthook = show


def _execute(code: types.CodeType, main: types.ModuleType) -> None:
    _clean_tracebacks()
    exec(code, vars(main))


def _compile(source, filename: str) -> types.CodeType:
    _clean_tracebacks()
    return compiler(source, filename, "exec", dont_inherit=True)


def _compile_script(source: bytes | str, path: str) -> types.CodeType:
    """The program's own code; says where it depends on what MindSpore's graphs would keep."""
    code = _compile(source, path)
    marks = ("GRAPH_MODE", "jit", "ms_function")
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    if os.environ.get("RANK", "0") == "0" and any(mark in text for mark in marks):
        from ms2torch.scan.captures import captures

        for line, what, kept in captures(ast.parse(source)):
            notice(f"capture: {path}:{line}", f"{os.path.basename(path)}:{line}: {what}: {kept} "
                   "MindSpore 的图保留首次调用时的值，此处新值生效。")
    return code


def _fail(text: str, code: int) -> None:
    print(f"ms2torch: {text}", file=sys.stderr)
    raise SystemExit(code)


def run_script(path: str, args: list[str]) -> None:
    """``python path args``: a file, or a folder or archive with a ``__main__`` module."""
    sys.argv = [path, *args]
    try:
        is_folder = os.path.isdir(path)
        with open(path if not is_folder else os.devnull, "rb") as file:
            head = file.read(4)
    except OSError as err:
        _fail(f"can't open file {os.path.abspath(path)!r}: [Errno {err.errno}] {err.strerror}", 2)
    if is_folder or head == b"PK\x03\x04":
        sys.path[0] = os.path.abspath(path)
        return _run_spec(_spec_of("__main__", sys.path[0]), path)
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    path = os.path.abspath(path)
    if path.endswith(".pyc"):
        main = _main_module(__file__=path, __cached__=None, __loader__=SourcelessFileLoader("__main__", path))
        return _execute(main.__loader__.get_code("__main__"), main)
    main = _main_module(__file__=path, __cached__=None, __loader__=SourceFileLoader("__main__", path))
    with io.open_code(path) as file:
        source = file.read()
    return _execute(_compile_script(source, path), main)


def _spec_of(name: str, place: str | None = None) -> ModuleSpec:
    try:
        spec = PathFinder.find_spec(name, [place]) if place else importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            package, name = name, f"{name}.__main__"
            spec = importlib.util.find_spec(name)
            if spec is None:
                _fail(f"No module named {name}; {package!r} is a package and cannot be directly executed", 1)
    except (ImportError, AttributeError, TypeError, ValueError) as err:
        _fail(f"Error while finding module specification for {name!r} ({type(err).__name__}: {err})", 1)
    if spec is None:
        _fail(
            f"can't find '__main__' module in {os.path.abspath(place)!r}"
            if place
            else f"No module named {name}",
            1,
        )
    return spec


def _run_spec(spec: ModuleSpec, argv0: str | None = None) -> None:
    code = spec.loader.get_code(spec.name)
    if code is None:
        _fail(f"No code object available for {spec.name}", 1)
    sys.argv[0] = argv0 or spec.origin
    main = _main_module(__file__=spec.origin, __cached__=spec.cached, __loader__=spec.loader)
    main.__package__ = spec.parent
    main.__spec__ = spec
    _execute(code, main)


def run_module(name: str, args: list[str]) -> None:
    """``python -m name args``."""
    sys.argv = ["-m", *args]
    sys.path[0] = os.getcwd()
    _clean_tracebacks()  # importing the parent packages runs the user's code already
    _run_spec(_spec_of(name))


def run_command(text: str, args: list[str]) -> None:
    """``python -c text args``."""
    sys.argv = ["-c", *args]
    sys.path[0] = ""
    main = _main_module()
    if sys.version_info >= (3, 13):                 # whose tracebacks show the text's lines
        linecache.cache["<string>"] = len(text), None, text.splitlines(keepends=True), "<string>"
    _execute(_compile(text, "<string>"), main)


def run_text(text: str, path: str, args: list[str]) -> None:
    """A text as ``python path args`` would run it: a notebook's cells."""
    sys.argv = [path, *args]
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    path = os.path.abspath(path)
    main = _main_module(__file__=path)
    _execute(_compile_script(text, path), main)


def run_input(args: list[str]) -> None:
    """``python -``: the program on standard input."""
    sys.argv = ["-", *args] if args else [""]
    sys.path[0] = ""
    main = _main_module()
    source = sys.stdin.buffer.read()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    _execute(_compile(source.decode(encoding), "<stdin>"), main)


def prompt(banner: str) -> None:
    """An interactive prompt in which ``import mindspore`` works."""
    import code
    import contextlib

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - editing and history in the prompt
    sys.argv = [""]
    sys.path[0] = ""
    code.interact(banner, local=vars(_main_module()), exitmsg="")
