"""THOR, gradient descent by the natural gradient (``mindspore.nn.optim.thor``).

A layer keeps the covariance A of its inputs and G of its outputs' gradients (``nn.layer.thor_layer``); its
weight's gradient g becomes ``inverse(G) @ g @ inverse(A)``, of blocks of 128 on the diagonals, and goes into
a step of momentum.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from ms2torch import _checkparam as validator
from ms2torch import context
from ms2torch._core.errors import unsupported
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.initializer import initializer
from ms2torch.common.parameter import Parameter, ParameterTuple
from ms2torch.nn.layer.normalization import LayerNorm as _LayerNorm
from ms2torch.nn.layer.thor_layer import Conv2dThor, DenseThor, EmbeddingLookupThor, EmbeddingThor
from ms2torch.ops.function.parameter_func import assign, assign_add
from ms2torch.ops.operations import Gather

from ._mixed import refuse_cast
from ._sgd import sgd
from .optimizer import Optimizer

__all__ = ["ThorGpu", "thor"]

Other, Conv, FC, Embedding, LayerNorm, BatchNorm = -1, 1, 2, 3, 4, 5

# What programs set to clip otherwise: by each gradient's norm (1), by value (0), or all by one norm.
IS_ENABLE_GLOBAL_NORM = False
GRADIENT_CLIP_TYPE = 1
GRADIENT_CLIP_VALUE = 1.0


def thor(net, learning_rate, damping, momentum, weight_decay=0.0, loss_scale=1.0, batch_size=32,
         use_nesterov=False, decay_filter=lambda x: True, split_indices=None,
         enable_clip_grad=False, frequency=100):
    """The second-order optimizer of ``net`` (``mindspore.nn.thor``), whose Dense, Conv2d and Embedding
    layers become such that gather curvature.

    ``learning_rate`` and ``damping``: Tensors with a value for each step. The damping's root is added to
    the diagonals of A and G. ``decay_filter`` chooses the parameters that decay. ``batch_size`` and
    ``loss_scale`` undo what the loss divided and multiplied G by. Covariances are inverted anew in each
    step; under ``ConvertModelUtils.convert_to_thor_model`` in every ``frequency``-th. ``split_indices``
    says how MindSpore joins messages between devices, and means nothing here.

    This is MindSpore's form for GPUs, for any ``device_target``; as there, unless that is "GPU", the Dense
    layers compute in float16. RuntimeError beyond the end of ``learning_rate`` or ``damping``, and for a
    covariance that is not positive definite with its damping. TypeError and ValueError for bad arguments.
    """
    from ms2torch.train.train_thor.convert_utils import ConvertNetUtils

    ConvertNetUtils().convert_to_thor_net(net)
    return ThorGpu(net, learning_rate, damping, momentum, weight_decay, loss_scale, batch_size, use_nesterov,
                   decay_filter, split_indices, enable_clip_grad, frequency)


def _check_param(momentum, frequency, lr, cls_name) -> None:
    validator.check_value_type("momentum", momentum, [float], cls_name)
    if momentum < 0.0:
        raise ValueError("For 'thor', the argument 'momentum' must be at least 0.0, but got 'momentum' "
                         f"{momentum}.")
    validator.check_value_type("frequency", frequency, [int], cls_name)
    if frequency < 2:
        raise ValueError("For 'thor', the argument 'frequency' must be at least 2, but got 'frequency' "
                         f"{frequency}.")
    validator.check_value_type("learning rate", lr, [Tensor], cls_name)


def _blocks(width: int, split: int) -> tuple[int, int]:
    """How many blocks on the diagonal, and their size."""
    return (-(-width // split), split) if width > split else (1, width)


def caculate_matmul_shape(matrix_a_dim, matrix_g_dim, split_dim):
    """The shapes of the inverses of A and G in blocks of ``split_dim``."""
    (across, wide), (down, high) = _blocks(matrix_a_dim, split_dim), _blocks(matrix_g_dim, split_dim)
    return (down, across, wide, wide), (down, high, high)


def clip_gradient(enable_clip_grad, gradients):
    """``gradients``, clipped where ``enable_clip_grad`` says so, by the rules at this module's head."""
    if not enable_clip_grad:
        return gradients
    from ms2torch.ops import clip_by_global_norm, clip_by_norm, clip_by_value

    limit = GRADIENT_CLIP_VALUE
    if IS_ENABLE_GLOBAL_NORM:
        return clip_by_global_norm(gradients, limit, None)
    if GRADIENT_CLIP_TYPE not in (0, 1):
        return gradients
    return tuple(clip_by_value(g, -limit, limit) if GRADIENT_CLIP_TYPE == 0 else clip_by_norm(g, limit)
                 for g in gradients)


class ThorGpu(Optimizer):
    """What ``nn.thor`` gives: a step of momentum by natural gradients.

    In its state: ``momentum``, ``moments.*``, ``cov_step``, and each layer's inverses ``matrix_a_inv_*`` and
    ``matrix_g_inv_*``, which steps use that come while ``thor`` is False.
    """

    _written = "the argument[variable]'s data type of primitive[ApplyMomentum]"
    _for_mixed = refuse_cast("the argument[accumulation]'s data type of primitive[ApplyMomentum]")
    _operator, _hyper_map = "ApplyMomentum", True
    _unlike = ("For primitive[{operator}], the gradient_shape must be equal to variable_shape which is "
               "{var_vector} , but got {grad_vector}.")

    def __init__(self, net, learning_rate, damping, momentum, weight_decay=0.0, loss_scale=1.0, batch_size=32,
                 use_nesterov=False, decay_filter=lambda x: True, split_indices=None,
                 enable_clip_grad=False, frequency=100) -> None:
        super().__init__(learning_rate, filter(lambda p: p.requires_grad, net.get_parameters()), weight_decay,
                         loss_scale)
        if self._sharing:
            raise unsupported("mindspore.nn.thor with enable_parallel_optimizer=True",
                              "its natural gradients need whole parameters.",
                              "train with enable_parallel_optimizer=False.")
        _check_param(momentum, frequency, learning_rate, self.cls_name)
        self.momentum = Parameter(Tensor(momentum, _dtype.float32), name="momentum")
        self.params = self.parameters
        self.use_nesterov = validator.check_bool(use_nesterov)
        self.moments = self.params.clone(prefix="moments", init="zeros")
        self.net = net
        for name, part in (("matrix_a_cov", "matrix_a"), ("matrix_g_cov", "matrix_g"),
                           ("a_normalizer", "a_normalizer"), ("g_normalizer", "g_normalizer")):
            found = [p for p in net.get_parameters() if part in p.name]
            setattr(self, name, ParameterTuple(found))
        self.batch_size = Tensor(batch_size, _dtype.float32)
        self.loss_scale = Tensor(1 / (loss_scale * loss_scale), _dtype.float32)
        self.batch_size_scale = Tensor(batch_size * batch_size, _dtype.float32)
        self.damping = damping
        self.gather, self.axis, self.split_dim = Gather(), 0, 128
        self.cov_step = Parameter(initializer(0, [1], _dtype.int32), name="cov_step", requires_grad=False)
        from ms2torch.ops.operations._thor_ops import CholeskyTrsm, UpdateThorGradient

        self.cholesky = CholeskyTrsm(split_dim=self.split_dim)
        self.embedding_cholesky = CholeskyTrsm()
        self.update_gradient = UpdateThorGradient(split_dim=self.split_dim)
        self.thor = True
        self._find_layers(net)
        self.weight_decay = weight_decay
        self.decay_flags = tuple(decay_filter(p) for p in self.params)
        self.enable_clip_grad = enable_clip_grad
        self.frequency = frequency
        self._join_devices(split_indices)

    def get_frequency(self) -> int:
        """Every how many steps a ``ModelThor`` inverts covariances anew."""
        return self.frequency

    def _join_devices(self, split_indices) -> None:
        self.parallel_mode = context.get_auto_parallel_context("parallel_mode")
        self.is_distributed = self.parallel_mode != "stand_alone"
        if self.is_distributed:
            from ms2torch.nn.wrap import DistributedGradReducer
            from ms2torch.parallel._utils import _get_device_num, _get_gradients_mean

            self.split_indices = split_indices or [len(self.matrix_a_cov) - 1]
            joined = self.matrix_a_cov, _get_gradients_mean(), _get_device_num()
            self.grad_reducer_a, self.grad_reducer_g = (DistributedGradReducer(*joined) for _ in range(2))

    def _find_layers(self, net) -> None:
        """Which layer each parameter is of, and room for the inverses of those with a covariance."""
        owners = {id(cell._params.tied(name)): (name, cell)
                  for _, cell in net.cells_and_names() for name in cell._params}
        kinds, layers, convolutions, shapes = [], [], [], []
        self.__dict__["_layers"] = {}
        for place, param in enumerate(self.params):
            name, cell = owners[id(param)]
            kind = Other if name == "bias" else _kind(cell)
            gathers = kind in (Conv, FC, Embedding)
            kinds.append(kind)
            layers.append(len(shapes) if gathers else -1)
            convolutions.append(kinds.count(Conv) - 1 if kind == Conv else -1)
            if gathers:
                self._layers[place] = cell
                rows, columns = param.shape[0], param.size // param.shape[0]
                shapes.append(((rows,), (columns, columns)) if kind == Embedding
                              else caculate_matmul_shape(columns, rows, self.split_dim))
        self.thor_layer_count, self.conv_layer_count = len(shapes), kinds.count(Conv)
        self.weight_fim_idx_map, self.weight_conv_idx_map = tuple(layers), tuple(convolutions)
        self.weight_layertype_idx_map = tuple(kinds)
        self.matrix_a_shape = tuple(a for a, _ in shapes)
        self.matrix_a, self.matrix_g = (
            ParameterTuple([Parameter(Tensor(np.zeros(shape[i], np.float32)), f"matrix_{letter}_inv_{number}",
                                      requires_grad=False) for number, shape in enumerate(shapes)])
            for i, letter in enumerate("ag"))

    # ---- a step -------------------------------------------------------------------------------------------

    def construct(self, gradients):
        raw = self._raw(gradients)
        if self.need_scale:
            raw = self._unscaled(raw)
        damping = self.gather(self.damping, self.cov_step, self.axis)._t.float()
        if self.thor:
            self._invert(damping.sqrt())
        raw = [self._natural(i, g, damping) for i, g in enumerate(raw)]
        assign_add(self.cov_step, wrap(torch.ones_like(self.cov_step._t)))
        if self.weight_decay > 0:
            raw = [g + self.weight_decay * p._t if decays else g
                   for g, p, decays in zip(raw, self.params, self.decay_flags, strict=True)]
        found = clip_gradient(self.enable_clip_grad, tuple(map(wrap, raw)))
        kernel = partial(sgd, self._host(self.momentum), 0.0, self.use_nesterov, False)
        return self._update(found, kernel, self.moments, prepare=False)

    def _unscaled(self, raw):
        # (`loss_scale` is another number here.)
        return list(torch._foreach_mul(raw, float(self.reciprocal_scale)))

    def _decay(self, bucket, step: int) -> float:
        return 0.0      # `construct` has decayed them

    def _invert(self, damping: torch.Tensor) -> None:
        """Write the inverses of every layer's covariances; ``damping``: its root, (1,)."""
        inverses = [self._inverses(cell, damping) for cell in self._layers.values()]
        kept = []
        for i, reducer in enumerate(("grad_reducer_a", "grad_reducer_g")):
            found = tuple(wrap(of[i]) for of in inverses)
            kept.append(getattr(self, reducer)(found) if self.is_distributed and found else found)
        if inverses and bool(torch.stack([m._t.isnan().any() for m in (*kept[0], *kept[1])]).any()):
            bad = [self.params[place].name for place, *of in zip(self._layers, *kept, strict=True)
                   if any(m._t.isnan().any() for m in of)]
            raise RuntimeError(
                f"For '{self.cls_name}', a covariance that was gathered for {', '.join(bad)} is not positive "
                "definite with its damping. Give larger values as 'damping', or a smaller loss scale where "
                "gradients overflow.")
        for slots, found in zip((self.matrix_a, self.matrix_g), kept, strict=True):
            for slot, matrix in zip(slots, found, strict=True):
                assign(slot, wrap(matrix._t.expand(slot.shape)))

    def _inverses(self, cell, root: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The inverses of one layer's damped A and G, in blocks."""
        scale = float(self.loss_scale) * float(self.batch_size_scale)
        if isinstance(cell, (EmbeddingThor, EmbeddingLookupThor)):
            a = 1.0 / (cell.matrix_a._t / float(self.batch_size) + root)
            return a, self._inverse(cell.matrix_g._t * scale, root, self.embedding_cholesky)
        if isinstance(cell, DenseThor):
            return (self._inverse(cell.matrix_a._t, root, self.cholesky)[None],
                    self._inverse(cell.matrix_g._t * scale, root, self.cholesky))
        places, share = cell.a_normalizer._t, cell.g_normalizer._t
        a = self._inverse(cell.matrix_a_cov._t, root / places.sqrt(), self.cholesky)
        g = self._inverse(cell.matrix_g_cov._t * scale, root / share.sqrt(), self.cholesky)
        return a[None] / places.sqrt(), g / places.sqrt()

    @staticmethod
    def _inverse(matrix: torch.Tensor, damping: torch.Tensor, cholesky) -> torch.Tensor:
        damped = matrix + damping * torch.eye(matrix.shape[0]).to(matrix)
        factor = cholesky(wrap(damped))._t
        return factor.mT @ factor

    def _natural(self, place: int, g: torch.Tensor, damping: torch.Tensor) -> torch.Tensor:
        """The gradient ``g`` of one parameter times the inverses of its layer's covariances."""
        kind = self.weight_layertype_idx_map[place]
        if g.is_meta:       # of a weight that another stage of a pipeline updates
            return g
        if kind == LayerNorm:
            return g / (g * g / float(self.batch_size) + damping.sqrt())
        if kind == Other:
            return g
        number = self.weight_fim_idx_map[place]
        a, gs = self.matrix_a[number]._t, self.matrix_g[number]._t
        if kind == Embedding:
            return a[:, None] * g @ gs
        return self.update_gradient(wrap(gs), wrap(g.flatten(1)), wrap(a))._t.reshape(g.shape)


def _kind(cell) -> int:
    for kind, classes in ((Conv, Conv2dThor), (FC, DenseThor), (LayerNorm, _LayerNorm),
                          (Embedding, (EmbeddingThor, EmbeddingLookupThor))):
        if isinstance(cell, classes):
            return kind
    return Other
