"""``mindspore.nn.utils``: making networks whose weights come from a file."""

from __future__ import annotations

from contextlib import contextmanager

from ms2torch._naming.surface import install_lazy

__all__ = ["no_init_parameters"]


@contextmanager
def no_init_parameters():
    """Networks that are made here get their weights from a checkpoint
    (``mindspore.nn.utils.no_init_parameters``).

    MindSpore leaves such weights without memory until then. Here they are initialised as always, and
    loading replaces them: nothing is saved, and numbers that are drawn afterwards are later ones of the
    stream than MindSpore's.
    """
    yield


install_lazy(__name__, globals())
