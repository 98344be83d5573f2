"""The functional forms (``mindspore.ops.functional``, imported as F by older programs)."""

from ms2torch._core.operators import registry as _registry
from ms2torch.ops.composite.base import GradOperation, HyperMap, Map, MultitypeFuncGraph, core, partial  # noqa: F401
from ms2torch.ops.composite.mapping import vmap  # noqa: F401
from ms2torch.ops.function.grad_func import get_grad, grad, jacfwd, jacrev, jvp, value_and_grad, vjp  # noqa: F401

globals().update({_name: _d.functional for _name, _d in _registry.OPS.items()})


class _Unknown(_registry.Primitive):
    """Whether a sequence's values, length or elements are unknown to the compiler: outside of a graph nothing
    is. In one ``_of_constants`` is what the language looks at."""

    def __init__(self, name: str, asked: str) -> None:
        super().__init__(name)
        self._of_constants = asked

    def __call__(self, sequence):
        return False


is_sequence_value_unknown = _Unknown("IsShapeUnKnown", "value")
is_sequence_shape_unknown = _Unknown("IsDimUnKnown", "length")
is_dynamic_sequence_element_unknown = _Unknown("IsElementUnknown", "element")
