"""``mindspore.common._stub_tensor``: what older releases handed out while a kernel was still running.

Nothing here is ever one: packages patch their methods onto it beside Tensor's, and ask with ``isinstance``.
"""

__all__ = ["StubTensor"]


class StubTensor:
    """The class that a result of ms2torch never has."""
