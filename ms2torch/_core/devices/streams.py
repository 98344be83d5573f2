"""Streams and events of the device (``mindspore.hal.Stream``, ``Event``, ``StreamCtx``).

On a GPU they are torch's. The CPU has one queue, which does everything in order: waiting is over at once.
"""

from __future__ import annotations

import contextlib
import time

from ms2torch._core.devices.device import device


def _cuda():
    """torch.cuda where it computes, else None."""
    if device().type != "cuda":
        return None
    import torch

    return torch.cuda


class Event:
    """A point in a stream's work, to wait for or to take times between."""

    def __init__(self, enable_timing=False, blocking=False):
        cuda = _cuda()
        self._event = cuda.Event(enable_timing=enable_timing, blocking=blocking) if cuda else None
        self._at = None

    def record(self, stream=None):
        """Mark the present end of ``stream``'s work."""
        self._at = time.perf_counter()
        if self._event:
            self._event.record((stream or current_stream())._stream)

    def wait(self, stream=None):
        """Let ``stream`` wait until the mark is reached."""
        if self._event:
            self._event.wait((stream or current_stream())._stream)

    def synchronize(self):
        """Wait here until the mark is reached."""
        if self._event:
            self._event.synchronize()

    def query(self):
        """Whether the mark has been reached."""
        return self._event.query() if self._event else True

    def elapsed_time(self, end_event):
        """Milliseconds from this mark to another."""
        if self._event:
            return self._event.elapsed_time(end_event._event)
        return (end_event._at - self._at) * 1e3


class Stream:
    """A queue of work on the device."""

    def __init__(self, priority=0, **kwargs):
        cuda = _cuda()
        self._stream = kwargs.get("of") or (cuda.Stream(priority=priority) if cuda else None)

    def record_event(self, event=None):
        """Mark the present end of the work; the event."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        """Let later work wait for a mark."""
        event.wait(self)

    def wait_stream(self, stream):
        """Let later work wait for all that another stream has been given."""
        self.wait_event(stream.record_event())

    def synchronize(self):
        """Wait here until the work is done."""
        if self._stream:
            self._stream.synchronize()

    def query(self):
        """Whether the work is done."""
        return self._stream.query() if self._stream else True

    def __eq__(self, other):
        return isinstance(other, Stream) and self._stream == other._stream

    def __hash__(self):
        return hash(self._stream)


class StreamCtx(contextlib.AbstractContextManager):
    """Work inside ``with`` goes to a stream; None changes nothing."""

    def __init__(self, ctx_stream):
        self.stream = ctx_stream
        cuda = _cuda()
        self._context = cuda.stream(ctx_stream._stream) if cuda and ctx_stream else contextlib.nullcontext()

    def __enter__(self):
        self._context.__enter__()

    def __exit__(self, *error):
        self._context.__exit__(*error)


def current_stream():
    """The stream that work goes to now."""
    cuda = _cuda()
    return Stream(of=cuda.current_stream() if cuda else None)


def default_stream():
    """The stream that work goes to without `StreamCtx`."""
    cuda = _cuda()
    return Stream(of=cuda.default_stream() if cuda else None)
