"""Gradient reduction over devices (``mindspore.nn.wrap.grad_reducer``)."""

from __future__ import annotations

from ms2torch._core import mode as _mode
from ms2torch._core.errors import notice
from ms2torch._core.gradient import passes
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import says
from ms2torch.nn.cell import Cell


def reducer_for(weights):
    """What a train cell needs to reduce: (parallel_mode, reducer_flag, mean, degree, grad_reducer)."""
    from ms2torch.nn.layer.basic import Identity
    from ms2torch.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode

    mode = _get_parallel_mode()
    if mode not in ("data_parallel", "hybrid_parallel"):
        return mode, False, False, 1, Identity()
    mean, degree = _get_gradients_mean(), _get_device_num()
    return mode, True, mean, degree, DistributedGradReducer(weights, mean, degree)


class DistributedGradReducer(Cell):
    """Sums gradients over devices, times 1/``degree`` where ``mean``
    (``mindspore.nn.DistributedGradReducer``).

    Called with the gradients of ``parameters``, it gives them reduced over the processes of ``group``, in
    flat buckets; half precision is summed in float32 and cast back. Parameters with ``layerwise_parallel``
    stay as they are. Without a ``mean`` it is that of ``set_auto_parallel_context(gradients_mean=...)``;
    without a ``degree`` it is the number of all processes, also where ``group`` has fewer.
    ``fusion_type``, the parameters' ``comm_fusion`` and ``all_reduce_fusion_config`` say where buckets end.
    In one process the sum over devices is the gradient itself. ValueError for a ``degree`` that is no
    positive int. Unlike MindSpore's it keeps float64 in float64.
    """

    _never_recorded = True

    def __init__(self, parameters, mean=None, degree=None, fusion_type=1, group=None) -> None:
        super().__init__(auto_prefix=False)
        from ms2torch.communication.management import get_group_size, group_of
        from ms2torch.parallel._utils import _get_gradients_mean

        if degree is None:
            degree = get_group_size()
        if not isinstance(degree, int) or isinstance(degree, bool) or degree <= 0:
            raise ValueError(
                "For 'DistributedGradReducer', the parameter 'degree' in DistributedGradReducer "
                f"must large than 0 and be int, but got {degree}."
            )
        self.degree = degree
        self.mean = _get_gradients_mean() if mean is None else mean
        self.fusion_type, self.group = fusion_type, group
        own = self.__dict__
        own["_over"] = list(parameters)
        own["_members"] = group_of(group)
        own["_cuts"] = _cuts(own["_over"], fusion_type)
        own["_overlap"] = None
        if own["_members"].size > 1:
            passes.before_training.append(self._begin)

    @property
    def _scale(self) -> float:
        return 1.0 / self.degree if self.mean else 1.0

    def construct(self, grads):
        raw = [g._t for g in ((grads,) if isinstance(grads, Tensor) else grads)]
        if self._members.size == 1 or passes.reduction is not None:
            # (Under automatic parallelism gradients arise reduced: what is summed is the same everywhere.)
            scale = self._scale * self._members.size
            return grads if scale == 1.0 else tuple([wrap(t * scale) for t in raw])
        if len(raw) != len(self._over):
            raise ValueError(f"For 'DistributedGradReducer', there are {len(self._over)} parameters, "
                             f"but got {len(raw)} gradients.")
        from ms2torch._core.processes import reducing

        summed = [i for i, p in enumerate(self._over) if not p.layerwise_parallel and p._share is None]
        cuts = [self._cuts[i] for i in summed]
        found = reducing.reduce([raw[i] for i in summed], self._members, self._scale, cuts)
        for i, t in zip(summed, found, strict=True):
            raw[i] = t
        shared = [i for i, p in enumerate(self._over) if p._share is not None]
        if shared:
            from ms2torch._core.processes import zero

            found = zero.reduce([raw[i] for i in shared], [self._over[i]._share for i in shared], self._scale)
            for i, t in zip(shared, found, strict=True):
                raw[i] = t
        reduced = tuple(map(wrap, raw))
        return reduced[0] if isinstance(grads, Tensor) else reduced

    # ---- before the first gradient -------------------------------------------------------------------------

    def _begin(self, cell) -> None:
        """All processes train the same parameters; take over those of rank 0 where that was asked for."""
        from ms2torch._core.processes import reducing
        from ms2torch.parallel._utils import _get_parameter_broadcast

        params = [p for p in self._over if not p.layerwise_parallel]
        differ = reducing.compare(params, self._members)
        if _get_parameter_broadcast():
            known = {id(p) for p in params}
            more = cell.parameters_broadcast_dict().values() if cell is not None else ()
            reducing.broadcast(params + [p for p in more if id(p) not in known], self._members)
        elif differ:
            notice("parameters differ", f"{len(differ)} of {len(params)} parameters have different values on "
                   f"the {self._members.size} processes, '{differ[0]}' first. set_auto_parallel_context("
                   "parameter_broadcast=True) starts all with those of rank 0; so does the same set_seed().")

    # ---- while the backward pass runs ----------------------------------------------------------------------

    def overlapping(self, weights):
        """What reduces the gradients of ``weights`` while they arise; None where only `construct` can.

        Half precision is summed in float32 before it is unscaled, and a Parameter's own hooks want to see its
        gradient before the sum: both go through `construct`.
        """
        if self._members.size == 1 or self._overlap is False or any(w._share is not None for w in weights):
            return None
        trained = [w for w in weights if w.requires_grad]
        overlap = self._overlap
        if overlap is None or list(map(id, overlap.weights)) != list(map(id, trained)):
            alone = [w for w in trained if w.layerwise_parallel]
            if len(alone) == len(trained) or any(
                    w._rest.element_size() < 4 or "_grad_hooks" in w.__dict__ for w in trained):
                return None
            from ms2torch._core.processes.ddp import Overlap

            overlap = self.__dict__["_overlap"] = Overlap(trained, self._members, alone)
        return overlap


def loss_and_gradients(cell, inputs: tuple, sens):
    """``(loss, reduced gradients)`` of a train cell's network, reduced while they arise; None where not.

    ``sens(loss)`` gives the sensitivity, None for ones.
    """
    reducer = cell.grad_reducer
    if type(reducer) is not DistributedGradReducer or _mode.differentiation is not None:
        return None
    overlap = reducer.overlapping(cell.weights)
    if overlap is None:
        return None
    try:
        loss, raw = overlap.step(cell.network, inputs, sens, reducer._scale)
    except RuntimeError as err:
        if not says(err, "overwritten"):
            raise
        # The network writes in place to what autograd saved: the engine's own gradients can do that.
        reducer.__dict__["_overlap"] = False
        return None
    found = dict(zip(map(id, overlap.weights), raw, strict=True))
    return loss, tuple([wrap(found[id(w)] if id(w) in found else w._rest.detach().new_zeros(w._rest.shape))
                        for w in cell.weights])


def _cuts(params: list, fusion_type: int) -> list:
    """Labels of the buckets that programs ask for: by ``comm_fusion``, else by the places that were set."""
    from ms2torch.parallel._auto_parallel_context import auto_parallel_context

    fusion = [p.comm_fusion for p in params]
    if len(set(fusion)) > 1:
        return fusion
    ends = auto_parallel_context().get_all_reduce_fusion_split_indices()
    if not ends or fusion_type != 1:
        return [0] * len(params)
    return [sum(end < i for end in ends) for i in range(len(params))]


class PipelineGradReducer(Cell):
    """Gradients of a pipeline's micro-batches, divided by ``scale_sense``
    (``mindspore.nn.PipelineGradReducer``).

    They arrive summed over the micro-batches (``nn.PipelineCell``), and over the processes of a stage.
    """

    _never_recorded = True

    def __init__(self, parameters, scale_sense=1.0, opt_shard=None) -> None:
        super().__init__(auto_prefix=False)
        from ms2torch.common.parameter import Parameter
        from ms2torch.nn.layer.basic import Identity
        from ms2torch.parallel._utils import _get_enable_parallel_optimizer

        self.scale_sense = Parameter(scale_sense, name="scale_sense")
        self.opt_shard = _get_enable_parallel_optimizer() if opt_shard is None else opt_shard
        self.grad_reducer = Identity()

    def construct(self, grads):
        scale = self.scale_sense._t
        return tuple([wrap(g._t * scale.reciprocal().to(g._t.dtype)) for g in grads])
