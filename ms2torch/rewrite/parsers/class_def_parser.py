"""What is kept of a network's class."""

__all__ = ["ClassDefParser"]


class ClassDefParser:
    """Which decorators of ``__init__`` the new network's does not get; libraries add theirs."""

    denied_function_decorator_list = ["cell_attr_register"]
    entry_functions = ["construct"]
