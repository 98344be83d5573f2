"""Devices: the one in use, its streams, its memory, and the C library's heap.

Invariants
- A process uses one device, `device.device()`, on which new Tensors are made.
- Nothing here waits for a device but what says so (``synchronize``, a stream's or an event's).
- Without CUDA streams and events are the host's order: they wait for nothing and raise nothing.
"""
