"""Tensor, Parameter, dtypes, initializers, seeds (``mindspore.common``)."""

from ms2torch._naming.surface import install_lazy

from . import _stub_tensor, dtype, initializer
from ._grad_function import _Function
from .api import (
    JitConfig,
    jit,
    jit_class,
    lazy_inline,
    ms_class,
    ms_function,
    ms_memory_recycle,
    no_inline,
)
from .dtype import *  # noqa: F403
from .generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .mutable import mutable
from .parameter import Parameter, ParameterTuple
from .recompute import recompute, register_saved_tensors_hooks, saved_tensors_hooks
from .seed import get_seed, set_seed
from .symbol import Symbol
from .tensor import Tensor, frombuffer, tensor

mstype = dtype
install_lazy(__name__, globals())
