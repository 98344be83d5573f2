"""A CPU and one process in place of the devices and processes that a program asks for."""

from __future__ import annotations

import functools
import sys

from .places import class_around, from_mindspore, replace, report_adaptation

_asked = {}


def adapt():
    """Adapt contexts, communication and collective operations."""
    _contexts()
    _parallel()
    _collectives()


def _contexts():
    """``set_context`` for a device that is not here, or with keywords that are gone."""
    from mindspore import context

    set_context, get_context = context.set_context, context.get_context

    @functools.wraps(set_context)
    def adapted_set(**kwargs):
        target = kwargs.get("device_target")
        if target is not None:
            _asked["device_target"] = "Ascend" if target == "Davinci" else target
        if target in ("Ascend", "GPU", "Davinci"):
            report_adaptation("device_target", "device_target=%r runs on CPU" % target)
            kwargs["device_target"] = "CPU"
        if kwargs.pop("enable_graph_kernel", False):
            report_adaptation(
                "enable_graph_kernel", "enable_graph_kernel=True is left off: no fused kernels on CPU")
        for key, value in kwargs.items():
            try:
                set_context(**{key: value})
            except (ValueError, RuntimeError) as error:
                if "not recognized" not in str(error) and "has been removed" not in str(error):
                    raise
                report_adaptation("set_context(%s)" % key, "set_context(%s=...) is gone and left out" % key)

    @functools.wraps(get_context)
    def adapted_get(attr_key):
        if attr_key == "device_target":
            caller = sys._getframe(1)
            if not from_mindspore(caller):
                return _asked.get(attr_key, get_context(attr_key))
            # MindSpore refuses its loss-scale cells on CPU; the branch of the GPU is made of operators that
            # the CPU has, `FloatStatus` apart, which `_overflow` supplies.
            if caller.f_code.co_name == "build_train_network" or (
                caller.f_code.co_filename.endswith("loss_scale.py") and caller.f_code.co_name == "__init__"
            ):
                return "GPU"
        return get_context(attr_key)

    replace(set_context, adapted_set)
    replace(get_context, adapted_get)


def _parallel():
    """One process: ``init()`` has nothing to join, and parallel modes are the stand-alone one."""
    from mindspore import communication, context
    from mindspore.communication import management

    def init(backend_name=None):
        report_adaptation("init", "communication.init() joins nothing: one process, rank 0 of 1")

    def release():
        report_adaptation("init", "communication.init() joins nothing: one process, rank 0 of 1")

    def create_group(group, rank_ids, options=None):
        report_adaptation("create_group", "communication.create_group() makes no group: one process")

    for name, new in (("init", init), ("release", release), ("create_group", create_group)):
        replace(getattr(management, name), new)
        setattr(communication, name, new)
    for name in ("get_rank", "get_local_rank", "get_group_size", "get_local_rank_size"):
        if hasattr(management, name):
            number = int("size" in name)
            replace(getattr(management, name), lambda *args, _number=number, **kwargs: _number)
    setter = context.set_auto_parallel_context

    @functools.wraps(setter)
    def adapted(**kwargs):
        if "mirror_mean" in kwargs:
            report_adaptation(
                "mirror_mean", "set_auto_parallel_context(mirror_mean=...) is gradients_mean now")
            kwargs["gradients_mean"] = kwargs.pop("mirror_mean")
        mode = kwargs.get("parallel_mode", "stand_alone")
        if mode != "stand_alone" or kwargs.get("device_num", 1) != 1:
            report_adaptation("parallel_mode", "parallel mode %r is stand_alone on one device" % mode)
        for key in ("parallel_mode", "device_num", "global_rank", "pipeline_stages", "full_batch",
                    "all_reduce_fusion_config", "enable_parallel_optimizer", "parameter_broadcast"):
            kwargs.pop(key, None)
        for key, value in kwargs.items():
            try:
                setter(**{key: value})
            except ValueError as error:
                if "not recognized" not in str(error):
                    raise
                report_adaptation("set_auto_parallel_context(%s)" % key, "%s is gone and left out" % key)

    replace(setter, adapted)


COLLECTIVES = ("AllReduce", "AllGather", "ReduceScatter", "Broadcast", "NeighborExchange", "AlltoAll")


def _same(x):
    """What a collective operation of one rank gives."""
    return x


def _collectives():
    """Collective operations among one rank: each gives its input back."""
    from mindspore.ops import operations as P

    for name in COLLECTIVES:
        old = getattr(P, name, None)
        if old is not None:
            replace(old, class_around(name, _same, "ops.%s() of one rank gives its input" % name))
