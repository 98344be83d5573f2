"""The Primitive classes (``mindspore.ops.operations``)."""

from ms2torch._core import registry as _registry
from ms2torch.ops.function._old_names import identity  # noqa: F401
from ms2torch.ops.inner import HookBackward, InsertGradientOf  # noqa: F401
from ms2torch.ops.primitive import *  # noqa: F403

globals().update(_registry.PRIMITIVES)
