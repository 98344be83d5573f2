"""Errors of a running pipeline, worded and laid out as MindSpore's C++ side lays them out (less its C++
stack).
"""

from __future__ import annotations

import traceback

_RULE = "-" * 66


def not_constructed(value) -> TypeError:
    """What pybind says of an argument whose class the constructor in C++ does not take."""
    return TypeError("__init__(): incompatible constructor arguments. The following argument types are "
                     f"supported: int. Invoked with: {value}")


def pipeline_error(text: str, kind: str = "Exception thrown from dataset pipeline. Refer to "
                                          "'Dataset Pipeline Error Message'.") -> RuntimeError:
    """What the pipeline itself objects to: a missing column, shapes that do not batch, an empty folder.

    Bytes of a file that are no UTF-8 are told as ``\\x82``.
    """
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return RuntimeError(f"{kind} \n\n{_RULE}\n- Dataset Pipeline Error Message: \n{_RULE}\n[ERROR] "
                        f"{text}\n\n")


def unexpected_error(text: str) -> RuntimeError:
    """What MindSpore's pipeline did not foresee, which asks for an issue; ``text`` has "[Internal ERROR]" in
    it."""
    head, rule, rest = str(pipeline_error(text)).partition(_RULE)
    return RuntimeError(f"{head}{_RULE}\n- Framework Unexpected Exception Raised: \n{_RULE}\n"
                        "This exception is caused by framework's unexpected error. Please create an issue at "
                        f"https://atomgit.com/mindspore/mindspore/issues to get help.\n\n{rule}{rest}")


def nothing_read(name: str, where: str) -> RuntimeError:
    """A source without a row."""
    return pipeline_error(f"Invalid data, {name} API can't read the data file (interface mismatch or no data "
                          f"found). Check {where}")


def syntax_error(text: str) -> RuntimeError:
    """A pipeline that cannot be built."""
    return pipeline_error(text, "Syntax error.")


def located(error: BaseException, place: str) -> None:
    """Add to an error's traceback where in the data it arose; its text stays MindSpore's."""
    error.__notes__ = [*getattr(error, "__notes__", ()), place]


class UserCodeError(RuntimeError):
    """The user's own code failed, or gave something unusable, inside the pipeline.

    ``raise ... from`` the cause.
    """

    def __init__(self, stack: str) -> None:
        super().__init__(
            "Exception thrown from user defined Python function in dataset. \n\n"
            f"{_RULE}\n- Python Call Stack: \n{_RULE}\n{stack}\n\n"
            f"{_RULE}\n- Dataset Pipeline Error Message: \n{_RULE}\n"
            "[ERROR] Execute user Python code failed, check 'Python Call Stack' above.\n\n")

    def __reduce__(self):
        return (RuntimeError, self.args)


# users match and print MindSpore's type
UserCodeError.__name__ = UserCodeError.__qualname__ = "RuntimeError"


def user_stack(error: BaseException, skip: int = 1) -> str:
    """The traceback of an exception from the user's code, without the first ``skip`` frames (ours)."""
    trace = error.__traceback__
    for _ in range(skip):
        if trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace)).rstrip("\n")


def operation_failed(operation: str, error: BaseException, skip: int = 1) -> UserCodeError:
    """The user's function in ``map`` or ``batch`` raised."""
    return UserCodeError(f"map operation: [{operation}] failed. Error description:\n"
                         f"{type(error).__name__}: {user_stack(error, skip)}")
