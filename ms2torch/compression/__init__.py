"""Quantisation-aware training of MindSpore 1.1 to 1.10 (``mindspore.compression``)."""
