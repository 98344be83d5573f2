"""Kinds of quantised numbers (``mindspore.compression.common``)."""

from __future__ import annotations

from enum import Enum

__all__ = ["QuantDtype"]

QuantDtype = Enum("QuantDtype", {f"{sign}{n}": f"{sign}{n}" for sign in ("INT", "UINT") for n in range(2, 9)})
QuantDtype.__doc__ = "Integers of 2 to 8 bits, with and without a sign."
QuantDtype.num_bits = property(lambda self: int(self.value.lstrip("UINT")))
QuantDtype.is_signed = property(lambda self: self.value.startswith("INT"))
