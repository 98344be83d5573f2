"""``is`` in a graph, which knows values and not objects.

Numbers, texts, bools, types and None are one where kind and value are; what depends on an argument is nothing
else. Of other constants (lists, functions, Cells, Tensors, ...) a graph cannot tell.
"""

from __future__ import annotations

from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.tensor.dtype import Type
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.mutable import is_mutable
from ms2torch.common.parameter import Parameter

from .searching import holds_tensor
from .texts import constant

_UNTOLD = (float, list, tuple, dict, Tensor)


def identical(one, other, varies: bool, other_varies: bool) -> bool:
    """``one is other``; ``varies`` and ``other_varies`` tell which of them depends on an argument."""
    if other is None or isinstance(other, type):
        return one is other
    if isinstance(other, (bool, int, str, Type)):
        kind = next(kind for kind in (bool, int, str, Type) if isinstance(other, kind))
        return isinstance(one, kind) and isinstance(one, bool) is (kind is bool) and one == other
    if not callable(other) and not isinstance(other, _UNTOLD):
        return one is other         # an object of the program's
    varies = varies and (is_mutable(one) or isinstance(one, type) or holds_tensor(one))
    if varies or other_varies or one is None or isinstance(one, Parameter) or isinstance(other, Parameter):
        return False
    graphs = [callable(value) and not isinstance(value, (type, Primitive)) for value in (one, other)]
    primitives = [isinstance(value, Primitive) for value in (one, other)]
    if any(graphs) and not all(a or b for a, b in zip(graphs, primitives, strict=True)):
        return False
    shown = "DeadNode" if any(graphs) else f"S_Prim_{other.name}" if primitives[1] else _shown(other)
    raise RuntimeError(
        f"For syntax like 'a is b', b supports Int, Bool, String, None and Type, but got {shown}")


def different(one, other, varies: bool, other_varies: bool) -> bool:
    """``one is not other``."""
    return not identical(one, other, varies, other_varies)


def _shown(value) -> str:
    if isinstance(value, Tensor):
        return constant(value)
    return f"{value:g}" if isinstance(value, float) else repr(value)
