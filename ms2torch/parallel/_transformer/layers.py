"""Layers and checks that transformers are made of (``mindspore.parallel._transformer.layers``)."""

from __future__ import annotations

import inspect
from functools import wraps

import torch

from ms2torch import _checkparam as check
from ms2torch._core.errors import unsupported
from ms2torch._core.tensor import dtype as mstype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.initializer import initializer
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell
from ms2torch.nn.layer.activation import get_activation
from ms2torch.nn.layer.basic import Dropout

__all__ = ["FixedSparseAttention"]

_FLOATS = [mstype.float32, mstype.float16]


def _args_type_validator_check(*type_args, **type_kwargs):
    """A decorator that calls ``check(value, name)`` for each argument that is given and has a check."""

    def decorate(function):
        signature = inspect.signature(function)
        checks = signature.bind_partial(*type_args, **type_kwargs).arguments
        checks = checks.get("kwargs", checks)

        @wraps(function)
        def checked(*args, **kwargs):
            given = signature.bind(*args, **kwargs).arguments
            for name, value in given.get("kwargs", given).items():
                if name in checks:
                    checks[name](value, name)
            return function(*args, **kwargs)

        return checked

    return decorate


def _valid_type_checks(types, class_name):
    """A check that a value is of one of the classes ``types`` exactly; TypeError."""
    return lambda value, name: check.check_type_name(name, type(value), types, class_name)


def _valid_value_checks(types, class_name):
    """A check that a value is one of ``types``, for instance of dtypes; TypeError."""
    return lambda value, name: check.check_type_name(name, value, types, class_name)


def _check_input_dtype(input_dtype, param_name, allow_dtypes, cls_name) -> None:
    check.check_type_name(param_name, input_dtype, allow_dtypes, cls_name)


def _check_past_none_input_none(
    use_past, param_name, func_name, default_value, is_tensor, is_default
) -> bool:
    """TypeError for a Tensor without ``use_past``, or anything else with it."""
    if not use_past:
        if is_tensor:
            raise TypeError(
                f"{func_name} {param_name} must be {default_value}, if use_pat is False, but found a tensor"
            )
        if not is_default:
            raise TypeError(f"{func_name} {param_name} must be {default_value}, if use_pat is False.")
    elif not is_tensor:
        raise TypeError(f"{func_name} {param_name} must be tensor, if use_pat is True")
    return True


class _LayerInputCheck:
    """Checks of shapes; each gives True or raises ValueError."""

    @staticmethod
    def check_shape_length(input_shape, param_name, func_name, target_len) -> bool:
        """So many axes, or one of several numbers of axes."""
        target_len = target_len if isinstance(target_len, list) else [target_len]
        if len(input_shape) not in target_len:
            raise ValueError(
                f"{func_name} {param_name} shape length must be one of {target_len} dimension, "
                f"but got shape {input_shape}"
            )
        return True

    @staticmethod
    def check_shape_equal(input_shape, param_name, func_name, target_shape) -> bool:
        """This shape, or one of several."""
        allowed = target_shape if isinstance(target_shape[0], list) else [target_shape]
        shape = list(input_shape) if isinstance(input_shape, tuple) else input_shape
        _LayerInputCheck.check_shape_length(shape, param_name, func_name, [len(s) for s in allowed])
        if shape not in allowed:
            raise ValueError(f"{func_name} {param_name} shape must be one of {allowed},but got {shape}")
        return True

    @staticmethod
    def check_shape_value_on_axis(input_shape, dim, param_name, cls_name, target_value) -> bool:
        """This size along one axis."""
        if input_shape[dim] != target_value:
            raise ValueError(
                f"{cls_name} {param_name} at {dim} shape must be {target_value},but got {input_shape[dim]}"
            )
        return True

    @staticmethod
    def check_shape_equal_without_batch(input_shape, param_name, func_name, target_shape) -> bool:
        """(batch, length, hidden), or (batch * length, hidden)."""
        length, hidden = target_shape
        shape = list(input_shape) if isinstance(input_shape, tuple) else input_shape
        _LayerInputCheck.check_shape_length(shape, param_name, func_name, [2, 3])
        if shape[-1] != hidden:
            raise ValueError(
                f"For {func_name}, the last dimension of {param_name} shape must be {hidden},"
                f"but got the last dimension {shape[-1]} in {shape}."
            )
        if shape[0] == 0:
            raise ValueError(
                f"For {func_name}, the first dimension of {param_name} shape greater than 0,"
                f"but got the first dimension {shape[0]} in {shape}."
            )
        if len(shape) == 2 and shape[0] % length:
            raise ValueError(
                f"For {func_name}, the first dimension of {param_name} shape should be divisible by "
                f"{length}, but got the first dimension {shape[0]} in {shape}."
            )
        return True


class _Dropout(Cell):
    """Dropout by the probability of keeping; ``shard`` is accepted."""

    def __init__(self, keep_prob=0.5, dtype=mstype.float32) -> None:
        super().__init__()
        if keep_prob <= 0 or keep_prob > 1:
            raise ValueError(f"dropout probability should be a number in range (0, 1], but got {keep_prob}")
        check.check_value_type("keep_prob", keep_prob, [float], self.cls_name)
        self.keep_prob = keep_prob
        self.dropout = Dropout(p=1 - keep_prob)

    def construct(self, x):
        return self.dropout(x)

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}"

    def shard(self, strategy) -> None:
        """Weights and data are not split; accepted."""


class _LayerNorm(Cell):
    """Normalises the last dimension; parameters ``gamma`` and ``beta``.

    TypeError for another ``param_init_type`` than float32 and float16.
    """

    def __init__(self, normalized_shape, eps=1e-5, param_init_type=mstype.float32, is_self_defined=False):
        super().__init__()
        if param_init_type not in _FLOATS:
            raise TypeError(
                "The type of parameter 'param_init_type' should in [float32, float16], "
                f"but got the type : {type(param_init_type)}."
            )
        self.is_self_defined, self.eps = is_self_defined, eps
        self.gamma = Parameter(
            initializer("ones", normalized_shape, param_init_type), name="gamma", parallel_optimizer=False
        )
        self.beta = Parameter(
            initializer("zeros", normalized_shape, param_init_type), name="beta", parallel_optimizer=False
        )

    def construct(self, x):
        gamma, beta = self.gamma._t, self.beta._t
        t = x._t
        y = torch.nn.functional.layer_norm(t, gamma.shape, gamma.to(t.dtype), beta.to(t.dtype), self.eps)
        return wrap(y)

    def shard(self, strategy) -> _LayerNorm:
        """Weights and data are not split; accepted."""
        return self


class _Linear(Cell):
    """A dense layer that computes in ``compute_dtype`` and gives the input's dtype back.

    ``weight`` is (out_channels, in_channels), or the other way round with ``transpose_b=False``; ``bias`` is
    (out_channels,). ``activation`` is a name or a Cell class. TypeError and ValueError for bad arguments,
    NotImplementedError for several experts.
    """

    @_args_type_validator_check(
        in_channels=check.check_positive_int,
        out_channels=check.check_positive_int,
        has_bias=check.check_bool,
        transpose_b=check.check_bool,
        expert_num=check.check_positive_int,
        outer_batch=check.check_positive_int,
        param_init_type=_valid_value_checks(_FLOATS, "Linear"),
        compute_dtype=_valid_value_checks(_FLOATS, "Linear"),
    )
    def __init__(
        self,
        in_channels,
        out_channels,
        weight_init="normal",
        bias_init="zeros",
        has_bias=True,
        activation=None,
        transpose_b=True,
        expert_num=1,
        outer_batch=1,
        expert_group_size=None,
        param_init_type=mstype.float32,
        compute_dtype=mstype.float16,
    ):
        super().__init__()
        _check_experts(expert_num)
        if not (isinstance(activation, str) or activation is None or issubclass(activation, Cell)):
            raise TypeError(
                f"For Linear cell, the activation should str type or nn.Cell type, but got {activation}."
            )
        if isinstance(weight_init, Tensor) and weight_init.shape != (out_channels, in_channels):
            raise ValueError(
                "The shape of parameter 'weight_init' is error, please check shape of 'weight_init'."
            )
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        self.expert_num, self.outer_batch, self.expert_group_size = expert_num, outer_batch, expert_group_size
        self.transpose_b, self.expert_flag = transpose_b, False
        shape = [out_channels, in_channels] if transpose_b else [in_channels, out_channels]
        self.weight = Parameter(initializer(weight_init, shape, param_init_type), name="weight")
        self.bias = None
        if has_bias:
            if isinstance(bias_init, Tensor) and bias_init.shape != (out_channels,):
                raise ValueError(
                    "The shape of parameter 'bias_init' is error, please check shape of 'bias_init'."
                )
            self.bias = Parameter(initializer(bias_init, [out_channels], param_init_type), name="bias")
            self.bias.parallel_optimizer = False
        self.act_name = activation
        self.activation = get_activation(activation) if isinstance(activation, str) else activation
        if isinstance(self.activation, type):
            self.activation = self.activation()
        self.activation_flag = self.activation is not None
        self.dtype = compute_dtype

    def construct(self, x):
        t, kind = x._t, self.dtype.torch
        weight = self.weight._t.to(kind)
        y = t.reshape(-1, self.in_channels).to(kind) @ (weight.T if self.transpose_b else weight)
        if self.has_bias:
            y = y + self.bias._t.to(kind)
        if self.activation_flag:
            y = self.activation(wrap(y))._t
        return wrap(y.to(t.dtype).reshape(*t.shape[:-1], self.out_channels))

    def shard(self, strategy_matmul, strategy_bias=None, strategy_activation=None) -> _Linear:
        """Weights and data are not split; accepted."""
        return self


def _check_experts(expert_num: int) -> None:
    if expert_num > 1:
        raise unsupported(
            "mindspore.nn.transformer.MoEConfig(expert_num>1)",
            "experts are not supported.",
            "expert_num=1, or a mixture of experts written as Cells.",
        )


class FixedSparseAttention(Cell):
    """Sparse attention in blocks; NotImplementedError: it calls an operator of Ascend's."""

    def __init__(
        self,
        batch_size,
        num_heads,
        size_per_head,
        block_size,
        seq_length=1024,
        num_different_global_patterns=4,
        parallel_config=None,
    ):
        raise unsupported(
            "mindspore.nn.transformer.FixedSparseAttention",
            "its operator exists for Ascend only.",
            "MultiHeadAttention with the pattern as attention_mask.",
        )
