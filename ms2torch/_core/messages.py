"""Protobuf messages as objects, by a schema in text; reading takes no memory beyond the bytes."""

from __future__ import annotations

import struct
from types import SimpleNamespace

from ms2torch._core import protobuf
from ms2torch._core.protobuf import Damaged

_DEEPEST = 60  # messages within messages; MindSpore's own files stay below twenty
_EMPTY = {"text": "", "int": 0, "float": 0.0, "double": 0.0, "blob": b"", "span": None}


class Schema:
    """Messages by name: ``Name  number field kind; ...``, a star behind a kind that repeats.

    A kind is another message's name, or one of a value: text, int, float, double, blob, or span, which is
    where bytes lie. Fields that are not named are passed over.
    """

    def __init__(self, text: str) -> None:
        self.messages: dict[str, dict[int, tuple[str, str, bool]]] = {}
        for line in text.strip().split("\n"):
            if not line.startswith(" "):
                message, _, line = line.partition(" ")
                fields = self.messages[message] = {}
            for part in filter(None, (p.strip() for p in line.split(";"))):
                number, name, kind = part.split()
                fields[int(number)] = name, kind.rstrip("*"), kind.endswith("*")

    def empty(self, message: str) -> SimpleNamespace:
        """A message without any field; one in it is None."""
        return SimpleNamespace(**{name: [] if many else _EMPTY.get(kind)
                                  for name, kind, many in self.messages[message].values()})

    def parse(self, data: memoryview, message: str, start: int = 0, end: int | None = None, depth: int = 0):
        """A message as an object with its fields; a message that is absent is None. Raises `Damaged`."""
        if depth > _DEEPEST:
            raise Damaged("messages nest too deep")
        fields, found = self.messages[message], self.empty(message)
        for number, wire, value in protobuf.fields(data, start, len(data) if end is None else end):
            if number not in fields:
                continue
            name, kind, many = fields[number]
            values = self._values(data, kind, wire, value, depth)
            if many:
                getattr(found, name).extend(values)
            elif values:
                setattr(found, name, values[-1])
        return found

    def _values(self, data: memoryview, kind: str, wire: int, value, depth: int) -> list:
        if kind in self.messages:
            if wire != 2:
                raise Damaged("a message that is none")
            return [self.parse(data, kind, *value, depth + 1)]
        if kind in ("float", "double"):
            return _numbers(data, kind, wire, value)
        if kind == "int":
            if wire == 2:
                return protobuf.packed(data, *value)
            if wire != 0:
                raise Damaged("a number that is none")
            return [value]
        if wire != 2:
            raise Damaged("a text that is none")
        if kind == "span":
            return [value]
        return [bytes(data[slice(*value)]) if kind == "blob" else protobuf.text(data, value)]


def _numbers(data: memoryview, kind: str, wire: int, value) -> list[float]:
    letter, size, single = ("f", 4, 5) if kind == "float" else ("d", 8, 1)
    if wire == single:
        return [struct.unpack_from(f"<{letter}", data, value)[0]]
    if wire != 2 or (value[1] - value[0]) % size:
        raise Damaged("a number that is none")
    return list(struct.unpack_from(f"<{(value[1] - value[0]) // size}{letter}", data, value[0]))
