"""Networks with their loss, their gradients and their training step (``mindspore.nn.wrap.cell_wrapper``)."""

from __future__ import annotations

from types import FunctionType, MethodType

import torch

from ms2torch._core import mode
from ms2torch._core.errors import unsupported
from ms2torch._core.gradient import recording
from ms2torch._core.processes import distributed
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import is_transforming
from ms2torch.common.parameter import ParameterTuple
from ms2torch.nn.cell import Cell
from ms2torch.ops.composite.base import GradOperation

from ..layer.basic import Identity
from ..layer.container import CellList
from .grad_reducer import loss_and_gradients, reducer_for


class WithLossCell(Cell):
    """A network and its loss function as one Cell: ``(data, label)`` to the loss
    (``mindspore.nn.WithLossCell``)."""

    def __init__(self, backbone, loss_fn) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn
        self._get_attr_from_cell(backbone)

    def construct(self, data, label):
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self):
        """The network without its loss."""
        return self._backbone


class WithEvalCell(Cell):
    """A network and its loss for evaluation: ``(data, label)`` to ``(loss, outputs, label)``."""

    def __init__(self, network, loss_fn, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(add_cast_fp32, bool):
            raise TypeError(
                "For 'WithEvalCell', the type of 'add_cast_fp32' should be 'bool', "
                f"but got type '{type(add_cast_fp32).__name__}'."
            )
        self._network = network
        self._loss_fn = loss_fn
        self.add_cast_fp32 = add_cast_fp32
        self._get_attr_from_cell(network)

    def construct(self, data, label):
        outputs = self._network(data)
        if self.add_cast_fp32:
            label, outputs = _to_float32(label), _to_float32(outputs)
        return self._loss_fn(outputs, label), outputs, label


def _to_float32(obj):
    """Low-precision Tensors in ``obj`` as Float32."""
    if isinstance(obj, Tensor):
        t = obj._t
        return wrap(t.float()) if t.dtype in (torch.float16, torch.bfloat16) else obj
    if isinstance(obj, (tuple, list)):
        return type(obj)(_to_float32(x) for x in obj)
    return obj


class WithGradCell(Cell):
    """Gives the gradients of a network (with its loss) for its trainable parameters
    (``mindspore.nn.WithGradCell``)."""

    def __init__(self, network, loss_fn=None, sens=None) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss_fn = loss_fn
        self.weights = ParameterTuple(network.trainable_params())
        self.grad = GradOperation(get_by_list=True, sens_param=sens is not None)
        self.sens = sens
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_train()
        self._get_attr_from_cell(network)

    def construct(self, *inputs):
        more = () if self.sens is None else (self.sens,)
        return self.grad(self.network_with_loss, self.weights)(*inputs, *more)


class ForwardValueAndGrad(Cell):
    """Gives ``(network(*inputs), gradients)``; the flags are GradOperation's
    (``mindspore.nn.ForwardValueAndGrad``)."""

    def __init__(self, network, weights=None, get_all=False, get_by_list=False, sens_param=False) -> None:
        super().__init__(auto_prefix=False)
        name = "For 'ForwardValueAndGrad', "
        if not isinstance(network, (Cell, FunctionType, MethodType)):
            raise TypeError(
                f"{name}the argument 'network' must be cell, function type or method type, "
                f"but got '{type(network)}'"
            )
        for key, value in (("get_all", get_all), ("get_by_list", get_by_list)):
            if not isinstance(value, bool):
                raise TypeError(f"{name}the type of '{key}' must be bool, but got '{type(value)}'")
        if get_by_list and not isinstance(weights, (ParameterTuple, tuple, list)):
            raise TypeError(
                f"{name}when 'get_by_list' is set to True, the argument 'weights' must be "
                f"Parameters array, but got '{type(weights)}'"
            )
        self.network = network
        if isinstance(network, Cell):
            self.network.set_grad()
        self.weights = weights
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param
        self.grad = GradOperation(get_all=get_all, get_by_list=get_by_list, sens_param=sens_param)
        self._get_attr_from_cell(network)

    def construct(self, *inputs):
        loss = self.network(*(inputs[:-1] if self.sens_param else inputs))
        gradient = self.grad(self.network, self.weights) if self.get_by_list else self.grad(self.network)
        return loss, gradient(*inputs)


class TrainOneStepCell(Cell):
    """One training step: loss, gradients, reduction over devices, update (``mindspore.nn.TrainOneStepCell``).

    ``sens`` scales the gradients (ones where None); ``return_grad`` also returns a dict of gradients by
    parameter name. Subclasses use ``network``, ``optimizer``, ``weights``, ``grad``, ``sens``,
    ``grad_reducer``. The forward pass runs once. ValueError where ``sens`` is 0.
    """

    def __init__(self, network, optimizer, sens=None, return_grad=False) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = self.optimizer.parameters
        if callable(self.weights):                  # (torch's method of any Cell)
            raise AttributeError(f"The '{type(optimizer).__name__}' object has no attribute 'parameters'.")
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        if sens == 0:
            raise ValueError("The input argument of 'sens' can not be 0.")
        self.sense_flag = sens is not None
        self.sens = 1.0 if sens is None else sens
        self.return_grad = return_grad
        if return_grad:
            self.weights_name = [p.name for p in self.optimizer.parameters]
        self.parallel_mode, self.reducer_flag, self.mean, self.degree, self.grad_reducer = reducer_for(
            self.weights
        )
        self._get_attr_from_cell(network)

    def construct(self, *inputs):
        network, weights, sens = self.network, self.weights, self._sensitivity if self.sense_flag else None
        reduced = loss_and_gradients(self, inputs, sens)
        if reduced is not None:     # several processes: reduced while the backward pass ran
            loss, grads = reduced
        else:
            gradient = self.grad_no_sens if sens is None else self.grad
            if _is_one_pass(network, inputs) and _is_by_weights(gradient, sens):
                loss, grads = gradient.with_value(network, weights, inputs, sens)
            else:
                loss = network(*inputs)
                grads = gradient(network, weights)(*inputs, *(() if sens is None else (sens(loss),)))
            reducer = self.grad_reducer
            if reducer.__class__ is not Identity:
                grads = reducer(grads)
        self.optimizer(grads)
        if self.return_grad:
            return loss, dict(zip(self.weights_name, grads, strict=True))
        return loss

    def _sensitivity(self, loss):
        return wrap(torch.full_like(loss._t, float(self.sens)))


def _is_one_pass(network, inputs: tuple) -> bool:
    """Whether a loss and its gradients, asked for one after the other, are those of one differentiation."""
    return not (mode.differentiation is not None or mode.spreading is not None or mode.mesh is not None
                or distributed.joined() or is_transforming() or recording.are_two_graphs(inputs, {})
                # What updates weights itself, or is given some to write to, runs as often as it is called.
                or (network._trainer and network._updates()) or any(hasattr(x, "_rest") for x in inputs))


def _is_by_weights(gradient, sens) -> bool:
    """Whether ``gradient`` is as `TrainOneStepCell` made it; programs may put something else in its place."""
    return (gradient.__class__ is GradOperation and gradient.get_by_list and not gradient.get_all
            and gradient.sens_param is (sens is not None))


class _VirtualDatasetCell(Cell):
    """Marks a network's inputs as sharded data for automatic parallelism; data parallel here."""

    def __init__(self, backbone) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._get_attr_from_cell(backbone)

    def construct(self, *inputs):
        return self._backbone(*inputs)


class VirtualDatasetCellTriple(_VirtualDatasetCell):
    """``_VirtualDatasetCell`` for three inputs."""

    def construct(self, a, b, c):
        return self._backbone(a, b, c)


class ParameterUpdate(Cell):
    """Writes its input into a Parameter (``mindspore.nn.ParameterUpdate``); TypeError for anything but a
    Parameter."""

    _never_recorded = True

    def __init__(self, param) -> None:
        super().__init__(auto_prefix=False)
        from ms2torch.common.parameter import Parameter

        if not isinstance(param, Parameter):
            raise TypeError(f"For 'ParameterUpdate', 'param' must be 'Parameter', but got {type(param)}.")
        self._param = param

    def construct(self, x):
        from ms2torch.ops.function.parameter_func import assign

        assign(self._param, x if isinstance(x, (int, float)) else wrap(x._t))
        return x


def _check_parts(name: str, argument: str, count) -> None:
    if not isinstance(count, int):
        raise TypeError(f"For '{name}', the argument '{argument}' must be integer, but got the type : "
                        f"{type(count)}.")
    if count <= 0:
        raise ValueError(f"For '{name}', the argument '{argument}' must be large than 0, but got {count}.")


class _MicroBatch(Cell):
    """Cuts part ``i`` of ``micro_size`` out of each input."""

    def __init__(self, micro_size: int) -> None:
        super().__init__()
        self.micro_size = micro_size

    def construct(self, i, *inputs):
        return tuple([_part(x, i, self.micro_size) for x in inputs])


def _micro_batches(count: int) -> CellList:
    return CellList([_MicroBatch(count) for _ in range(count)])


def _sum_of_losses(network, parts, inputs, total=None):
    """What a network gives for each part of a batch, added up (to ``total``)."""
    for i, part in enumerate(parts):
        loss = network(*part(i, *inputs))
        total = loss if total is None else total + loss
    return total


class MicroBatchInterleaved(Cell):
    """Splits the batch into ``interleave_num`` parts and adds up their losses."""

    def __init__(self, network, interleave_num: int = 2) -> None:
        super().__init__(auto_prefix=False)
        _check_parts("MicroBatchInterleaved", "interleave_num", interleave_num)
        self.network = network
        self.interleave_num = interleave_num
        self.interleave_inputs = _micro_batches(interleave_num)

    def construct(self, *inputs):
        # (Bools and integers become floats so, as they do there.)
        return _sum_of_losses(self.network, self.interleave_inputs, inputs, 0.0)


class _InMicroBatches(Cell):
    """Splits the batch into ``micro_size`` parts and adds up their losses, so the gradients accumulate."""

    def __init__(self, network, micro_size: int, name: str) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(network, Cell):
            raise TypeError(f"For '{name}', the argument 'network' must cell type, but got the type : "
                            f"{type(network)}.")
        _check_parts(name, "micro_size", micro_size)
        self.network = network
        self.micro_size = micro_size
        self.micro_inputs = _micro_batches(micro_size)
        self._get_attr_from_cell(network)

    def construct(self, *inputs):
        return _sum_of_losses(self.network, self.micro_inputs, inputs)


class GradAccumulationCell(_InMicroBatches):
    """Splits the batch into ``micro_size`` parts and adds up their losses, so the gradients accumulate."""

    def __init__(self, network, micro_size: int) -> None:
        super().__init__(network, micro_size, "GradAccumulationCell")


class _Pipeline(_InMicroBatches):
    """A network whose parts of a batch go through the stages of a pipeline."""

    def __init__(self, network, micro_size: int, stage_config=None, segment_config=None) -> None:
        super().__init__(network, micro_size, "PipelineCell")
        self._steps = {}
        for what, config in (("stage", stage_config), ("segment", segment_config)):
            left = dict(config or {})
            for name, cell in network.cells_and_names():
                for key in (name, str(network)) if cell is network else (name,):
                    if key in left:
                        setattr(cell, f"pipeline_{what}", left.pop(key))
            if left:
                raise KeyError(f"For 'PipelineCell', the argument '{what}_config' : {left} is not found in "
                               f"'network' : {network}")

    def shard(self, in_strategy, out_strategy=None, parameter_plan=None, device="Ascend", level=0):
        raise ValueError("For 'PipelineCell', no 'shard' on 'PipelineCell' is allowed.")

    def construct(self, *inputs):
        if distributed.staged() and mode.differentiation is not None and mode.way is None:
            return self._through_stages([part(i, *inputs) for i, part in enumerate(self.micro_inputs)])
        return super().construct(*inputs)

    def _through_stages(self, batches):
        from ms2torch._core.processes import pipeline

        if self.micro_size < distributed.stages:
            raise ValueError("The size of micro_batch must be greater than or equal to stage_num. But got "
                             f"the size of micro_batch is {self.micro_size} and the stage_num is "
                             f"{distributed.stages}.")
        kind = pipeline.kind_of(batches[0]), self.network.training, distributed.stages, distributed.schedule
        steps = self._steps.get(kind)
        if steps is None:
            steps = self._steps[kind] = pipeline.prepare(self.network, batches)
            if mode.mesh is None and len(self._steps) == 1:
                from ms2torch.parallel._strategies import write_file

                write_file(steps.held(), (steps.at.width,))
        return pipeline.sum_of_losses(steps, batches)


class PipelineCell(_Pipeline):
    """Splits the batch into ``micro_size`` parts that go through the stages of a pipeline; gives the sum of
    their losses, on every process (``mindspore.nn.PipelineCell``).

    Stages are the ``pipeline_stage`` of Cells, which ``stage_config`` sets by their names. With
    ``set_auto_parallel_context(pipeline_stages=n)`` and several processes, each computes its stage: of all
    micro-batches in turns when the call is differentiated, of one after the other when it is not. KeyError
    for names that the network has not; ValueError for fewer micro-batches than stages, or stages without
    Cells.
    """


def _part(x, index: int, count: int):
    if not isinstance(x, Tensor):
        return x
    t = x._t
    local = t.to_local() if hasattr(t, "to_local") else t
    size = local.shape[0]
    if size % count:
        raise ValueError(f"For micro batch initialization, the 0th dimension shape of input({size}) must be "
                         f"divided by micro size({count})")
    part = local.narrow(0, index * (size // count), size // count)
    if local is not t:      # (of a batch that lies on several processes each gives its part)
        part = type(t).from_local(part, t.device_mesh, t.placements, run_check=False)
    return wrap(part)


class GetNextSingleOp(Cell):
    """Reads from a device queue; ms2torch iterates datasets on the host."""

    def __init__(self, dataset_types, dataset_shapes, queue_name) -> None:
        raise unsupported(
            "mindspore.nn.GetNextSingleOp",
            "there are no device data queues.",
            "iterate the dataset: for data in dataset.create_tuple_iterator().",
        )
