"""The Primitive classes (``mindspore.ops.operations``)."""

from ms2torch._core.operators import registry as _registry
from ms2torch.ops.function._old_names import identity
from ms2torch.ops.inner import HookBackward, InsertGradientOf
from ms2torch.ops.primitive import *  # noqa: F403

globals().update(_registry.PRIMITIVES)
