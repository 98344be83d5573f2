"""Checkpoints of one layout over devices as those of another: by rank, or a whole folder of them.

Files are read some parameters at a time and written as they come, so that no more than a chunk of each file
that a rank needs is in memory.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.tensor import wrap
from ms2torch._naming.surface import install_lazy

from .. import _checkparam as validator
from ..common.parameter import Parameter
from ..communication.management import get_rank
from ..nn.cell import Cell
from ..train import _checkpoint_file, _safetensors
from ..train.serialization import _write, load_checkpoint, load_param_into_net, save_checkpoint
from . import _slices, _strategy_file
from ._auto_parallel_context import auto_parallel_context

CHUNK = 256 * 2**20


def _layouts(path, rank: int | None = None) -> dict[str, _slices.Lying] | None:
    """The layouts of a strategy file by parameter; None for no file."""
    if path is None:
        return None
    _strategy_file.check(path)
    return _slices.by_parameter(_strategy_file.read(path), rank)


def _devices(layouts) -> int:
    """How many devices a stage has."""
    if layouts is None:
        return 1
    first = next(iter(layouts.values()))
    if not first.matrix:
        raise ValueError("The parallel strategy file only contains pipeline-parallelism, which is not "
                         "supported for parallel strategy conversion now.")
    return first.devices


def _stages(layouts) -> int:
    """How many stages there are; ValueError where one is missing."""
    found = {stage for one in (layouts or {}).values() for stage in one.stages} or {0}
    if sorted(found) != list(range(len(found))):
        raise ValueError("The strategy file for pipeline parallel does not contains all stages.")
    return len(found)


def _of_stage(rank: int, source_file, target_file):
    """The layouts of both files, less the parameters that the stage of ``rank`` does not have."""
    source, target = _layouts(source_file), _layouts(target_file, rank)
    if target is not None:
        stage = rank // _devices(target)
        gone = [name for name, one in target.items() if stage not in one.stages]
        for name in gone:
            del target[name]
            if source is not None:
                source.pop(name, None)
    return source, target


def rank_list_for_transform(rank_id, src_strategy_file=None, dst_strategy_file=None) -> list[int]:
    """The ranks whose checkpoints the rank ``rank_id`` of the other layout is made of, falling.

    No file means that parameters are whole. TypeError and ValueError for bad arguments.
    """
    if not isinstance(rank_id, int):
        raise TypeError("The rank_id should be a int.")
    if src_strategy_file is None:
        return [0]
    source, target = _of_stage(rank_id, src_strategy_file, dst_strategy_file)
    if target == {} and _layouts(dst_strategy_file):
        raise ValueError(f"The rank_id {rank_id} is none of the ranks that the dst_strategy_file lays out.")
    if not source:
        raise ValueError("The src_strategy_file is empty.")
    if target is None and not 0 <= rank_id < _devices(source):
        raise RuntimeError(f"Rank {rank_id} is not in the current stage!")
    devices = _devices(target) if target else 1
    local = rank_id % devices if devices > 1 else rank_id
    found: set[int] = set()
    for name, one in source.items():
        if target is None or name in target:
            if target and len(target[name].axes) != len(one.axes):
                raise ValueError(f"For param '{name}', one strategy file says how {len(one.axes)} dimensions "
                                 f"lie, the other how {len(target[name].axes)} do. Please check your "
                                 "strategy file.")
            found |= _slices.source_ranks(local, one, target[name] if target else None)
    size, stages = _devices(source), {stage for one in source.values() for stage in one.stages}
    return sorted({stage * size + rank for stage in stages for rank in found}, reverse=True)


def ranks_holding_the_same(rank: int, strategy_file) -> list[int]:
    """The ranks that hold the same parts of all parameters; ``rank`` alone where of two parameters neither's
    such ranks are among the other's, as in MindSpore."""
    layouts = _layouts(strategy_file, rank)
    first = rank // _devices(layouts) * _devices(layouts)
    groups = [{first + other for other in range(one.devices)
               if one.places(other) == one.places(rank - first)}
              for name, one in layouts.items() if not name.startswith(("accu_grads", "inputs"))]
    smallest = min(groups, key=len, default=set())
    return sorted(smallest) if all(smallest <= one for one in groups) else [rank]


class _Files:
    """The checkpoints of some ranks, of which parameters are read together."""

    def __init__(self, files: dict[int, str], format: str) -> None:
        self.files, self._format = files, format
        self.sizes: dict[str, int] = {}         # bytes of each parameter in the largest file
        self.holders: dict[str, list[int]] = {}
        for rank, path in files.items():
            for name, size in self._sizes_in(path).items():
                self.sizes[name] = max(size, self.sizes.get(name, 0))
                self.holders.setdefault(name, []).append(rank)

    def _sizes_in(self, path: str) -> dict[str, int]:
        try:
            if self._format == "safetensors":
                with open(path, "rb") as file:
                    places = _safetensors.index(file, os.path.getsize(path))[0]
                return {name: place.end - place.begin for name, place in places.items()}
            places = _checkpoint_file.index(path)[0]
        except _checkpoint_file.Damaged:
            load_checkpoint(path, format=self._format)      # says so in MindSpore's words
            raise
        return {name: sum(b - a for a, b in getattr(place, "pieces", ((0, 0),)))
                for name, place in places.items()}

    def read(self, names) -> dict[str, dict[int, torch.Tensor]]:
        """By parameter what each rank's file holds of it."""
        found: dict[str, dict[int, torch.Tensor]] = {name: {} for name in names}
        for rank, path in self.files.items():
            wanted = {name for name in names if rank in self.holders[name]}
            if wanted:
                held = load_checkpoint(path, choice_func=wanted.__contains__, format=self._format)
                for name, value in held.items():
                    found[name][rank] = value._t if hasattr(value, "_t") else value
        return found

    def chunks(self, names) -> Iterator[list[str]]:
        """``names`` in groups that are read together."""
        some, size = [], 0
        for name in names:
            if some and size + self.sizes[name] > CHUNK:
                yield some
                some, size = [], 0
            some.append(name)
            size += self.sizes[name]
        if some:
            yield some


class _Parts:
    """The parameters of one rank, made while they are written."""

    def __init__(self, rank: int, files: _Files, source, target, dropped=()) -> None:
        self._rank, self._files, self._source, self._target = rank, files, source, target
        names = [name for name in files.sizes if name not in dropped]
        moved = [n for n in names if (source is None or n in source) and (target is None or n in target)]
        if not moved:
            raise ValueError("None of the parameters in checkpoint file are in either src strategy or dst "
                             "strategy. Please check correctness of strategy files.")
        self._moved = set(moved)
        self._names = moved + [name for name in names if name not in self._moved]

    def items(self) -> Iterator[tuple]:
        for some in self._files.chunks(self._names):
            for name, held in self._files.read(some).items():
                yield name, self._made(name, held)

    def _made(self, name: str, held: dict):
        size = _devices(self._source) if self._source else 1
        mine = {rank % size: t for rank, t in held.items()}
        own = self._rank % size
        if name not in self._moved or isinstance(mine.get(own), str):
            return mine.get(own, next(iter(mine.values())))
        shape = tuple(next(iter(mine.values())).shape)
        for layouts in (self._source, self._target):
            if layouts and len(layouts[name].axes) != len(shape):
                raise ValueError(
                    f"For param '{name}', the tensor map dimensions must match the tensor shape dimensions: "
                    f"a slice of it has the shape {shape}, but a strategy file says how "
                    f"{len(layouts[name].axes)} dimensions lie. Please check your strategy file.")
        return _slices.slice_for_rank(self._rank, mine, self._source[name] if self._source else None,
                                      self._target[name] if self._target else None)


def _check_saved(source, files: dict[int, str], format: str) -> None:
    """ValueError where files that are said to hold the same part of a parameter do not. Looked at only where
    a layout's step and matrix say different things; MindSpore then gives a part twice and loses another."""
    doubtful = {name: one for name, one in (source or {}).items() if one.doubtful()}
    if not doubtful:
        return
    saved = _Files(files, format)
    for some in saved.chunks([name for name in doubtful if name in saved.sizes]):
        for name, held in saved.read(some).items():
            one, first = doubtful[name], {}
            for rank, t in sorted(held.items()):
                same = first.setdefault((rank // one.devices, one.places(rank % one.devices)), rank)
                if rank != same and not torch.equal(t, held[same]):
                    raise ValueError(_otherwise(name, one, same, rank))


def _otherwise(name: str, one: _slices.Lying, same: int, rank: int) -> str:
    return (f"For param '{name}', the checkpoints of rank {same} and rank {rank} hold different values, but "
            f"the strategy file's matrix {list(one.matrix)}, by which the optimizer's {one.optimizer} parts "
            f"lie on the last axes that split nothing, gives both the same part (its opt_weight_shard_step "
            f"{one.step} says that the devices {one.doubtful()} hold them). Please check your strategy file.")


def _save(path: str, parts: _Parts, format: str) -> None:
    if format == "ckpt":
        _write(path, parts, False, format, None)
    else:
        save_checkpoint([Parameter(wrap(t), name=name) for name, t in parts.items()], path, format=format)


def _check_folder(path) -> None:
    if path and os.path.dirname(path) and not os.path.exists(os.path.dirname(path)):
        raise ValueError(f"The director of dst_strategy_file: {os.path.dirname(path)} is not exists.")


def transform_checkpoint_by_rank(rank_id, checkpoint_files_map, save_checkpoint_file_name,
                                 src_strategy_file=None, dst_strategy_file=None) -> None:
    """Write the checkpoint of the rank ``rank_id`` of one layout from those of another's ranks.

    ``checkpoint_files_map``: rank to file, of the ranks that `rank_list_for_transform` names.
    """
    if not isinstance(checkpoint_files_map, dict):
        raise TypeError("The checkpoint_files_map should be a dict.")
    if not isinstance(rank_id, int):
        raise TypeError("The rank_id should be a int.")
    if not isinstance(save_checkpoint_file_name, str):
        raise TypeError("The save_checkpoint_file_name should be a str.")
    if save_checkpoint_file_name[-5:] != ".ckpt":
        raise ValueError(f"The save_checkpoint_file_name {save_checkpoint_file_name} should end with .ckpt")
    _check_folder(dst_strategy_file)
    for rank, path in checkpoint_files_map.items():
        if not os.path.exists(path):
            raise ValueError(f"Checkpoint file {path} in rank {rank} not exits: ")
    source, target = _of_stage(rank_id, src_strategy_file, dst_strategy_file)
    local = rank_id % (_devices(target) if target else 1)
    files = {rank: path for rank, path in checkpoint_files_map.items() if isinstance(rank, int)}
    if checkpoint_files_map and not files:
        raise ValueError(f"The checkpoint of rank {local} is missing.")
    _check_saved(source, files, "ckpt")
    parts = _Parts(local, _Files(files, "ckpt"), source, target,
                   _elsewhere(source, target, src_strategy_file, dst_strategy_file))
    _save(save_checkpoint_file_name, parts, "ckpt")


def _elsewhere(source, target, source_file, target_file) -> set[str]:
    """Parameters that belong to other stages."""
    gone = [set(whole) - set(here) for whole, here in (
        (_layouts(source_file) or {}, source or {}), (_layouts(target_file) or {}, target or {}))]
    if target_file is None or source_file is None:
        return gone[0] | gone[1]
    return gone[0] & gone[1]


def _files_by_rank(folder: str, format: str) -> dict[int, str]:
    """The last file of each ``rank_N`` folder."""
    found = {}
    for path in glob.glob(os.path.join(folder, "rank_[0-9]*")):
        number = path.split("rank_")[-1]
        files = sorted(glob.glob(os.path.join(path, f"*.{format}")))
        if os.path.isdir(path) and number.isdigit() and files:
            found[int(number)] = files[-1]
    return found


def transform_checkpoints(src_checkpoints_dir, dst_checkpoints_dir, ckpt_prefix, src_strategy_file=None,
                          dst_strategy_file=None, process_num=1, output_format="ckpt") -> None:
    """Write the checkpoints of all ranks of one layout (``rank_N/<prefix>N.ckpt``) from those of another.

    Ckpt files, or safetensors, which stay safetensors unless ``output_format`` says otherwise. ValueError
    where a checkpoint that is needed is missing.
    """
    safe, plain = (_files_by_rank(src_checkpoints_dir, kind) for kind in ("safetensors", "ckpt"))
    if safe and plain:
        raise ValueError("For 'transform_checkpoints', the 'src_checkpoints_dir' cannot contain both ckpt "
                         "file and safetensors file simultaneously")
    if not safe and not plain:
        raise ValueError("For 'transform_checkpoints', the 'src_checkpoints_dir' can not be empty.")
    if plain and output_format == "safetensors":
        raise ValueError("For 'transform_checkpoints', 'output_format' can not be 'safetensors' when "
                         "'src_checkpoints_dir' only contains ckpt file.")
    if not isinstance(ckpt_prefix, str):
        raise TypeError("The ckpt_prefix should be a str.")
    _check_folder(dst_strategy_file)
    files, kind = safe or plain, "safetensors" if safe else "ckpt"
    target, source = _layouts(dst_strategy_file), _layouts(src_strategy_file)
    devices = _devices(target) if target else 1
    _check_saved(source, files, kind)
    if kind == "ckpt" and _is_of_one_stage(source, target):
        _transform_one_stage(files, dst_checkpoints_dir, ckpt_prefix, src_strategy_file, source, target)
        return
    for rank in range(devices * _stages(target)):
        ranks = rank_list_for_transform(rank, src_strategy_file, dst_strategy_file)
        for one in ranks:
            if one not in files:
                raise ValueError(f"The checkpoint file of rank{one} is needed for converting rank{rank}'s "
                                 "checkpoint, but it is missing.")
        source, mine = _of_stage(rank, src_strategy_file, dst_strategy_file)
        parts = _Parts(rank % devices, _Files({one: files[one] for one in ranks}, kind), source, mine,
                       _elsewhere(source, mine, src_strategy_file, dst_strategy_file))
        folder = os.path.join(dst_checkpoints_dir, f"rank_{rank}")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _save(os.path.join(folder, f"{ckpt_prefix}{rank}.{output_format}"), parts, output_format)


def _is_of_one_stage(source, target) -> bool:
    """Whether the first strategy file has one stage of what the second has whole."""
    if not source or not target or _stages(source) > 1 or _stages(target) > 1:
        return False
    some, all_ = ({name for name in one if not name.startswith(("accu_grads", "adam_v", "adam_m"))}
                  for one in (source, target))
    return some < all_


def _transform_one_stage(files: dict[int, str], folder: str, prefix: str, source_file: str, source,
                         target) -> None:
    """Each rank's part of what one stage holds: ``rank_N/<prefix>N_part<stage>.ckpt``, which
    `load_segmented_checkpoints` puts together with those of the other stages."""
    stage, size = _strategy_file.stage_of(source_file), _devices(source)
    target = {name: one for name, one in target.items() if name in source}
    held = _Files({rank: path for rank, path in files.items() if rank // size == stage}, "ckpt")
    for rank in range(_devices(target)):
        place = os.path.join(folder, f"rank_{rank}")
        os.makedirs(place, mode=0o700, exist_ok=True)
        _save(os.path.join(place, f"{prefix}{rank}_part{stage}.ckpt"),
              _Parts(rank, held, source, target, set()), "ckpt")


def merge_pipeline_strategys(src_strategy_dirs, dst_strategy_file) -> None:
    """One strategy file of those of all stages in a folder; names begin with their stage.

    NotADirectoryError where there is no folder, ValueError for both kinds of files, or one that is empty.
    """
    path = os.path.abspath(os.path.normpath(dst_strategy_file))
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    if not os.path.isdir(src_strategy_dirs):
        raise NotADirectoryError(f"src_strategy_dirs {src_strategy_dirs} is not a directory.")
    binary, text = (glob.glob(os.path.join(src_strategy_dirs, f"*.{kind}")) for kind in ("ckpt", "json"))
    if binary and text:
        raise ValueError("The strategys format should be all '.ckpt' or all '.json'")
    (_strategy_file.merge_binary if binary else _strategy_file.merge_text)(binary or text, path)


# ---- into a network ----------------------------------------------------------------------------------------


def _check_prediction(strategy) -> None:
    if strategy is None:
        return
    validator.check_isinstance("predict_strategy", strategy, dict)

    def ints(value) -> bool:
        return isinstance(value, list) and all(isinstance(n, int) for n in value)

    for key, one in strategy.items():
        if (not isinstance(key, str) or not isinstance(one, (list, tuple)) or len(one) < 4
                or not ints(one[0]) or not ints(one[1]) or not (ints(one[2]) or not one[2]) or one[3] != 0):
            raise ValueError(
                "For 'load_distributed_checkpoint', the argument 'predict_strategy' is dict, the key of it "
                "must be string, and the value of it must be list or tuple that the first four elements must "
                "be dev_matrix (list[int]), tensor_map (list[int]), param_split_shape (list[int]) and "
                "field_size (int, which value is 0).Please check whether 'predict_strategy' is correct.")


def load_distributed_checkpoint(network, checkpoint_filenames=None, predict_strategy=None,
                                train_strategy_filename=None, strict_load=False, dec_key=None,
                                dec_mode="AES-GCM", format="ckpt", unified_safetensors_dir=None,
                                dst_safetensors_dir=None, rank_id=None, output_format="safetensors",
                                name_map=None, max_process_num=64, return_param_dict=False):
    """Load into ``network`` what the ranks of a training saved, one file for each, in their order.

    ``train_strategy_filename`` says how parameters lay (else ``strategy_ckpt_load_file`` of the settings);
    ``predict_strategy``, by parameter name ``[dev_matrix, tensor_map, param_split_shape, field]``, what this
    rank gets, all of it where None. ValueError where files do not fit the strategy.

    With ``format="safetensors"`` it loads this rank's part of what `unified_safetensors` wrote, by the
    strategy file ``predict_strategy``, or gives it as a dict (``return_param_dict``); where ``network`` is
    None each rank's part (or that of ``rank_id``) goes to ``dst_safetensors_dir/rank_N/net.safetensors``.
    """
    if format not in ("safetensors", "ckpt") or output_format not in ("safetensors", "ckpt"):
        raise ValueError("For 'load_distributed_checkpoint', 'format' and 'output_format' must be 'ckpt' or "
                         f"'safetensors', but got {format}.")
    if format == "safetensors":
        from ._unified_safetensors import load_unified

        if unified_safetensors_dir is None:
            raise ValueError("For 'load_distributed_checkpoint', 'unified_safetensors_dir' can not be None "
                             "when format is 'safetensors'.")
        for given in (checkpoint_filenames, train_strategy_filename, dec_key):
            if given is not None:
                raise ValueError(f"For 'load_distributed_checkpoint', {given} must be None when format is "
                                 "'safetensors'.")
        if strict_load or dec_mode != "AES-GCM":
            raise ValueError("For 'load_distributed_checkpoint', strict_load and dec_mode must be default "
                             "when format is 'safetensors'.")
        return load_unified(network, unified_safetensors_dir, predict_strategy, dst_safetensors_dir, rank_id,
                            output_format, name_map, return_param_dict)
    validator.check_isinstance("network", network, Cell)
    for index, path in enumerate(checkpoint_filenames):
        if (not isinstance(path, str) or not os.path.exists(path) or path[-5:] != ".ckpt"
                or os.path.getsize(path) == 0):
            raise ValueError(
                "For 'load_distributed_checkpoint', please check 'checkpoint_filenames', and make sure the "
                f"{path} at index {index} is a valid checkpoint file, it must be a string ending with "
                "'.ckpt', and the checkpoint file it represents must be exist and not empty.")
    _check_prediction(predict_strategy)
    if train_strategy_filename is None:
        train_strategy_filename = auto_parallel_context().get_strategy_ckpt_load_file()
    source = _layouts(train_strategy_filename)
    if not source:
        return True
    if _devices(source) != len(checkpoint_filenames):
        raise ValueError(
            "For 'Load_distributed_checkpoint', the length of 'checkpoint_filenames' should be equal to the "
            "device count of training process. But got the length of 'checkpoint_filenames' is "
            f"{len(checkpoint_filenames)} and the device count is {_devices(source)}.")
    if dec_key is not None:
        raise unsupported("mindspore.load_distributed_checkpoint(dec_key=...)", "files are read in parts.",
                          "decrypt them first: save_checkpoint(load_checkpoint(path, dec_key=key), path).")
    _check_saved(source, dict(enumerate(checkpoint_filenames)), "ckpt")
    files = _Files(dict(enumerate(checkpoint_filenames)), "ckpt")
    known = [p.name for _, p in network.parameters_and_names() if p.name in source and p.name in files.sizes]
    found = {}
    for some in files.chunks(known):
        for name, held in files.read(some).items():
            target = None
            if predict_strategy and name in predict_strategy:
                matrix, places = predict_strategy[name][:2]
                target = _slices.sharding_of(_strategy_file.ParallelLayouts(
                    [_strategy_file.Dimensions(matrix)], [_strategy_file.Dimensions(places)]))
            rank = get_rank() if target else 0
            found[name] = Parameter(wrap(_slices.slice_for_rank(rank, held, source[name], target)), name=name)
    load_param_into_net(network, found, strict_load=strict_load)
    return True


install_lazy(__name__, globals())
