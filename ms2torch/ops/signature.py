"""How a Primitive of a program's takes its arguments (``mindspore.ops.signature``).

MindSpore's core converts and checks arguments by ``__mindspore_signature__``; here the operators do.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Signature", "make_sig", "sig_dtype", "sig_kind", "sig_rw"]


class _Member:
    """One value of a kind of settings, as those of the compiled core show."""

    def __init__(self, name: str, value: int) -> None:
        self.name, self.value = name, value

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {self.value}>"


def _settings(kind: str, *names: str) -> type:
    made = type(kind, (_Member,), {})
    for value, name in enumerate(names):
        setattr(made, name, made(name, value))
    return made


sig_rw = _settings("signature_rw", "RW_READ", "RW_WRITE", "RW_REF", "RW_EMPTY_DEFAULT_VALUE")
sig_kind = _settings("signature_kind", "KIND_POSITIONAL_KEYWORD", "KIND_VAR_POSITIONAL", "KIND_KEYWORD_ONLY",
                     "KIND_VAR_KEYWARD", "KIND_EMPTY_DEFAULT_VALUE")
sig_dtype = _settings("signature_dtype", "T", *(f"T{k}" for k in range(1, 10)), "T_EMPTY_DEFAULT_VALUE")


class Signature(NamedTuple):
    """One argument: its name, whether it is written, how it is given, and which others have its dtype."""

    name: str
    rw: _Member
    kind: _Member
    default: object
    dtype: _Member


def make_sig(name="var", rw=sig_rw.RW_READ, kind=sig_kind.KIND_POSITIONAL_KEYWORD,
             default=sig_kind.KIND_EMPTY_DEFAULT_VALUE, dtype=sig_dtype.T_EMPTY_DEFAULT_VALUE) -> Signature:
    """The description of one argument (``mindspore.ops.signature.make_sig``)."""
    return Signature(name, rw, kind, default, dtype)
