"""Writing to what was read: ``x[i, j][:, 0] = 1`` changes ``x`` also where ``x[i, j]`` is a copy.

An element assignment in MindSpore writes a Tensor that came from indexing back into the Tensor that it came
from, and so on up. Graph mode does so where both indices stand in one statement, because it rewrites that
statement; PyNative does so whenever the part is written, also under a name of its own. Views need none of
this.
"""

from __future__ import annotations

import sys
import weakref

from ms2torch._core import mode


def origin(base, index) -> tuple:
    """What a part that was read by ``base[index]`` remembers: its base, the index, and where that stands.

    A base that is itself a part or a view may have no other owner in a chain of indices, and lives as long
    as its part; any other one is held weakly, so that a part does not keep a large Tensor alive.
    """
    owned = base._origin is None and not base._t._is_view()
    return (weakref.ref(base) if owned else lambda: base), index, _place(3) if mode.graph else None


def write_back(part) -> None:
    """Write ``part``, whose elements were just assigned, into what it was read from."""
    place = _place(3) if mode.graph else None
    while part._origin is not None:
        base, index, read_at = part._origin
        base = base()
        if base is None or read_at != place:
            return
        base._set_elements(index, part._t)
        part = base


def _place(depth: int) -> tuple:
    """The line of the program, ``depth`` frames up."""
    frame = sys._getframe(depth)
    return frame.f_code, frame.f_lineno
