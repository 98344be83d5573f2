"""Event files of scalars, images, tensors and histograms (``mindspore.train.summary``)."""

from ms2torch._naming.surface import install_lazy

from .summary_record import SummaryRecord

__all__ = ["SummaryRecord"]

install_lazy(__name__, globals())
