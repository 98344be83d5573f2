"""Quantisation-aware training (``mindspore.compression.quant`` until 1.10)."""

from ms2torch._naming.surface import install_lazy

from .qat import QuantizationAwareTraining, create_quant_config
from .quant_utils import load_nonquant_param_into_quant_net, query_quant_layers
from .quantizer import OptimizeOption

__all__ = [
    "OptimizeOption",
    "QuantizationAwareTraining",
    "create_quant_config",
    "load_nonquant_param_into_quant_net",
    "query_quant_layers",
]

install_lazy(__name__, globals())
