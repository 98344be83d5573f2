"""Normalisation layers (``mindspore.nn.layer.normalization``)."""

from __future__ import annotations

import numbers
import operator

import numpy as np
import torch

from ms2torch import _checkparam as check
from ms2torch._core import mode
from ms2torch._core.checks.refusals import translate
from ms2torch._core.devices import device
from ms2torch._core.errors import asked, unsupported
from ms2torch._core.gradient import recording
from ms2torch._core.operators.attribute_forms import with_numbers
from ms2torch._core.operators.normalising import batch_norm
from ms2torch._core.tensor.dtype import float32
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.initializer import Initializer, initializer
from ms2torch.common.parameter import Parameter
from ms2torch.ops.function._nn_norm import HALVES, group_normalised, instance_normalised, layer_normalised

from ..cell import Cell
from ._errors import norm_error, not_tensor
from ._late import failed_when_called, refused_when_called
from ._parts import primitive
from ._synced import group_for, normalised

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d",
           "InstanceNorm3d", "LayerNorm", "LayerNormExt", "SyncBatchNorm"]


def _check_dimensions(count: int, wanted: int, cell: str) -> None:
    if count != wanted:
        raise ValueError(f"For '{cell}', the in_shape must have {wanted} dims, but got {count}.")


class _BatchNorm(Cell):
    """What the batch normalisations share.

    Parameters ``moving_mean``, ``moving_variance``, ``gamma``, ``beta``, in this order; the first two are
    named ``mean`` and ``variance`` as long as the layer is in no network. While training, moving statistics
    become momentum * old + (1 - momentum) * batch, with the unbiased variance; ``momentum`` is one less
    torch's.
    """

    _ranks: tuple[int, ...] = ()

    def __init__(self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones",
                 beta_init="zeros", moving_mean_init="zeros", moving_var_init="ones",
                 use_batch_statistics=None, data_format="NCHW", dtype=float32) -> None:
        super().__init__()
        name = self.cls_name
        check.check_value_type("num_features", num_features, [int], name)
        if num_features < 1:
            raise ValueError(f"For '{name}', the 'num_features' must be at least 1, but got {num_features}.")
        if momentum < 0 or momentum > 1:
            raise ValueError(f"For '{name}', the 'momentum' must be a number in range [0, 1], but got "
                             f"{momentum}.")
        self.format = check.check_string(data_format, ["NCHW", "NHWC"], "format", name)
        if data_format == "NHWC":
            raise unsupported(f"mindspore.nn.{name}(data_format='NHWC')", "MindSpore has it on GPU alone.",
                              "transpose the input to NCHW.")
        if use_batch_statistics is not None and not isinstance(use_batch_statistics, bool):
            raise ValueError(f"For '{name}', the 'use_batch_statistics' must be a boolean value or None, "
                             f"but got {use_batch_statistics}.")
        self.use_batch_statistics = use_batch_statistics
        self.num_features, self.eps = num_features, eps
        if not isinstance(eps, (float, np.floating)):
            failed_when_called(self, "BatchNorm", "input_x", ", scale=Tensor, bias=Tensor, mean=Tensor, "
                               "variance=Tensor", is_training=True, epsilon=eps, momentum=1.0 - momentum,
                               data_format=data_format)
        elif not 0 < eps <= 1:
            refused_when_called(self, ValueError, "For primitive[BatchNorm], the eps must be in (0,1], but "
                                                  f"got {eps:g}.\n")
        # Kept as the share of the new value, as MindSpore and torch do.
        self.momentum = 1.0 - momentum
        # MindSpore's operators are made here: `bn.eps = 1e-3` changes nothing from now on.
        self._made = (self.momentum, eps)
        self.beta_init, self.gamma_init = beta_init, gamma_init
        self.moving_mean_init, self.moving_var_init = moving_mean_init, moving_var_init
        for attribute, label, init, trains in (
                ("moving_mean", "mean", moving_mean_init, False), ("moving_variance", "variance",
                                                                   moving_var_init, False),
                ("gamma", "gamma", gamma_init, affine), ("beta", "beta", beta_init, affine)):
            setattr(self, attribute,
                    Parameter(initializer(init, num_features, dtype=dtype), name=label, requires_grad=trains))

    @property
    def _train_arguments(self) -> dict:
        momentum, eps = self._made
        return {"is_training": True, "epsilon": eps, "momentum": momentum}

    bn_train = primitive("BatchNorm", all="_train_arguments")
    bn_infer = primitive("BatchNorm", is_training=False)

    def _check_input_dim(self, shape, cls_name: str) -> None:
        raise NotImplementedError

    def construct(self, x):
        # Straight from the store: statistics and weights stay float32 under to_float(float16), as in
        # MindSpore.
        tied = self._params.tied
        mean, variance = tied("moving_mean"), tied("moving_variance")
        gamma, beta = tied("gamma"), tied("beta")
        training = self.use_batch_statistics
        if training is None:
            training = self.training
        try:
            t = x._t
            if t.ndim not in self._ranks:
                self._check_input_dim(t.shape, self.cls_name)
            if t.dtype is torch.bfloat16 and device.has_cpu_kernels():
                raise TypeError("For primitive[BatchNorm], the input argument[input_x] must be a type of "
                                "{Tensor[Float16], Tensor[Float32]}, but got Tensor[BFloat16].")
            if not training:
                y = batch_norm(t, gamma._t, beta._t, mean._t, variance._t, False, 0.0, self._made[1], True)
            else:
                moving = _moving((mean, variance))
                y = batch_norm(t, gamma._t, beta._t, *moving, True, *self._made, True)
                _moved((mean, variance), moving)
        except (RuntimeError, AttributeError) as err:
            raise norm_error(err, x, gamma) from None
        return wrap(y)

    def extend_repr(self) -> str:
        return (f"num_features={self.num_features}, eps={self.eps}, momentum={1.0 - self.momentum}, "
                f"gamma={self.gamma}, beta={self.beta}, moving_mean={self.moving_mean}, "
                f"moving_variance={self.moving_variance}")


def _moving(statistics) -> list[torch.Tensor]:
    """Tensors for a kernel to write the new moving statistics into: at rest the Parameters' own."""
    if mode.differentiation is None:
        recording.keep_apart(statistics)
        return [p._rest for p in statistics]
    return [p._t.detach().clone() for p in statistics]


def _moved(statistics, moving) -> None:
    """The kernel has written ``moving``."""
    if mode.differentiation is not None:
        for p, new in zip(statistics, moving, strict=True):
            # (The kernel's backward pass does not read the moving statistics.)
            mode.differentiation.rebind(p, new, owned=True)


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L) (``mindspore.nn.BatchNorm1d``).

    ``momentum`` weighs the old statistics (0.9; torch's 0.1 weighs the new). ``use_batch_statistics`` None
    follows ``set_train``. ValueError for another number of dimensions.
    """

    _ranks = (2, 3)

    def _check_input_dim(self, shape, cls_name: str) -> None:
        raise ValueError(f"For '{cls_name}', the must have 2 dims or 3 dims, but got {len(shape)}.")


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W) (``mindspore.nn.BatchNorm2d``); arguments as BatchNorm1d."""

    _ranks = (4,)

    def _check_input_dim(self, shape, cls_name: str) -> None:
        _check_dimensions(len(shape), 4, cls_name)


class BatchNorm3d(Cell):
    """Batch normalisation of (N, C, D, H, W) (``mindspore.nn.BatchNorm3d``); its parameters are those of
    ``bn2d``."""

    def __init__(self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones",
                 beta_init="zeros", moving_mean_init="zeros", moving_var_init="ones",
                 use_batch_statistics=None, dtype=float32) -> None:
        super().__init__()
        self.bn2d = BatchNorm2d(num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init,
                                moving_var_init, use_batch_statistics, "NCHW", dtype)

    def construct(self, x):
        shape = x.shape
        _check_dimensions(len(shape), 5, self.cls_name)
        flat = wrap(x._t.reshape(shape[0], shape[1], shape[2] * shape[3], shape[4]))
        return wrap(self.bn2d(flat)._t.reshape(shape))


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation over all devices (``mindspore.nn.SyncBatchNorm``); in one process the plain one.

    Takes (N, C) and (N, C, H, W). ``process_groups`` is a list of lists of ranks that normalise together,
    None for all, 0 for each alone. Gradients flow through the common statistics. TypeError and ValueError for
    ranks that do not exist or stand twice.
    """

    _ranks = (2, 4)

    def __init__(self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones",
                 beta_init="zeros", moving_mean_init="zeros", moving_var_init="ones",
                 use_batch_statistics=None, process_groups=None, dtype=float32) -> None:
        super().__init__(num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init,
                         moving_var_init, use_batch_statistics, dtype=dtype)
        self.process_groups = process_groups
        self._group = group_for(process_groups, self.cls_name)
        self.is_global = self._group is not None

    def construct(self, x):
        training = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        if self._group is None or not training:
            return super().construct(x)
        t, tied = x._t, self._params.tied
        if t.ndim not in self._ranks:
            self._check_input_dim(t.shape, self.cls_name)
        gamma, beta = tied("gamma"), tied("beta")
        statistics = tied("moving_mean"), tied("moving_variance")
        moving = _moving(statistics)
        y = normalised(t, gamma._t, beta._t, *moving, *self._made, self._group)
        _moved(statistics, moving)
        return wrap(y)

    def _check_input_dim(self, shape, cls_name: str) -> None:
        raise ValueError(f"For '{cls_name}', the must have 2 dims or 4 dims, but got {len(shape)}.")


class LayerNorm(Cell):
    """Layer normalisation (``mindspore.nn.LayerNorm``).

    Normalises the dimensions from ``begin_norm_axis`` on; ``gamma`` and ``beta`` have the shape
    ``normalized_shape``, which is that of the dimensions from ``begin_params_axis`` on. Unlike torch's, both
    axes are -1 by default, whatever ``normalized_shape``, and ``epsilon`` is 1e-7.
    """

    def __init__(self, normalized_shape, begin_norm_axis=-1, begin_params_axis=-1, gamma_init="ones",
                 beta_init="zeros", epsilon=1e-7, dtype=float32) -> None:
        super().__init__()
        if not isinstance(normalized_shape, (tuple, list)):
            raise TypeError(f"For '{self.cls_name}', the type of 'normalized_shape' must be tuple[int] or "
                            "list[int], "
                            f"but got {normalized_shape} and the type is {type(normalized_shape)}.")
        if not normalized_shape:
            raise ValueError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
                             f"least one element, but got normalized_shape = {normalized_shape}")
        self.normalized_shape = normalized_shape
        self.begin_norm_axis, self.begin_params_axis, self.epsilon = with_numbers("LayerNorm", {
            "begin_norm_axis": begin_norm_axis, "begin_params_axis": begin_params_axis,
            "epsilon": float(epsilon) if isinstance(epsilon, np.floating) else epsilon}).values()
        self._made = (self.begin_norm_axis, self.begin_params_axis, self.epsilon)
        self.gamma = Parameter(initializer(gamma_init, normalized_shape, dtype=dtype), name="gamma")
        self.beta = Parameter(initializer(beta_init, normalized_shape, dtype=dtype), name="beta")

    @property
    def _norm_arguments(self) -> dict:
        return dict(zip(("begin_norm_axis", "begin_params_axis", "epsilon"), self._made, strict=True))

    layer_norm = primitive("LayerNorm", all="_norm_arguments")

    def construct(self, input_x):
        gamma, beta = self.gamma, self.beta
        norm_axis, params_axis, epsilon = self._made
        try:
            t, g, b = input_x._t, gamma._t, beta._t
            if g.dtype is not t.dtype:
                g, b = g.to(t.dtype), b.to(t.dtype)
            if (norm_axis == -1 == params_axis and g.ndim == 1 and epsilon.__class__ is float
                    and t.dtype not in HALVES and t.numel()):
                return wrap(torch.layer_norm(t, g.shape, g, b, epsilon))
            return wrap(layer_normalised(t, g, b, norm_axis, params_axis, epsilon)[0])
        except (RuntimeError, AttributeError) as err:
            raise _layer_norm_error(err, input_x, gamma) from None

    def extend_repr(self) -> str:
        # MindSpore's own text has no equals sign after gamma.
        return (f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
                f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}")


def _layer_norm_error(err: Exception, x, gamma) -> Exception:
    if not isinstance(x, Tensor):
        return not_tensor(err, "LayerNorm", x)
    if getattr(err, "from_user", False):
        return err
    if x.shape[-len(gamma.shape):] != gamma.shape:
        shapes = [str(list(v.shape))[1:-1] for v in (x, gamma)]
        of_input, of_gamma = (f"[const vector]{{{one}}}" for one in shapes)
        wrong = ValueError("For 'LayerNorm', gamma or beta shape must match input shape, but got input "
                           f"shape: {of_input}, gamma shape: {of_gamma}, beta shape: {of_gamma}.")
        # (The table knows the other ranks better, and integers only of the right shape.)
        return asked(wrong) if x.ndim > 1 and x.size and not x.is_floating_point() else wrong
    return translate(err, "LayerNorm", (x._t,)) if err.__class__ is RuntimeError else err


class LayerNormExt(Cell):
    """Layer normalisation with torch's interface (``mindspore.nn.LayerNormExt``,
    ``mindspore.mint.nn.LayerNorm``)."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, dtype=None) -> None:
        super().__init__()
        if isinstance(normalized_shape, numbers.Integral):
            normalized_shape = (normalized_shape,)
        if not isinstance(normalized_shape, (tuple, list)):
            raise TypeError(f"For '{self.cls_name}', the type of 'normalized_shape' must be tuple[int] or "
                            "list[int], "
                            f"but got {normalized_shape} and the type is {type(normalized_shape)}.")
        if not normalized_shape:
            raise ValueError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
                             f"least one element, but got normalized_shape = {normalized_shape}")
        self.normalized_shape = tuple(normalized_shape)
        if any(isinstance(n, bool) for n in normalized_shape):
            raise TypeError("an integer is required")
        shape = tuple(map(operator.index, normalized_shape))
        self.eps, self.elementwise_affine = eps, elementwise_affine
        dtype = float32 if dtype is None else dtype
        self.weight = self.bias = None
        if elementwise_affine:
            self.weight = Parameter(initializer("ones", shape, dtype), name="weight")
            if bias:
                self.bias = Parameter(initializer("zeros", shape, dtype), name="bias")

    def construct(self, input):
        weight, bias = self.weight, self.bias
        try:
            return wrap(torch.layer_norm(input._t, self.normalized_shape,
                                         None if weight is None else weight._t,
                                         None if bias is None else bias._t, self.eps))
        except (RuntimeError, AttributeError) as err:
            raise not_tensor(err, "LayerNormExt", input) from None

    def extend_repr(self) -> str:
        return (f"normalized_shape={self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.elementwise_affine}")


class _InstanceNorm(Cell):
    """Normalises every channel of every sample by its own statistics; gamma and beta train unless ``affine``
    is
    False. Moving statistics exist as parameters and are neither used nor updated."""

    _rank = 0

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, gamma_init="ones",
                 beta_init="zeros", dtype=float32) -> None:
        super().__init__()
        name = self.cls_name
        check.check_value_type("num_features", num_features, [int], name)
        check.check_value_type("eps", eps, [float], name)
        check.check_value_type("momentum", momentum, [float], name)
        check.check_value_type("affine", affine, [bool], name)
        for key, value in (("gamma_init", gamma_init), ("beta_init", beta_init)):
            if not isinstance(value, (Tensor, numbers.Number, str, Initializer)):
                raise TypeError(f"For '{name}', the type of '{key}' must be in [Tensor, numbers.Number, str, "
                                f"Initializer], but got type {type(value).__name__}.")
            if isinstance(value, Tensor) and value.dtype is not float32:
                raise TypeError(f"For '{name}', the type of '{key}' must be float32, but got {value.dtype}.")
        if num_features < 1:
            raise ValueError(f"For '{name}', the 'num_features' must be at least 1, but got {num_features}.")
        if not 0 < eps <= 1:
            refused_when_called(self, ValueError, "For 'InstanceNorm', the 'epsilon' must be in range of (0, "
                                                  f"1], but got {eps} with type 'float'.")
        if momentum < 0 or momentum > 1:
            raise ValueError(f"For '{name}', the 'momentum' must be a number in range [0, 1], but got "
                             f"{momentum}.")
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.moving_mean = Parameter(initializer("zeros", num_features, dtype), name="mean",
                                     requires_grad=False)
        self.moving_variance = Parameter(initializer("ones", num_features, dtype), name="variance",
                                         requires_grad=False)
        self.gamma = Parameter(initializer(gamma_init, num_features, dtype), name="gamma",
                               requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, num_features, dtype), name="beta", requires_grad=affine)

    def construct(self, x):
        _check_dimensions(x.ndim, self._rank, self.cls_name)
        gamma, beta = self.gamma, self.beta
        try:
            return wrap(instance_normalised(x._t, gamma._t, beta._t, self.eps))
        except (RuntimeError, AttributeError) as err:
            raise norm_error(err, x, gamma) from None

    def extend_repr(self) -> str:
        return (f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
                f"gamma={self.gamma}, "
                f"beta={self.beta}, moving_mean={self.moving_mean}, moving_variance={self.moving_variance}")


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of (N, C, L) (``mindspore.nn.InstanceNorm1d``); ``affine`` is True by default.
    """

    _rank = 3


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of (N, C, H, W) (``mindspore.nn.InstanceNorm2d``); ``affine`` is True by
    default."""

    _rank = 4


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of (N, C, D, H, W) (``mindspore.nn.InstanceNorm3d``); ``affine`` is True by
    default."""

    _rank = 5


class GroupNorm(Cell):
    """Group normalisation of (N, C, ...) (``mindspore.nn.GroupNorm``): ``num_groups`` groups of channels.

    ValueError where the channels do not divide, or the input has other channels than ``num_channels``.
    """

    def __init__(self, num_groups, num_channels, eps=1e-05, affine=True, gamma_init="ones", beta_init="zeros",
                 dtype=float32) -> None:
        super().__init__()
        name = self.cls_name
        self.num_groups = check.check_positive_int(num_groups, "num_groups", name)
        self.num_channels = check.check_positive_int(num_channels, "num_channels", name)
        if num_channels % num_groups != 0:
            raise ValueError(f"For '{name}', the 'num_channels' must be divided by 'num_groups', but got "
                             f"'num_channels': {num_channels}, 'num_groups': {num_groups}.")
        self.eps = check.check_value_type("eps", eps, (float,), name)
        self.affine = check.check_bool(affine, "affine", name)
        self.gamma = Parameter(initializer(gamma_init, num_channels, dtype), name="gamma",
                               requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, num_channels, dtype), name="beta", requires_grad=affine)

    def construct(self, x):
        gamma, beta = self.gamma, self.beta
        t = x._t
        return wrap(group_normalised(t, self.num_groups, gamma._t.to(t.dtype), beta._t.to(t.dtype), self.eps))

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"
