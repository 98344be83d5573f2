"""What MindSpore may still change (``mindspore.experimental``)."""

from . import optim

__all__ = ["optim"]
