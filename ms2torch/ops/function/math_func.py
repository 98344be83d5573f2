"""Mathematical operators (``mindspore.ops.function.math_func``), by their kind in the files beside this
one.
"""

from . import _control, _math_inplace, _math_similarity, _math_status  # noqa: F401
from ._math_binary import *  # noqa: F403
from ._math_comparing import *  # noqa: F403
from ._math_extreme import *  # noqa: F403
from ._math_many import *  # noqa: F403
from ._math_norms import *  # noqa: F403
from ._math_quotients import *  # noqa: F403
from ._math_reduce import *  # noqa: F403
from ._math_scan import *  # noqa: F403
from ._math_sums import *  # noqa: F403
from ._math_unary import *  # noqa: F403
from ._segments import *  # noqa: F403
from ._sequences import *  # noqa: F403
from .linalg_func import *  # noqa: F403


def linalg_norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """``mint.linalg.norm`` where MindSpore keeps it."""
    from ms2torch.mint.linalg import norm

    return norm(A, ord, dim, keepdim, dtype=dtype)
