"""THOR (``mindspore.nn.thor``): not supported."""

from __future__ import annotations

from ms2torch._core.errors import unsupported


def thor(net, learning_rate, damping, momentum, weight_decay=0.0, loss_scale=1.0, batch_size=32,
         use_nesterov=False, decay_filter=lambda x: True, split_indices=None,
         enable_clip_grad=False, frequency=100):
    """MindSpore's second-order optimizer, with kernels of GPU or Ascend; NotImplementedError."""
    raise unsupported("mindspore.nn.thor", "MindSpore has the kernels of its updates, CholeskyTrsm "
                      "and ThorIm2Col, on GPU and Ascend alone.",
                      "nn.Momentum or nn.Lamb; the weights that it trains are ordinary ones.")
