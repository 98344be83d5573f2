"""Operators (``mindspore.ops``).

Functional forms and Primitive classes come from the registry: what ``ops/function`` defines is here, in
``ops.functional``, ``ops.operations`` and wherever MindSpore has it, without being listed again.
"""

from ms2torch._core.checks.error_wrappers import wrap_module as _wrap_module
from ms2torch._core.operators import registry as _registry
from ms2torch._naming import generation as _generation

from . import _earlier_arguments, function
from .composite.base import (
    GradOperation,
    HyperMap,
    Map,
    MultitypeFuncGraph,
    augassign_add,
    augassign_div,
    augassign_floordiv,
    augassign_mod,
    augassign_mul,
    augassign_sub,
    core,
    hyper_add,
    partial,
)
from .composite.mapping import vmap
from .function._collective import ReduceOp
from .function.grad_func import get_grad, grad, jacfwd, jacrev, jvp, value_and_grad, vjp
from .inner import HookBackward, InsertGradientOf, stop_gradient, stop_gradient_
from .primitive import (
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    _primexpr,
    constexpr,
    prim_attr_register,
)
from .vm_impl_registry import get_vm_impl_fn, vm_impl_registry

globals().update({_name: _d.functional for _name, _d in _registry.OPS.items()})
_wrap_module(globals(), "ops")
globals().update(_registry.PRIMITIVES)
_earlier_arguments.take_names_of_classes()
_generation.follow(_earlier_arguments.follow_the_generation)
