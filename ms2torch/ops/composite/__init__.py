"""Functions over functions (``mindspore.ops.composite``)."""

from ms2torch.ops.function.grad_func import grad, value_and_grad

from .base import (
    GradOperation,
    HyperMap,
    Map,
    MultitypeFuncGraph,
    add_flags,
    augassign_add,
    augassign_div,
    augassign_floordiv,
    augassign_mod,
    augassign_mul,
    augassign_sub,
    core,
    env_get,
    hyper_add,
    partial,
    tail,
)
from .mapping import vmap

__all__ = [
    "GradOperation", "HyperMap", "Map", "MultitypeFuncGraph", "add_flags", "augassign_add", "augassign_div",
    "augassign_floordiv", "augassign_mod", "augassign_mul", "augassign_sub", "batch_dot", "core",
    "count_nonzero", "cummin", "dot", "env_get", "gamma", "grad", "hyper_add", "laplace", "matmul", "mm",
    "multinomial", "normal", "ones_like", "partial", "poisson", "repeat_elements", "repeat_interleave",
    "sequence_mask", "tail", "tensor_dot", "uniform", "value_and_grad", "vecdot", "vmap", "zeros_like",
]


def _ones_like() -> HyperMap:
    """Ones for each Tensor and whole number in nested sequences, None for None."""
    from ms2torch import ops

    ones = MultitypeFuncGraph("ones_like")
    ones.register("Tensor")(ops.ones_like)
    ones.register("Number")(lambda number: ops.scalar_cast(1, ops.typeof(number)))
    ones.register("None")(lambda nothing: nothing)
    return HyperMap(ones)


def __getattr__(name: str):
    # C.clip_by_value, C.ones_like and their kind: the functional forms under MindSpore's older path.
    from ms2torch import ops

    if name == "matmul":                    # it refuses in words of its own
        from ms2torch._core.operators.lowering import lowered
        from ms2torch._core.operators.registry import OPS

        globals()[name] = form = lowered(OPS[name].kernel, "MatMul", public=("ops.composite.matmul",))
        return form
    if name == "ones_like":                 # it maps itself over what it is given
        globals()[name] = form = _ones_like()
        return form
    try:
        return ops.__dict__[name]
    except KeyError:
        raise AttributeError(f"module 'mindspore.ops.composite' has no attribute '{name}'") from None
