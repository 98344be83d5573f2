"""Mathematical operators (``mindspore.ops.function.math_func``), by their kind in the files beside this one."""

from ._math_binary import *  # noqa: F403
from ._math_unary import *  # noqa: F403
