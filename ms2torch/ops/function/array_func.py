"""Operators on the form and the content of tensors (``mindspore.ops.function.array_func``)."""

from . import (  # noqa: F401
    _array_bands,
    _array_inplace,
    _array_memory,
    _array_methods,
    _boxes,
    _tensor_base,
    _tensor_memory,
    _tensor_values,
)
from ._array_create import *  # noqa: F403
from ._array_index import *  # noqa: F403
from ._array_info import *  # noqa: F403
from ._array_join import *  # noqa: F403
from ._array_order import *  # noqa: F403
from ._array_pad import *  # noqa: F403
from ._array_reversal import *  # noqa: F403
from ._array_scatter import *  # noqa: F403
from ._array_shape import *  # noqa: F403
from ._array_slices import *  # noqa: F403
from ._math_extreme import _arg_max_with_value, _arg_min_with_value
from ._sparse_dense import *  # noqa: F403

arg_max_with_value_, arg_min_with_value_ = _arg_max_with_value(), _arg_min_with_value()
