"""ms2torch: MindSpore's API on PyTorch. ``mindspore.a.b.c`` is ``ms2torch.a.b.c``."""

from ms2torch._version import __version__  # isort: skip
from ms2torch import common, nn, ops
