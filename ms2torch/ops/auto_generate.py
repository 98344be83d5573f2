"""What MindSpore generates (``mindspore.ops.auto_generate``) and has nowhere else."""

from ms2torch._core.operators import registry as _registry

from . import function as _function  # noqa: F401  (registers the definitions)

globals().update(_registry.PRIMITIVES)
broadcast_to_view, narrow_view = _registry.MINT["broadcast_to"], _registry.MINT["narrow"]
select_ext_view, transpose_ext_view = _registry.MINT["select"], _registry.MINT["transpose"]
