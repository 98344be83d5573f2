"""``mindspore.parallel.auto_parallel``: a network with the settings of its parallel training."""

from __future__ import annotations

import os
from contextlib import contextmanager

from ms2torch._core import mode
from ms2torch._core.errors import unsupported
from ms2torch._core.processes import distributed
from ms2torch._naming.surface import install_lazy

from ..communication.management import get_group_size, get_rank
from ..nn.cell import Cell
from ._auto_parallel_context import _set_auto_parallel_context, in_force, put_back
from ._strategies import heed_waiting
from .shard import Layout

__all__ = ["AutoParallel"]

_MODES = {"semi_auto": "semi_auto_parallel", "sharding_propagation": "auto_parallel",
          "recursive_programming": "auto_parallel"}
_SCHEDULERS = ("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")


def _text(value) -> str:
    if not isinstance(value, str):
        raise TypeError(f"the argument 'file_path' must be str, but got the type : {type(value)} .")
    return value


class AutoParallel(Cell):
    """Runs ``network`` in automatic parallelism (``mindspore.parallel.auto_parallel.AutoParallel``).

    ``parallel_mode``: "semi_auto" heeds the strategies that the program gives; "sharding_propagation" and
    "recursive_programming" do the same, for nothing is searched here. The methods are the settings of
    ``set_auto_parallel_context``; they hold while the network runs.
    """

    def __init__(self, network, parallel_mode="semi_auto") -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        if parallel_mode not in _MODES:
            raise ValueError(f"the argument 'parallel_mode' must be one of {list(_MODES)}, but got the value "
                             f": {parallel_mode} .")
        self._settings = {"parallel_mode": _MODES[parallel_mode]}
        self._global_rank, self._device_num = get_rank(), get_group_size()
        self._sharing_plan = None
        self.__dict__["_spread"] = None        # (kept between calls)

    def construct(self, *args, **kwargs):
        with self._in_force():
            self._share()
            return self.network(*args, **kwargs)

    def compile(self, *args, **kwargs) -> None:
        """Compiles the network under these settings: weights in parts or of other stages are let go of."""
        with self._in_force():
            self._share()
            self.network.compile(*args, **kwargs)

    @contextmanager
    def _in_force(self):
        """While this lasts the settings hold."""
        before = in_force()
        _set_auto_parallel_context(**self._settings)
        try:
            mode.spreading = self._spread or mode.spreading
            heed_waiting()
            yield
        finally:
            self.__dict__["_spread"] = mode.spreading
            put_back(before)

    def _share(self) -> None:
        """Share what the network's optimizers keep, once."""
        plan, self.__dict__["_sharing_plan"] = self._sharing_plan, None
        if plan is not None and distributed.joined():
            from ..nn.optim.optimizer import Optimizer

            for _, cell in self.network.cells_and_names():
                if isinstance(cell, Optimizer):
                    cell._share(plan)

    # ---- settings ------------------------------------------------------------------------------------------

    def hsdp(self, shard_size=-1, threshold=64, optimizer_level="level1") -> None:
        """Share weights and what optimizers keep by ``shard_size`` processes (-1: all), from ``threshold`` KB
        on; see ``parallel_optimizer_config``."""
        if not isinstance(shard_size, int) or (shard_size <= 0 and shard_size != -1):
            raise ValueError(f"shard_size must be a positive integer or -1, but got {shard_size}.")
        if not isinstance(threshold, int) or threshold < 0:
            raise ValueError(f"threshold must be a positive integer or 0, but got {threshold}.")
        if optimizer_level not in ("level1", "level2", "level3"):
            raise ValueError("Optimizer level should in ['level1', 'level2', 'level3'], but got "
                             f"{optimizer_level}")
        from ms2torch._core.processes.zero import Plan

        self._sharing_plan = Plan(shard_size, threshold * 1024, int(optimizer_level[-1]))

    def dataset_strategy(self, config) -> None:
        """How data come in: "data_parallel", "full_batch", or for each input a tuple of parts or a Layout."""
        head = "For 'AutoParallel.dataset_strategy', the "
        if config is None:
            raise ValueError("dataset_strategy is none in config!")
        if isinstance(config, str):
            if config not in ("full_batch", "data_parallel"):
                raise ValueError(f"{head}argument 'config' must be 'full_batch' or 'data_parallel', but got "
                                 f"the value : {config}.")
        elif not isinstance(config, tuple):
            raise TypeError(f"{head}argument 'config' must be str or tuple type, but got the type : "
                            f"{type(config)}.")
        else:
            for one in config:
                if isinstance(one, Layout):
                    continue
                if not isinstance(one, tuple):
                    raise TypeError(f"{head}element of argument 'config' must be tuple or Layout, but got "
                                    f"the type : {type(one)} .")
                for count in one:
                    if not isinstance(count, int):
                        raise TypeError(f"{head}element of argument 'config' must be int type, but got the "
                                        f"type : {type(count)} .")
        self._settings["dataset_strategy"] = config

    def pipeline(self, stages=1, output_broadcast=False, interleave=False, scheduler="1f1b") -> None:
        """Stages of a pipeline, on as many blocks of processes; see ``nn.PipelineCell``. A loss is on all of
        them, ``output_broadcast`` or not; "gpipe" is run as such, all other schedulers as "1f1b", which
        changes no number."""
        head = "For 'AutoParallel.pipeline', the argument "
        if not isinstance(stages, int):
            raise TypeError(f"{head}'stages' must be int type, but got the type : {type(stages)}.")
        if stages <= 0:
            raise ValueError(f"{head}'stages' must be larger than zero, but got value: {stages}.")
        for name, value, kind in (("output_broadcast", output_broadcast, bool),
                                  ("interleave", interleave, bool), ("scheduler", scheduler, str)):
            if not isinstance(value, kind):
                raise TypeError(f"{head}'{name}' must be {kind.__name__} type, but got the type : "
                                f"{type(value)}.")
        if scheduler not in _SCHEDULERS:
            raise ValueError(f"{head}'scheduler' must be '1f1b'/'gpipe'/'seqpipe'/'seqvpp'/'seqsmartvpp'/"
                             f"'zero_bubble_v' , but got the value : {scheduler}.")
        self._settings.update(pipeline_stages=stages, pipeline_result_broadcast=output_broadcast,
                              pipeline_config={"pipeline_interleave": interleave,
                                               "pipeline_scheduler": scheduler})

    def get_pipeline_stages(self) -> int:
        return self._settings.get("pipeline_stages", 1)

    def comm_fusion(self, config) -> None:
        """Checked and kept; buckets change no number."""
        if config is not None and not isinstance(config, dict):
            raise TypeError(f"The parameter '{config}' must be {dict}, but got {type(config)}.")
        if config:
            self._settings["comm_fusion"] = config

    def save_param_strategy_file(self, file_path) -> None:
        """Write how parameters lie to ``file_path`` after the first step."""
        self._settings["strategy_ckpt_save_file"] = _text(file_path)

    def load_param_strategy_file(self, file_path) -> None:
        """Kept: strategies here come from the program."""
        self._settings["strategy_ckpt_load_file"] = _text(file_path)

    def set_group_ckpt_save_file(self, file_path) -> None:
        self._settings["group_ckpt_save_file"] = _text(file_path)

    def _operator_file(self, file_path) -> None:
        if not _text(file_path).startswith("/"):
            raise KeyError("the argument 'file_path' must be an absolute path.")
        if not file_path.endswith(".json"):
            raise KeyError("File type must be .json")
        raise unsupported("AutoParallel's operator strategy files", "strategies are the program's own.",
                          "Primitive.shard(...) in the program.")

    def save_operator_strategy_file(self, file_path) -> None:
        self._operator_file(file_path)

    def load_operator_strategy_file(self, file_path) -> None:
        self._operator_file(file_path)

    def dump_local_norm(self, file_path) -> None:
        raise unsupported("AutoParallel.dump_local_norm", f"norms are not written to '{_text(file_path)}'.")

    def transformer_opt(self, file_path) -> None:
        """Accepted: how MindSpore schedules communication changes no number."""
        if file_path is not None and not os.path.isfile(path := os.path.realpath(file_path)):
            raise ValueError(f"For 'ascend_config', the path to parallel_speed_up_json: {path} does not "
                             "exist, please check whether the 'parallel_speed_up_json_path' is correct.")

    # What says how sums are made or when: sums here are of the whole batch, in the wider dtype.

    def no_init_parameters_in_compile(self) -> None:
        self._settings["init_param_in_compile"] = False

    def enable_gradients_mean(self) -> None:
        self._settings["gradients_mean"] = True

    def enable_fp32_communication(self) -> None:
        self._settings["force_fp32_communication"] = True

    def disable_gradient_fp32_sync(self) -> None:
        self._settings["gradient_fp32_sync"] = False

    def disable_loss_repeated_mean(self) -> None:
        self._settings["loss_repeated_mean"] = False

    def disable_strategy_file_only_for_trainable_params(self) -> None:
        """Accepted."""

    def print_local_norm(self) -> None:
        self._settings["dump_local_norm"] = True

    def enable_device_local_norm(self) -> None:
        self._settings["dump_device_local_norm"] = True


install_lazy(__name__, globals())
