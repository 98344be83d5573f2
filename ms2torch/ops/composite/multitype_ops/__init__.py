"""``mindspore.ops.composite.multitype_ops``."""

from __future__ import annotations

from ms2torch._naming.surface import install_lazy

install_lazy(__name__, globals())
