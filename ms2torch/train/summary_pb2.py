"""Event files read again (``mindspore.train.summary_pb2``); `SummaryRecord` writes them."""

from __future__ import annotations

from ms2torch._core.messages import Schema
from ms2torch._core.protobuf import Damaged

__all__ = ["Event"]

_SCHEMA = Schema("""
Event         1 wall_time double; 2 step int; 3 version text; 5 summary Summary
Summary       1 value Value*
Value         1 tag text; 3 scalar_value float; 4 image Image; 8 tensor TensorProto; 9 histogram Histogram;
              10 loss_landscape LossLandscape
Image         1 height int; 2 width int; 3 colorspace int; 4 encoded_image blob
TensorProto   1 dims int*; 2 data_type int; 3 float_data float*
Histogram     1 buckets Bucket*; 2 nan_count int; 3 pos_inf_count int; 4 neg_inf_count int; 5 max double;
              6 min double; 7 sum double; 8 count int
Bucket        1 left double; 2 width double; 3 count int
LossLandscape 1 landscape Point; 2 loss_path LossPath; 3 metadata Metadata; 4 convergence_point Point
Point         1 x TensorProto; 2 y TensorProto; 3 z TensorProto
LossPath      1 intervals int*; 2 points Point
Metadata      1 decomposition text; 2 unit text; 3 step_per_epoch int
""")


class Event:
    """One record of an event file: ``wall_time`` (s), ``step``, ``version`` of the first, ``summary.value``.

    Read by ``Event.FromString(bytes)``: ValueError for bytes that are no such record. A value has ``tag``,
    and ``scalar_value``, ``image``, ``tensor``, ``histogram`` or ``loss_landscape``; what was not written is
    empty.
    """

    def __init__(self, message=None) -> None:
        self.__dict__.update(vars(_filled("Event", message or _SCHEMA.empty("Event"))))

    @classmethod
    def FromString(cls, data: bytes) -> Event:
        """The record that ``data`` holds."""
        try:
            return cls(_SCHEMA.parse(memoryview(data), "Event"))
        except Damaged as error:
            raise ValueError(f"Error parsing message: {error}.") from None


def _filled(name: str, message):
    """A message with empty ones in the places of those that are absent, as protobuf gives them."""
    for field, kind, many in _SCHEMA.messages[name].values():
        if kind in _SCHEMA.messages:
            value = getattr(message, field)
            filled = [_filled(kind, one) for one in value] if many else _filled(
                kind, value or _SCHEMA.empty(kind))
            setattr(message, field, filled)
    return message
