"""What marks code for MindSpore's compiler (``mindspore.common.api``).

What is marked is compiled where ``--graph`` or ``MS2TORCH_GRAPH`` says so (`ms2torch.compiler`), and computes
what the plain function does.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import types

import torch

from ms2torch import language
from ms2torch._core import mode
from ms2torch._core.devices import memory
from ms2torch._core.random import random_streams
from ms2torch._naming.surface import install_lazy
from ms2torch.common import _jit_arguments
from ms2torch.common._cell_graph_executor import _CellGraphExecutor

__all__ = [
    "JitConfig",
    "jit",
    "jit_class",
    "lazy_inline",
    "ms_function",
    "ms_memory_recycle",
    "no_inline",
]


def jit(
    function=None,
    *more,
    mode="PSJit",
    input_signature=None,
    hash_args=None,
    jit_config=None,
    capture_mode="ast",
    compile_once=False,
    jit_level="O0",
    dynamic=0,
    fullgraph=False,
    backend="",
    dump_dir=None,
    **options,
):
    """Mark a function as one to compile (``mindspore.jit``); the arguments that tell how are accepted.

    Works with and without parentheses, on functions and methods. Of a Cell the result is its ``construct`` as
    a graph; a class of Cells stays itself, with such a ``construct``. Any other object is given back as it
    is.
    """
    _jit_arguments.check(capture_mode, jit_level, dynamic, fullgraph)
    if function is None:
        return functools.partial(
            jit,
            mode=mode,
            input_signature=input_signature,
            hash_args=hash_args,
            jit_config=jit_config,
            capture_mode=capture_mode,
            compile_once=compile_once,
            jit_level=jit_level,
            dynamic=dynamic,
            fullgraph=fullgraph,
            backend=backend,
        )
    wrong = _jit_arguments.wrong_backend(backend)
    if wrong is not None:
        return _refusing(function, wrong)
    if isinstance(function, torch.nn.Module):
        function = function.construct
    if capture_mode == "bytecode" or mode == "PIJit":
        return _captured(function) if isinstance(function, types.FunctionType) else function
    if isinstance(function, types.MethodType):
        return types.MethodType(language.compiled(function.__func__, strict=fullgraph), function.__self__)
    if isinstance(function, type) and issubclass(function, torch.nn.Module):
        function.construct = language.compiled(function.construct, strict=fullgraph)
        return function
    if not isinstance(function, types.FunctionType):
        return function
    return language.compiled(function, strict=fullgraph)


def _captured(function):
    """The function as it is, behind a name of its own: programs call ``__wrapped__`` for the bare one."""
    @functools.wraps(function)
    def captured(*args, **kwargs):
        return function(*args, **kwargs)

    return captured


def _refusing(function, error: Exception):
    """What ``jit`` makes where only a call says what is wrong."""
    @functools.wraps(function)
    def refused(*args, **kwargs):
        raise type(error)(*error.args)

    return refused


def ms_function(fn=None, input_signature=None, hash_args=None, jit_config=None):
    """The name that ``jit`` had before MindSpore 2.0."""
    return jit(fn, input_signature=input_signature, hash_args=hash_args, jit_config=jit_config)


def ms_class(cls):
    """The name that ``jit_class`` had before MindSpore 2.0."""
    return jit_class(cls)


def jit_class(cls):
    """Mark a class whose instances compiled code uses; TypeError for anything but a class, ValueError for a
    Cell."""
    if not inspect.isclass(cls):
        raise TypeError(f"Decorator jit_class can only be used for class type, but got {cls}.")
    if issubclass(cls, torch.nn.Module):
        raise TypeError(
            f"Decorator jit_class is used for user-defined classes and cannot be used for nn.Cell: {cls}."
        )
    from ms2torch.language import jit_classes

    cls.__ms_class__ = True
    return jit_classes.marked(cls)


def lazy_inline(fn=None, attrs=None, policy=None):
    """Marks a Cell's ``__init__`` for MindSpore's compiler; ValueError for anything else."""
    def marked(fn):
        if fn.__name__ != "__init__":
            code = getattr(fn, "__code__", None)
            what, where = ((f"function: {fn.__name__}", f"line: {code.co_firstlineno} in {code.co_filename}")
                           if code else (f"class {fn.__name__}", f"File: {inspect.getfile(fn)}"))
            raise ValueError(
                f"The lazy_inline should decorate the __init__ function, not the {what}. {where}")
        return fn
    return marked if fn is None else marked(fn)


def no_inline(fn=None):
    """Marks a function for MindSpore's compiler."""
    return fn if fn is not None else (lambda f: f)


def _function_forbid_reuse(fn):
    """Marks a function whose calls MindSpore's compiler may not merge; eager calls never are merged."""
    return fn


class JitConfig:
    """Options for MindSpore's compiler (``mindspore.JitConfig``); kept and readable, without effect on
    results."""

    def __init__(
        self,
        jit_level="",
        exc_mode="auto",
        jit_syntax_level="",
        debug_level="RELEASE",
        infer_boost="off",
        **kwargs,
    ):
        if jit_level not in ("", "O0", "O1", "O2", "O3"):
            raise ValueError("For 'jit_level' must be one of ['O0', 'O1', 'O2'].")
        if jit_syntax_level not in ("", "STRICT", "COMPATIBLE", "LAX"):
            raise ValueError("For 'jit_syntax_level' must be one of '['STRICT', 'LAX']'.")
        self.jit_config_dict = {
            **kwargs,
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
        }


class _no_grad(contextlib.ContextDecorator):
    """Context (or decorator) in which gradients see only constants, as torch.no_grad inside a differentiated
    function."""

    def __enter__(self):
        self._guard = torch.no_grad()
        self._guard.__enter__()
        mode.without_gradients += 1
        return self

    def __exit__(self, *exc):
        mode.without_gradients -= 1
        self._guard.__exit__(*exc)
        return False


def set_recursion_limit(recursion_limit=1000) -> None:
    """The depth of function calls MindSpore's compiler allows; Python's own limit holds here."""


def set_adapter_config(config: dict) -> None:
    """Tell MindSpore's compiler of a library's own Tensor and Parameter; Python finds their methods here."""


def ms_memory_recycle() -> None:
    """Give cached device memory back."""
    memory.call("empty_cache")


class _Executor:
    """Answers for MindSpore's executors, which some programs ask for their state or tell to wait.

    ``new_graph(fn, ...)``, a run of ``fn``, ``end_graph`` and ``grad(fn, ...)`` is how MindNLP's gradient
    functions are built, as MindSpore's own. Here ``grad`` runs ``fn`` again, with the same random numbers.
    """

    def __init__(self) -> None:
        self._journal = self._gradient = None

    def new_graph(self, fn, *args, **kwargs) -> None:
        self._journal = random_streams.begin_journal()

    def end_graph(self, fn, output, *args, **kwargs) -> None:
        """The run is over; its random numbers are kept until the gradient has been computed."""

    def grad(self, fn, grad_operation, weights, position, *args, **kwargs):
        """The gradient of ``fn`` by what ``grad_operation`` says; calling the executor gives it again."""
        if self._journal is not None:
            random_streams.end_journal(self._journal, take_back=True)
            self._journal = None
        self._gradient = grad_operation(fn, weights)(*args, **kwargs)
        return self._gradient

    def __call__(self):
        return self._gradient

    def sync(self) -> None:
        memory.call("synchronize")

    def set_async_for_graph(self, flag) -> None:
        """Operators of a graph run as torch has them, on an accelerator behind the program anyway."""

    def enable_grad(self) -> bool:
        return torch.is_grad_enabled()

    def grad_flag(self) -> bool:
        from ms2torch._core import mode

        return mode.differentiation is not None

    def set_enable_grad(self, flag: bool) -> None:
        """Whether gradient functions see what follows, or constants. (At rest nothing is recorded anyway.)"""
        from ms2torch._core import mode

        if mode.differentiation is not None:
            torch.set_grad_enabled(flag)

    def set_grad_flag(self, flag) -> None:
        """Recording follows the gradient functions here, not a flag."""


# Phases of compiled Cells, which some programs look into or clear: nothing is kept under them here.
cells_compile_cache: dict = {}

_pynative_executor = _Executor()
_cell_graph_executor = _executor = _CellGraphExecutor()     # as releases before 1.3 called it
install_lazy(__name__, globals())
