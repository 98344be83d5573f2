"""Callbacks of training and evaluation (``mindspore.train.callback``)."""

from ms2torch._naming.surface import install_lazy

from ._backup_and_restore import BackupAndRestore
from ._callback import Callback, CallbackManager, InternalCallbackParam, RunContext, _InternalCallbackParam
from ._callback import checkpoint_cb_for_save_op as _checkpoint_cb_for_save_op
from ._callback import set_cur_net as _set_cur_net
from ._checkpoint import CheckpointConfig, CheckpointManager, ModelCheckpoint
from ._early_stop import EarlyStopping
from ._history import History
from ._lambda_callback import LambdaCallback
from ._landscape import SummaryLandscape
from ._loss_monitor import LossMonitor
from ._lr_scheduler_callback import LearningRateScheduler
from ._on_request_exit import OnRequestExit
from ._reduce_lr_on_plateau import ReduceLROnPlateau
from ._summary_collector import SummaryCollector
from ._time_monitor import TimeMonitor
from ._unsupported import FlopsUtilizationCollector, TrainFaultTolerance

_CallbackManager = CallbackManager
_CheckpointManager = CheckpointManager

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CheckpointConfig",
    "EarlyStopping",
    "FlopsUtilizationCollector",
    "History",
    "InternalCallbackParam",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "OnRequestExit",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "SummaryLandscape",
    "TimeMonitor",
    "TrainFaultTolerance",
    "_CallbackManager",
    "_CheckpointManager",
    "_InternalCallbackParam",
]

install_lazy(__name__, globals())
