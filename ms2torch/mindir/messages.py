"""The messages of a MindIR file, and a reader of them that takes no memory beyond the file's.

Only the fields that a graph needs to run are named; others are passed over. Bytes of tensors stay where they
lie.
"""

from __future__ import annotations

import struct
from types import SimpleNamespace

from ms2torch._core import protobuf
from ms2torch._core.protobuf import Damaged

_DEEPEST = 60  # messages within messages; MindSpore's own files stay below twenty


# message -> field's number -> (name, kind, repeated). A kind is another message's name, or one of a value.
_TEXT = """
Model      1 ir_version text; 2 producer_name text; 5 model_version text; 7 graph Graph; 8 functions Graph*;
           9 preprocessor blob; 10 little_endian int; 12 primitives Primitive*; 13 mind_ir_version int
Graph      1 node Node*; 2 name text; 3 parameter Tensor*; 5 input ValueInfo*; 6 output ValueInfo*;
           8 attribute Attribute*; 10 map_parameter blob*
Node       1 input text*; 2 output text*; 3 name text; 4 op_type text; 5 attribute Attribute*; 7 domain text
Primitive  1 name text; 2 op_type text; 3 attribute Attribute*; 4 instance_name text; 5 prim_type int
ValueInfo  1 name text; 2 tensor Tensor*; 4 denotation text; 5 attr_info Attribute
Attribute  1 name text; 2 f float; 3 i int; 4 d double; 5 s blob; 6 t Tensor; 8 floats float*;
           9 doubles double*; 10 ints int*; 11 strings blob*; 12 tensors Tensor*; 16 type int;
           17 values Attribute*
Tensor     1 dims int*; 2 data_type int; 3 float_data float*; 4 int32_data int*; 5 string_data blob*;
           6 int64_data int*; 7 name text; 9 raw_data span; 10 double_data double*; 11 uint64_data int*;
           12 external_data External; 13 ref_key text; 16 compression_type int
External   1 location text; 2 offset int; 3 length int
"""


def _schema() -> dict[str, dict[int, tuple[str, str, bool]]]:
    found: dict[str, dict] = {}
    for line in _TEXT.strip().split("\n"):
        if not line.startswith(" "):
            message, _, line = line.partition(" ")
            fields = found[message] = {}
        for part in filter(None, (p.strip() for p in line.split(";"))):
            number, name, kind = part.split()
            fields[int(number)] = name, kind.rstrip("*"), kind.endswith("*")
    return found


SCHEMA = _schema()
_EMPTY = {"text": "", "int": 0, "float": 0.0, "double": 0.0, "blob": b"", "span": None}


def parse(data: memoryview, message: str = "Model", start: int = 0, end: int | None = None, depth: int = 0):
    """A message as an object with its fields; a message that is absent is None. Raises `Damaged`."""
    if depth > _DEEPEST:
        raise Damaged("messages nest too deep")
    fields = SCHEMA[message]
    found = {name: [] if many else _EMPTY.get(kind) for name, kind, many in fields.values()}
    for number, wire, value in protobuf.fields(data, start, len(data) if end is None else end):
        if number not in fields:
            continue
        name, kind, many = fields[number]
        values = _values(data, kind, wire, value, depth)
        if many:
            found[name].extend(values)
        elif values:
            found[name] = values[-1]
    return SimpleNamespace(**found)


def _values(data: memoryview, kind: str, wire: int, value, depth: int) -> list:
    if kind in SCHEMA:
        if wire != 2:
            raise Damaged("a message that is none")
        return [parse(data, kind, *value, depth + 1)]
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
