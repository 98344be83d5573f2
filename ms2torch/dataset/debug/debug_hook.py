"""`DebugHook`, and how hooks get between the operations of a ``map``
(``mindspore.dataset.debug.debug_hook``)."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod

__all__ = ["DebugHook"]


class DebugHook(ABC):
    """Base of what ``config.set_debug_mode(True, [hook])`` calls before the first and after each operation of
    every ``map`` (``mindspore.dataset.debug.DebugHook``).

    Override `compute`, to print or to stop in a debugger; what it gives is not used. A hook may also stand
    among the operations of a ``map`` itself, in debug mode only (ValueError).
    """

    def __init__(self, prev_op_name=None):
        self.prev_op_name = prev_op_name
        self.is_first_op = None

    def __call__(self, *args):
        if self.prev_op_name:
            side = "INPUT" if self.is_first_op else "OUTPUT"
            print(
    f"[Dataset debugger] Print the [{side}] of the operation [{self.prev_op_name}].",
     flush=True)
        self.compute(args)
        return args

    @abstractmethod
    def compute(self, *args):
        """Look at the columns, which come as one tuple."""
        raise RuntimeError("compute() is not overridden in subclass of class DebugHook.")

    def set_previous_op_name(self, prev_op_name):
        """Name the operation that the hook stands behind."""
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first_op):
        """Say that the hook stands before the operation."""
        self.is_first_op = is_first_op


def _name(operation) -> str:
    return getattr(operation, "__name__", type(operation).__name__)


def with_hooks(operations: list) -> list:
    """The operations of a ``map`` one by one, in debug mode with the hooks among them."""
    from ..core import config
    from ..transforms.operation import Compose
    operations = Compose.decompose(operations)
    if not config.get_debug_mode():
        return operations

    def hooks(operation, first):
        for hook in config._values["debug_hook_list"]:
            hook = copy.deepcopy(hook)
            hook.set_previous_op_name(_name(operation))
            hook.set_is_first(first)
            yield hook

    found = list(hooks(operations[0], True))
    for operation in operations:
        found += [operation, *hooks(operation, False)]
    return found
