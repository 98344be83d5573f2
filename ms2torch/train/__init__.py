"""Training and evaluation (``mindspore.train``)."""

from ms2torch._naming.surface import install_lazy

from .callback import Callback, LossMonitor, RunContext, TimeMonitor
from .data_sink import data_sink
from .dataset_helper import DatasetHelper, connect_network_with_dataset
from .loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from .model import Model
from .summary import SummaryRecord

install_lazy(__name__, globals())
