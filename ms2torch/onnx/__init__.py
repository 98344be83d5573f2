"""Networks as ONNX files (``mindspore.onnx``)."""

from .onnx_export import export

__all__ = ["export"]
