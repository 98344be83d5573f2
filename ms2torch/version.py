"""``mindspore.version``: ``__version__`` is the MindSpore release whose API this is, by ``--api``."""

from ms2torch._naming.surface import install_lazy

install_lazy(__name__, globals())
