"""Streams and events of the device (``mindspore.hal.Stream``, ``Event``, ``StreamCtx``).

On an accelerator they are torch's. The CPU has one queue, which does everything in order: waiting is over at
once.
"""

from __future__ import annotations

import contextlib
import time

from ms2torch._core.devices.device import current_module


def _queued():
    """torch's module for the device in use (``torch.cuda``, ...) where it has streams, else None."""
    module = current_module()
    return module if hasattr(module, "Stream") else None


class Event:
    """A point in a stream's work, to wait for or to take times between."""

    def __init__(self, enable_timing=False, blocking=False):
        module, waits = _queued(), {"blocking": True} if blocking else {}
        self._event = module.Event(enable_timing=enable_timing, **waits) if module else None
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
        module = _queued()
        self._stream = kwargs.get("of") or (module.Stream(priority=priority) if module else None)

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

    def stream_id(self) -> int:
        """The number of the stream, 0 for the default one."""
        return self._stream.stream_id if self._stream else 0

    def __eq__(self, other):
        return isinstance(other, Stream) and self._stream == other._stream

    def __hash__(self):
        return hash(self._stream)


class StreamCtx(contextlib.AbstractContextManager):
    """Work inside ``with`` goes to a stream; None changes nothing."""

    def __init__(self, ctx_stream):
        self.stream = ctx_stream
        module, self._context = _queued(), contextlib.nullcontext()
        if module and ctx_stream:
            self._context = module.stream(ctx_stream._stream)

    def __enter__(self):
        self._context.__enter__()

    def __exit__(self, *error):
        self._context.__exit__(*error)


def current_stream():
    """The stream that work goes to now."""
    module = _queued()
    return Stream(of=module.current_stream() if module else None)


def default_stream():
    """The stream that work goes to without `StreamCtx`."""
    module = _queued()
    return Stream(of=getattr(module, "default_stream", module.current_stream)() if module else None)
