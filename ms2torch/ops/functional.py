"""The functional forms (``mindspore.ops.functional``, imported as F by older programs)."""

from ms2torch._core.operators import registry as _registry
from ms2torch.ops.composite.base import GradOperation, HyperMap, Map, MultitypeFuncGraph, core, partial  # noqa: F401
from ms2torch.ops.composite.mapping import vmap  # noqa: F401
from ms2torch.ops.function.grad_func import get_grad, grad, jacfwd, jacrev, jvp, value_and_grad, vjp  # noqa: F401

globals().update({_name: _d.functional for _name, _d in _registry.OPS.items()})


class _Unknown(_registry.Primitive):
    """Whether a sequence's values, length or elements are unknown to the compiler: nothing is here."""

    def __call__(self, sequence):
        return False


is_sequence_value_unknown = _Unknown("IsShapeUnKnown")
is_sequence_shape_unknown = _Unknown("IsDimUnKnown")
is_dynamic_sequence_element_unknown = _Unknown("IsElementUnknown")
