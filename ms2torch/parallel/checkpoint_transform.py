"""Checkpoints of parameters that lie in slices on several devices (``mindspore.parallel``)."""

from __future__ import annotations

import glob
import math
import os

import torch

from ms2torch._core.processes import distributed
from ms2torch._core.tensor.tensor import wrap
from ms2torch._naming.surface import install_lazy

from ..common.parameter import Parameter
from ..train.serialization import load_checkpoint
from . import _strategy_file
from ._checkpoint_layouts import (
    load_distributed_checkpoint,
    merge_pipeline_strategys,
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)
from ._unified_safetensors import unified_safetensors

__all__ = [
    "build_searched_strategy",
    "load_distributed_checkpoint",
    "load_segmented_checkpoints",
    "merge_pipeline_strategys",
    "merge_sliced_parameter",
    "rank_list_for_transform",
    "restore_group_info_list",
    "sync_pipeline_shared_parameters",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
    "unified_safetensors",
]


def build_searched_strategy(strategy_filename):
    """How each parameter was split, by its name, from a strategy file (protobuf, or json by its ending).

    TypeError and ValueError where the file is none or empty; None gives None.
    """
    if strategy_filename is None:
        return None
    _strategy_file.check(strategy_filename)
    return _strategy_file.read(strategy_filename)


def restore_group_info_list(group_info_file_name) -> list[int]:
    """The ranks in a file about groups of processes (GROUP_INFO_FILE); ValueError where it names none."""
    _strategy_file.check_groups(group_info_file_name)
    return _strategy_file.ranks_to_restore(group_info_file_name)


def load_segmented_checkpoints(ckpt_file_dir, net=None, strict_load=False, filter_prefix=None, dec_key=None,
                               dec_mode="AES-GCM", specify_prefix=None, choice_func=None) -> dict:
    """What all ``.ckpt`` files of a folder hold, in one dict: a checkpoint in parts, as
    `transform_checkpoints` makes them of one stage at a time. Arguments as `load_checkpoint` has them.

    TypeError where ``ckpt_file_dir`` is no str, ValueError where it is no folder.
    """
    if not isinstance(ckpt_file_dir, str):
        raise TypeError("The ckpt_file_dir should be a str.")
    if not os.path.isdir(ckpt_file_dir):
        raise ValueError(f"The dst_strategy_file: {ckpt_file_dir} doesn't exist. Or it's not a directory")
    found: dict = {}
    for path in glob.glob(os.path.join(ckpt_file_dir, "*.ckpt")):
        found.update(load_checkpoint(path, net, strict_load, filter_prefix, dec_key, dec_mode, specify_prefix,
                                     choice_func))
    return found


def merge_sliced_parameter(sliced_parameters, strategy=None) -> Parameter:
    """One Parameter from its slices, in the order of ranks.

    Without a ``strategy`` they are joined along axis 0; with one (`build_searched_strategy`) they go where
    their devices lay. TypeError, ValueError and KeyError for slices that do not belong together.
    """
    first = _checked(sliced_parameters, strategy)
    slices = [p._rest.detach() for p in sliced_parameters]
    if not strategy:
        whole = torch.cat(slices)
    elif first.name not in strategy:
        raise KeyError(f"For 'merge_sliced_parameter', the parameter name {first.name} should be a key in "
                       "the 'strategy'. Please check 'sliced_parameter' and 'strategy'.")
    else:
        whole = _merged(slices, strategy[first.name])
    if whole.dtype is torch.bfloat16:
        whole = whole.float()       # as MindSpore gives it
    return Parameter(wrap(whole), first.name, first.requires_grad, first.layerwise_parallel)


def _checked(sliced, strategy) -> Parameter:
    head = "For 'merge_sliced_parameter', "
    if not isinstance(sliced, list):
        raise TypeError(f"{head}the argument 'sliced_parameters' should be list, but got {type(sliced)}.")
    if not sliced:
        raise ValueError(f"{head}the argument 'sliced_parameters' should not be empty.")
    if strategy and not isinstance(strategy, dict):
        raise TypeError(f"{head}the argument 'strategy' should be dict, but got {type(strategy)}.")
    for index, one in enumerate(sliced):
        if not isinstance(one, Parameter):
            raise TypeError(f"{head}the element in 'sliced_parameters' should be 'Parameter', but got "
                            f"{type(one)} at index {index}.")
    first = sliced[0]
    name, count, shape = first.name, len(first.shape), first.shape[1:]
    for index, one in enumerate(sliced):
        if one.name != name or len(one.shape) != count or one.shape[1:] != shape:
            raise ValueError(
                f"{head}please make sure that the elements in 'slice_parameters' have the same name, "
                "dimension length and shape except 0 axis. The name, dimension length, shape except 0 axis "
                f"should be {name}, {count}, {shape}, but got name: {one.name}, dimension length: "
                f"{len(one.shape)}, shape except 0 axis: {one.shape[1:]} at index {index}.")
    return first


def _merged(slices: list[torch.Tensor], layout) -> torch.Tensor:
    head = "For 'merge_sliced_parameter', "
    try:
        matrix, places = layout.dev_matrix[0].dim, layout.tensor_map[0].dim
        uneven, fields = layout.param_split_shape[0].dim, int(layout.field)
    except (AttributeError, IndexError) as err:
        raise ValueError(f"{err}. {head}please make sure that 'strategy' is correct.") from err
    devices = math.prod(matrix)
    if len(slices) != devices:
        raise ValueError(f"{head}the length of 'sliced_parameters' should be equal to device_count. The "
                         f"length of 'sliced_parameters' is {len(slices)}, but device_count is {devices}.")
    parts = [1 if p == -1 else matrix[-1 - p] for p in places]
    if uneven and len(uneven) != math.prod(parts):
        raise ValueError(f"{head}the param_split_shape length in 'strategy' should be {math.prod(parts)}, "
                         f"but got {len(uneven)}.")
    if not uneven and any(s.shape != slices[0].shape for s in slices):
        raise ValueError(f"{head}the shape of every parameter in 'sliced_parameters' should be the same when "
                         "slice manner is even.")
    if not uneven and fields > 0:
        return _by_fields(slices, fields)
    found: list = [None] * math.prod(parts)
    for rank, one in enumerate(slices):
        at = _slice_of(rank, matrix, places, parts)
        if uneven and one.shape[0] != uneven[at]:
            raise ValueError(f"{head}the slice {at} should be {uneven[at]} in 0 axis, but got "
                             f"{one.shape[0]}.")
        found[at] = one
    for axis in reversed(range(len(parts))):
        step = parts[axis]
        found = [torch.cat(found[i:i + step], axis) for i in range(0, len(found), step)]
    return found[0]


def _slice_of(rank: int, matrix: list[int], places: list[int], parts: list[int]) -> int:
    """Which slice, counted row by row, the device of that rank holds."""
    coordinate = []
    for size in reversed(matrix):
        rank, here = divmod(rank, size)
        coordinate.append(here)         # from the right, as tensor maps count
    at = 0
    for place, count in zip(places, parts, strict=True):
        at = at * count + (0 if place == -1 else coordinate[place])
    return at


def _by_fields(slices: list[torch.Tensor], fields: int) -> torch.Tensor:
    """Embedding tables of several fields: each device holds a share of the rows of every field."""
    width = slices[0].shape[1]
    return torch.cat([s.reshape(fields, -1, width) for s in slices], 1).reshape(-1, width)


def sync_pipeline_shared_parameters(net) -> None:
    """Give the Parameters of ``net`` that several stages of a pipeline read the values that they have on the
    first of these stages, as after loading a checkpoint there.

    Which do is known once the network is compiled, or was trained; before, every process holds all of it, and
    each Parameter becomes what the stage of its Cell has. Without stages nothing happens. TypeError where
    ``net`` is no Cell.
    """
    from ..nn.cell import Cell
    from .auto_parallel import AutoParallel

    if not isinstance(net, Cell):
        raise TypeError("For 'sync_pipeline_shared_parameters', the argument 'net' should be a Cell, but got "
                        f"{type(net)}.")
    if isinstance(net, AutoParallel):
        with net._in_force():
            sync_pipeline_shared_parameters(net.network)
    elif distributed.staged():
        from ms2torch._core.processes import pipeline

        pipeline.share(net)


install_lazy(__name__, globals())
