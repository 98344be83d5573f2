"""numpy's names on Tensors (``mindspore.numpy``); Python ints become Int32, floats Float32."""

from ms2torch._core.checks.error_wrappers import wrap_module
from ms2torch._core.tensor.dtype import (
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ms2torch._core.tensor.dtype import float32 as float_
from ms2torch._core.tensor.dtype import int32 as int_
from ms2torch._core.tensor.dtype import uint32 as uint
from ms2torch._naming.surface import install_lazy

from ._along_axes import *  # noqa: F403
from ._grids import *  # noqa: F403
from ._histograms import *  # noqa: F403
from ._pad import *  # noqa: F403
from ._polynomials import *  # noqa: F403
from ._random import *  # noqa: F403
from ._sets import *  # noqa: F403
from .array_creations import *  # noqa: F403
from .array_ops import *  # noqa: F403
from .logic_ops import *  # noqa: F403
from .math_ops import *  # noqa: F403

wrap_module(globals(), "numpy")
install_lazy(__name__, globals())
