"""Operators of neural networks (``mindspore.ops.function.nn_func``), by kind in the files beside."""

from . import (  # noqa: F401
    _fractional_pool,
    _image_colours,
    _image_regions,
    _image_scaling,
    _nn_dropout_mask,
    _nn_recurrent,
    _old_names,
)
from ._attention_pieces import (  # noqa: F401
    _check_attn_mask_shape,
    _check_kpm_shape,
    _check_qkv_shape,
    _in_projection,
    _in_projection_packed,
    _inner_dropout,
    _inner_pad,
    linear,
    multi_head_attention_forward,
)
from ._deformable import *  # noqa: F403
from ._flash_attention import *  # noqa: F403
from ._infer_attention import *  # noqa: F403
from ._nn_activation import *  # noqa: F403
from ._nn_adaptive_pool import *  # noqa: F403
from ._nn_attention import *  # noqa: F403
from ._nn_conv import *  # noqa: F403
from ._nn_cross_entropy import *  # noqa: F403
from ._nn_ctc import *  # noqa: F403
from ._nn_dropout import *  # noqa: F403
from ._nn_embedding import *  # noqa: F403
from ._nn_gru import *  # noqa: F403
from ._nn_image import *  # noqa: F403
from ._nn_interpolate import *  # noqa: F403
from ._nn_large_models import *  # noqa: F403
from ._nn_loss import *  # noqa: F403
from ._nn_lstm import *  # noqa: F403
from ._nn_norm import *  # noqa: F403
from ._nn_pool import *  # noqa: F403
from ._sparse_attention import *  # noqa: F403


def interpolate_ext(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                    recompute_scale_factor=None):
    """``mint.nn.functional.interpolate`` where MindSpore keeps it."""
    from ms2torch.mint.nn.functional import interpolate

    return interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


# What packages take for their own interpolation.


def _interploate_ext_make_tuple(input, value):
    """``value``, for each axis of pixels where it is one number."""
    return value if isinstance(value, (tuple, list)) else (value,) * (input.ndim - 2)


def _interpolate_ext_scale_factor_convert_size(input, scale_factor):
    """The sizes that axes of pixels have, scaled and rounded down."""
    return tuple(int(n * scale) for n, scale in zip(input.shape[2:], scale_factor, strict=False))
