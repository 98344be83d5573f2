"""What a class or function says to arguments that are told: it is asked, for it is here.

A layer, a loss, an operator, an image transform, a schedule of rates is made of numbers and words alone;
where a program writes them all as literals, it is made with them, as the program will, and an error is what
the program will meet. Nothing else is called: no dataset, no setting, nothing that reads a file.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import math
import warnings
from collections.abc import Iterator

from ms2torch._core.checks import refused

from .evaluate import UNKNOWN

_MADE = ("ms2torch.nn.", "ms2torch.ops.", "ms2torch.mint.nn", "ms2torch.dataset.vision",
         "ms2torch.dataset.audio", "ms2torch.dataset.transforms", "ms2torch.common.initializer",
         "ms2torch.train.metrics", "ms2torch.train.loss_scale_manager", "ms2torch.amp")
# Functions over numbers and words alone.
_PURE = ("ms2torch.nn.dynamic_lr", "ms2torch.common.initializer")
# Larger things are not made, for the time and memory that they take.
_LARGE, _MANY = 100_000, 1_000


def refused_by_itself(path: str, found, given: tuple[list, dict], names: list[str]) -> Iterator[str]:
    """The error that a call ends in for arguments of which ``given`` tells the values, UNKNOWN where it does
    not: by MindSpore's own table of what is wrong in each place, and where all are told by the call itself.
    ``names`` are the places' names."""
    args, kwargs = given
    if None in kwargs:
        return
    told = [(n, v) for n, v in (*zip(names, args, strict=False), *kwargs.items()) if v is not UNKNOWN]
    called = f"{path.removeprefix('mindspore.')} make"
    kinds = getattr(found, "wrong_kind", lambda given: None)
    if error := kinds(dict(told)) or refused.argument_error(called, told, certain=True):
        yield _words(error)
    elif _may_be_made(found) and len(told) == len(args) + len(kwargs) and not _is_large(v for _, v in told):
        yield from _called(found, args, kwargs)


def _called(found, args: list, kwargs: dict) -> Iterator[str]:
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            found(*args, **kwargs)
    except (NotImplementedError, ImportError):
        return                                      # told by their own words elsewhere
    except Exception as error:
        yield _words(error)


def _may_be_made(found) -> bool:
    module = getattr(found, "__module__", "") or ""
    if inspect.isfunction(found):
        return module.startswith(_PURE)
    return isinstance(found, type) and module.startswith(_MADE) and not issubclass(found, BaseException)


def _numbers(values) -> Iterator[float]:
    for value in values:
        if isinstance(value, (tuple, list, set)):
            yield from _numbers(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield abs(value)


def _is_large(values) -> bool:
    numbers = list(_numbers(values))
    return len(numbers) > _MANY or math.prod(max(1, n) for n in numbers if math.isfinite(n)) > _LARGE


def _words(error: Exception) -> str:
    """An error's class and the first line of its words."""
    text = str(error.args[0] if isinstance(error, KeyError) and error.args else error).strip()
    return f"ends in {type(error).__name__}: {(text.splitlines() or ['no words'])[0]}"
