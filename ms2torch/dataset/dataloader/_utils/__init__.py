"""Checks of arguments in MindSpore's words."""

from __future__ import annotations

INT64_END = 1 << 63              # seeds are drawn below it


def check_instance(value, name: str, kind: type, called: str | None = None) -> None:
    """A sampler's argument must be a ``kind``; a bool is an int here."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {called or kind.__name__}, but got: {type(value).__name__}")


def check_type(value, name: str, kind, but_not=()) -> None:
    """An argument must be a ``kind``, and none of ``but_not``."""
    if not isinstance(value, kind) or isinstance(value, but_not):
        raise TypeError(f"{name} must be {kind}, but got: {type(value).__name__}.")


def check_positive(value, name: str) -> None:
    """A number must be above 0."""
    if value <= 0:
        raise ValueError(f"{name} must be positive, but got: {value}.")


def check_non_negative(value, name: str) -> None:
    """A number must not be below 0."""
    if value < 0:
        raise ValueError(f"{name} must be non-negative, but got: {value}.")


def check_absent(given, name: str, why: str) -> None:
    """An argument must not be there together with something else."""
    if given:
        raise ValueError(f"{name} cannot be specified {why}.")
