"""How a Primitive of a program's takes its arguments (``mindspore.ops.signature``).

MindSpore's core converts and checks arguments by ``__mindspore_signature__``; here the operators do.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

__all__ = ["Signature", "make_sig", "sig_dtype", "sig_kind", "sig_rw"]

sig_rw = IntEnum("sig_rw", ["RW_READ", "RW_WRITE", "RW_REF", "RW_EMPTY_DEFAULT_VALUE"], start=0)
sig_kind = IntEnum("sig_kind", ["KIND_POSITIONAL_KEYWORD", "KIND_VAR_POSITIONAL", "KIND_KEYWORD_ONLY",
                                "KIND_VAR_KEYWARD", "KIND_EMPTY_DEFAULT_VALUE"], start=0)
sig_dtype = IntEnum("sig_dtype", ["T", *(f"T{k}" for k in range(1, 10)), "T_EMPTY_DEFAULT_VALUE"], start=0)


class Signature(NamedTuple):
    """One argument: its name, whether it is written, how it is given, and which others have its dtype."""

    name: str
    rw: sig_rw
    kind: sig_kind
    default: object
    dtype: sig_dtype


def make_sig(name="var", rw=sig_rw.RW_READ, kind=sig_kind.KIND_POSITIONAL_KEYWORD,
             default=sig_kind.KIND_EMPTY_DEFAULT_VALUE, dtype=sig_dtype.T_EMPTY_DEFAULT_VALUE) -> Signature:
    """The description of one argument (``mindspore.ops.signature.make_sig``)."""
    return Signature(name, rw, kind, default, dtype)
