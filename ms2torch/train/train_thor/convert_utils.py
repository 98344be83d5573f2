"""``mindspore.train.train_thor.convert_utils``."""

from __future__ import annotations

from ms2torch import context, nn
from ms2torch._core.tensor import dtype

_LAYERS = (nn.Dense, nn.Conv2d, nn.Embedding, nn.EmbeddingLookup)
_GATHERING = (nn.DenseThor, nn.Conv2dThor, nn.EmbeddingThor, nn.EmbeddingLookupThor)
_LEFT = (nn.Conv2dTranspose, nn.Conv1d, nn.Conv1dTranspose, nn.BatchNorm1d, nn.GroupNorm, nn.LayerNorm,
         nn.BatchNorm2d, nn.MaxPool2d)


def _dense(cell):
    activation = type(cell.activation).__name__.lower() if cell.activation_flag else None
    made = nn.DenseThor(cell.in_channels, cell.out_channels, cell.weight, "zeros", cell.has_bias,
                        {"fastgelu": "fast_gelu"}.get(activation, activation))
    if cell.out_channels != 1001:
        on_gpu = context.get_context("device_target") == "GPU"
        made.to_float(dtype.float32 if on_gpu else dtype.float16)
    if cell.has_bias:
        made.bias = cell.bias
    return made


def _convolution(cell):
    return nn.Conv2dThor(cell.in_channels, cell.out_channels, kernel_size=cell.kernel_size[0],
                         stride=cell.stride, padding=cell.padding, pad_mode=cell.pad_mode,
                         has_bias=cell.has_bias, weight_init=cell.weight)


def _embedding(cell):
    made = nn.EmbeddingThor(cell.vocab_size, cell.embedding_size, use_one_hot=False)
    made.embedding_table = cell.embedding_table
    return made


class ConvertNetUtils:
    """Makes the layers of a network such that gather curvature (``mindspore.train.ConvertNetUtils``)."""

    def __init__(self) -> None:
        self._convert_method_map = {nn.Dense: _dense, nn.Conv2d: _convolution, nn.Embedding: _embedding}

    @staticmethod
    def _need_change(subcell, prefix) -> bool:
        """Whether the layer learns, and is none of those that MindSpore passes over by their names."""
        if isinstance(subcell, (nn.Embedding, nn.EmbeddingLookup)):
            return subcell.embedding_table.requires_grad
        prefix = prefix.lower()
        return subcell.weight.requires_grad and "rpn_with_loss.rpn_convs_list." not in prefix and \
            "wide" not in prefix

    def _convert_to_thor_net(self, net) -> None:
        changed = False
        for name, cell in net.name_cells().items():
            if cell is net or isinstance(cell, (*_GATHERING, *_LEFT)):
                continue
            if not isinstance(cell, _LAYERS):
                self._convert_to_thor_net(cell)
            elif self._need_change(cell, cell.param_prefix):
                make = self._convert_method_map.get(type(cell))
                if make is None:
                    raise TypeError(f"nn.thor has no layer for {type(cell).__name__}; MindSpore's conversion "
                                    "knows nn.Dense, nn.Conv2d and nn.Embedding themselves, no subclasses.")
                made = make(cell)
                made.update_parameters_name(cell.param_prefix + ".")
                net.insert_child_to_cell(name, made)
                changed = True
        if changed and isinstance(net, nn.SequentialCell):
            net.cell_list = list(net.cells())

    def convert_to_thor_net(self, net) -> None:
        """Put DenseThor, Conv2dThor and EmbeddingThor in the places of ``net``'s layers that learn, with
        their weights; ``nn.thor`` does so.

        A DenseThor computes in float16 unless ``device_target`` is "GPU", as in MindSpore. Convolutions lose
        their dilation; ValueError for one in groups, or whose kernel is no square. TypeError for subclasses
        of these layers, and for nn.EmbeddingLookup.
        """
        net.update_cell_prefix()
        self._convert_to_thor_net(net)
        net.update_cell_type("second-order")


class ConvertModelUtils:
    """Makes THOR's Model of a plain one (``mindspore.train.ConvertModelUtils``)."""

    @staticmethod
    def convert_to_thor_model(model, network, loss_fn=None, optimizer=None, metrics=None, amp_level="O0",
                              loss_scale_manager=None, keep_batchnorm_fp32=False):
        """A Model of ``network`` and the rest that inverts covariances in every ``frequency``-th step alone;
        with any optimizer but ``nn.thor``'s ``model`` itself.
        """
        if type(optimizer).__name__ not in ("ThorAscend", "ThorGpu"):
            return model
        from .model_thor import ModelThor

        if isinstance(network, nn.TrainOneStepCell):
            return ModelThor(network=network)
        return ModelThor(network=network, loss_fn=loss_fn, optimizer=optimizer, amp_level=amp_level,
                         loss_scale_manager=loss_scale_manager, keep_batchnorm_fp32=keep_batchnorm_fp32,
                         metrics=metrics)
