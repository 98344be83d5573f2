"""Private random operators with seeds of their own: evenly over an interval, normal within bounds, and
classes by the logarithm of their rank."""

from __future__ import annotations

import torch

from ms2torch._core.errors import final
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.random.candidates import RankStream
from ms2torch._core.random.philox_streams import PhiloxStream
from ms2torch._core.random.rejection import BoundedStream
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.ops.function._random_sampling import log_uniform_candidate_sampler

_FLOATS = (torch.float16, torch.float32, torch.float64)


class Uniform(Primitive):
    """Numbers from ``minval`` to ``maxval`` in a Tensor's shape and dtype, a stream for each instance.

    MindSpore: ``mindspore.ops.operations.random_ops.Uniform``; the numbers are those of its CPU kernel.
    """

    def __init__(self, minval=0.0, maxval=1.0, seed=0, offset=0) -> None:
        super().__init__("Uniform")
        for name, value, kind in (("minval", minval, float), ("maxval", maxval, float),
                                  ("seed", seed, int), ("offset", offset, int)):
            if not isinstance(value, kind):
                raise TypeError(f"For 'Uniform', the '{name}' must be {kind.__name__}, but got "
                                f"'{type(value).__name__}'")
            self.add_prim_attr(name, value)
        if minval < 0:
            raise ValueError("For 'Uniform', the 'minval' must be float and must >= 0, but got "
                             f"'{minval}' with type 'float'.")
        if minval > maxval:
            raise ValueError(f"For 'Uniform', the 'minval' should be <= maxval: {maxval}, but got {minval}.")
        self._low, self._width, self._stream = minval, maxval - minval, PhiloxStream(seed, offset)

    def __call__(self, x: Tensor) -> Tensor:
        if not isinstance(x, Tensor):
            kind = "Int64" if isinstance(x, int) else type(x).__name__
            raise TypeError("For Primitive[Uniform], the type of input argument[x] must be Tensor but got "
                            f"{kind}.")
        if x._t.dtype not in _FLOATS:
            raise TypeError("For primitive[Uniform], the input argument[x] must be a type of "
                            "{Tensor[Float16], Tensor[Float32], Tensor[Float64]}, but got "
                            f"Tensor[{x.dtype}].")
        return wrap((self._stream.fractions(x.shape) * self._width + self._low).to(x._t.dtype))


def _normal_within(shape, mean, stdevs, min, max, seed=0, seed2=0):
    """Normal numbers between ``min`` and ``max``; of many bounds each serves one row, as documented
    (MindSpore's CPU kernel has the first serve all, and breaks where ``min`` is infinite or ``max`` is below
    the mean). ``seed`` is the stream of the instance (see `_keep_stream`)."""
    size, name = tuple(shape.tolist()), "For primitive[ParameterizedTruncatedNormal], the"
    if len(size) < 2:
        raise final(ValueError(f"{name} size of argument[shape] must be greater than or equal to 2, but got "
                               f"{len(size)}."))
    if any(n <= 0 for n in size):
        raise final(ValueError(f"{name} attribute[shape] should be a vector with all positive item. but got "
                               f"[{', '.join(map(str, size))}, ]."))
    for name, value in (("mean", mean), ("stdevs", stdevs), ("min", min), ("max", max)):
        if value.numel() not in (1, size[0]):
            raise final(ValueError(f"For ParameterizedTruncatedNormal, {name} must be 0d, or {name}.shape = "
                                   f"({size[0]}, ), but got ({value.numel()}, )."))
    mean, stdevs, low, high = (t.reshape(-1) for t in (mean, stdevs, min, max))
    for wrong, told in ((stdevs <= 0, "stdevs value must be greater than 0"),
                        (low >= high, "max value must be greater than min value")):
        if bool(wrong.any()):
            raise final(RuntimeError(f"For ParameterizedTruncatedNormal, {told} in each batch."))
    return seed.within(size, mean, stdevs, low, high)


def _keep_stream(made: Primitive) -> None:
    made._fixed["seed"] = BoundedStream(made.seed, made.seed2)


_normal_within.check_attributes = _keep_stream


def _hits(true_classes, sampled_candidates, num_true=1):
    """Where drawn classes are true ones: the rows, the places among the drawn ones, and weights of -max."""
    rows, _, places = torch.nonzero(true_classes[..., None] == sampled_candidates, as_tuple=True)
    return rows.int(), places, torch.full(rows.shape, -torch.finfo(torch.float32).max, device=rows.device)


def _check(made: Primitive) -> None:
    """The errors of attributes that ``LogUniformCandidateSampler`` refuses."""
    name = "For 'LogUniformCandidateSampler', the"
    for what in ("num_true", "num_sampled", "unique", "range_max", "seed"):
        value = getattr(made, what)
        kind = bool if what == "unique" else int
        if type(value) is not kind:
            raise TypeError(f"{name} type of '{what}' should be '{kind.__name__}', but got type "
                            f"'{type(value).__name__}'.")
    for what, least in (("num_true", 1), ("num_sampled", 1), ("seed", 0)):
        if getattr(made, what) < least:
            raise ValueError(f"{name} argument '{what}' must >= {least}, but got {getattr(made, what)}.")
    if made.unique and made.range_max < made.num_sampled:
        raise ValueError(f"{name} 'range_max' should be >= num_sampled: {made.num_sampled}, but got "
                         f"{made.range_max}.")
    made._fixed["seed"] = RankStream(made.seed)


_candidates = log_uniform_candidate_sampler.kernel
_candidates.check_attributes = _check


ROWS = {
    "ComputeAccidentalHits": _hits,
    "LogUniformCandidateSampler": _candidates,
    "ParameterizedTruncatedNormal": _normal_within,
    "Uniform": Uniform,
}
