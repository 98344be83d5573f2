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


def raised(conditions: tuple, kind, args: tuple | None = None):
    """The exception that ``raise kind(*args)`` under ``conditions`` is."""
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        return kind(*args) if args is not None else kind
    if kind.__name__ not in ALLOWED and kind is not OSError:
        return RuntimeError(
            f"Unsupported exception type: {kind.__name__}. Raise only support some Python standard "
            f"exception types: {', '.join(ALLOWED)}."
        )
    return kind(*_text(conditions, args or ()))


def _text(conditions: tuple, args: tuple) -> tuple:
    running = any(isinstance(c, Tensor) for c in conditions)
    if len(args) == 1 and isinstance(args[0], str):
        return args if running else (f"'{args[0]}'",)
    if any(isinstance(a, Tensor) for a in args):
        return (f"({', '.join(str(a) if isinstance(a, Tensor) else repr(a) for a in args)})",)
    return args


def failed(condition, *message):
    """The AssertionError of ``assert condition, message``."""
    return AssertionError(*_text((condition,), message))


def nothing():
    """What a ``raise`` alone raises."""
    return RuntimeError("No active exception to reraise.")
