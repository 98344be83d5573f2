"""``raise`` and ``assert``: which exceptions a graph may raise, and how their texts read.

What is raised while MindSpore compiles (no Tensor decided about it) has its text in quotation marks; what the
running graph raises has it plain.
"""

from __future__ import annotations

from ms2torch._core.tensor.tensor import Tensor

# fmt: off
ALLOWED = (
    "AssertionError", "AttributeError", "BaseException", "EnvironmentError", "Exception", "IOError",
    "IndentationError", "IndexError", "KeyError", "KeyboardInterrupt", "MemoryError", "NameError",
    "NotImplementedError", "OSError", "OverflowError", "RuntimeError", "RuntimeWarning", "StopIteration",
    "TypeError", "UnboundLocalError", "ValueError", "ZeroDivisionError",
)
# fmt: on


def raised(running: bool, kind, args: tuple | None = None):
    """The exception that ``raise kind(*args)`` is; ``running``: not before the graph runs."""
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        return kind(*args) if args is not None else kind
    if kind.__name__ not in ALLOWED and kind is not OSError:
        return unnamed(kind.__name__)
    if kind is Exception:
        kind = RuntimeError
    return kind(*_text(running, args or ()))


def unnamed(name: str):
    """What ``raise name`` raises where that is no exception's name."""
    return RuntimeError(
        f"Unsupported exception type: {name}. Raise only support some Python standard "
        f"exception types: {', '.join(ALLOWED)}."
    )


def _text(running: bool, args: tuple) -> tuple:
    if not running:
        args = tuple(map(_constant, args))
    if len(args) == 1 and isinstance(args[0], str):
        return args if running else (f"'{args[0]}'",)
    if len(args) == 1 and isinstance(args[0], Tensor):
        return (str(args[0]),)
    if any(isinstance(a, Tensor) for a in args):
        return (f"({', '.join(str(a) if isinstance(a, Tensor) else repr(a) for a in args)})",)
    return args


def _constant(value):
    """Numbers as MindSpore's compiler writes them: a whole float has no point."""
    if type(value) in (tuple, list) and all(isinstance(v, (float, int, tuple, list)) for v in value):
        return type(value)(map(_constant, value))
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e6
    return int(value) if whole else value


def failed(running: bool, *message):
    """The AssertionError of ``assert condition, message``."""
    return AssertionError(*_text(running, message))


def nothing():
    """What a ``raise`` alone raises."""
    return RuntimeError("No active exception to reraise.")
