"""Streams and events: on a CPU, everything is done in order at once."""
import pytest

from ms2torch import hal, ops, runtime


def test_work_in_a_stream_is_done_when_it_is_read():
    stream = hal.Stream()
    with hal.StreamCtx(stream):
        made = ops.ones((2, 2)) * 3
        event = stream.record_event()
    hal.current_stream().wait_event(event)
    assert (made + 1).asnumpy().tolist() == [[4.0, 4.0], [4.0, 4.0]]


def test_both_modules_have_the_same_streams():
    assert runtime.Stream is hal.Stream and runtime.Event is hal.Event
    assert hal.current_stream() == hal.default_stream()


def test_times_between_events_are_milliseconds_and_grow():
    start, middle, end = (hal.Event(enable_timing=True) for _ in range(3))
    for event in (start, middle, end):
        event.record()
        sum(range(20_000))
    hal.synchronize()
    assert 0 < start.elapsed_time(middle) < start.elapsed_time(end)
    parts = start.elapsed_time(middle) + middle.elapsed_time(end)
    assert start.elapsed_time(end) == pytest.approx(parts)


def test_events_that_are_recorded_have_happened_after_waiting():
    event = hal.Stream().record_event()
    event.synchronize()
    assert event.query() is True
