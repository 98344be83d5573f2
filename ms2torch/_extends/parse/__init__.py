"""``mindspore._extends.parse``: what graphs call, under the names by which programs import it."""

from __future__ import annotations

from ms2torch._naming.surface import install_lazy

install_lazy(__name__, globals())
