"""Callbacks that watch MindSpore's compiler, hardware or tools, of which there is nothing here."""

from __future__ import annotations

from ms2torch._core.errors import unsupported

from ._callback import Callback


class FlopsUtilizationCollector(Callback):
    """Counts FLOPs of compiled graphs on Ascend; NotImplementedError."""

    def __init__(self, data_size, computility=1, full_flops=True, enable_ma_collector=False) -> None:
        raise unsupported(
            "mindspore.train.FlopsUtilizationCollector",
            "it reads the FLOPs of graphs that MindSpore compiled.",
            "torch.utils.flop_counter.FlopCounterMode around a step, or leave the callback out.",
        )


class TrainFaultTolerance(Callback):
    """Repairs training on Ascend clusters; NotImplementedError."""

    def __init__(self, ckpt_save_path=None, **kwargs) -> None:
        raise unsupported(
            "mindspore.train.TrainFaultTolerance",
            "it serves Ascend clusters.",
            "ModelCheckpoint(config=CheckpointConfig(exception_save=True)), or BackupAndRestore.",
        )
