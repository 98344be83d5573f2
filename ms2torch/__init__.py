"""ms2torch runs MindSpore programs on PyTorch: ``mindspore.a.b.c`` is ``ms2torch.a.b.c``.

What MindSpore has at its top level is here; ``install`` makes ``import mindspore`` mean this package and
``to_torch`` hands a Cell to torch's own tools.
"""

from ms2torch import _early as _early  # first: it takes Ctrl-C
from ms2torch._naming.loading import without_collections as _without_collections
from ms2torch._naming.surface import install_lazy as _install_lazy
from ms2torch._version import __version__ as _ms2torch_version

with _without_collections():
    from . import common, context, nn, ops
from .common import *  # noqa: F403
from .common.api import (
    JitConfig,
    _no_grad,
    jit,
    jit_class,
    lazy_inline,
    ms_class,
    ms_function,
    ms_memory_recycle,
    no_inline,
    set_recursion_limit,
)
from .common.dtype import *  # noqa: F403
from .common.generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .common.mutable import mutable
from .common.parameter import Parameter, ParameterTuple
from .common.recompute import recompute, register_saved_tensors_hooks, saved_tensors_hooks
from .common.seed import get_seed, set_seed
from .common.symbol import Symbol
from .common.tensor import Tensor, frombuffer, tensor
from .context import (
    COMPATIBLE,
    GRAPH_MODE,
    LAX,
    PYNATIVE_MODE,
    STRICT,
    ParallelMode,
    get_auto_parallel_context,
    get_context,
    reset_auto_parallel_context,
    set_auto_parallel_context,
    set_context,
    set_device,
)
from .migrate.to_torch import to_torch
from .ops.composite.mapping import vmap
from .ops.function._tensor_memory import from_numpy
from .ops.function.grad_func import get_grad, grad, jacfwd, jacrev, jvp, value_and_grad, vjp
from .ops.primitive import constexpr
from .shim import install, load_ipython_extension, uninstall, unload_ipython_extension

from .common import dtype  # isort: skip

_install_lazy(__name__, globals())
