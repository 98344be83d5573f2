"""The path of metrics before 2.0 (``mindspore.nn.metrics`` and its modules): they are in
``mindspore.train.metrics``."""

import sys

from ms2torch.train import metrics as _metrics
from ms2torch.train.metrics import *  # noqa: F403
from ms2torch.train.metrics import __all__ as _names
from ms2torch.train.metrics import get_metrics

__all__ = [*_names, "get_metrics"]

_HOME = _metrics.__name__ + "."
for _path in [name for name in sys.modules if name.startswith(_HOME)]:
    _module = _path.removeprefix(_HOME)
    sys.modules[f"{__name__}.{_module}"] = sys.modules[_path]
    if _module not in __all__:
        globals()[_module] = sys.modules[_path]
