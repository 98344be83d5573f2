"""Operators of MindSpore's private modules that have a CPU kernel and no public form."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.ops import PrimitiveWithInfer, prim_attr_register
from mindspore.ops.operations import _embedding_cache_ops, _grad_ops, math_ops, nn_ops, random_ops

from tests.reference.judge import case, data


def _regions():
    rois = np.array([[[0], [3.3], [5.1], [60.7], [70.2]], [[1], [-5], [2.5], [33.3], [44.4]]], np.float32)
    return Tensor(data((2, 8, 10, 12))), Tensor(rois)


@case
def test_pooling_of_position_sensitive_regions():
    x, rois = _regions()
    dy = Tensor(data((2, 2, 2, 2), seed=1))
    return (nn_ops.PSROIPooling(1 / 8, 2, 2)(x, rois),
            _grad_ops.PSROIPoolingGrad((10, 12), 1 / 8, 2, 2)(dy, rois))


@case(raises=True, each={"kind": ["scale", "group", "dim", "batch"]})
def test_pooling_of_regions_that_do_not_fit(kind):
    x, rois = _regions()
    made = {"scale": (1, 2, 2), "group": (1.0, 2.0, 2), "dim": (1.0, 2, 3), "batch": (1.0, 2, 2)}[kind]
    return nn_ops.PSROIPooling(*made)(x, rois[0] if kind == "batch" else rois)


@case(atol=1e-5, rtol=1e-5, reason="four products are added in another order")
def test_windows_read_at_offsets():
    x, offsets = Tensor(data((2, 2, 5, 4))), Tensor(data((2, 12, 4, 3), seed=1))
    settings = (1, 1, 1, 1), (0, 0, 0, 0), (2, 2)
    dy = Tensor(data((2, 2, 8, 6), seed=2))
    return nn_ops.DeformableOffsets(*settings)(x, offsets), _grad_ops.DeformableOffsetsGrad(*settings)(dy, x, offsets)


@case(raises=True, each={"settings": [{"deformable_groups": 3}, {"modulated": False}]})
def test_windows_that_cannot_be_read(settings):
    x, offsets = Tensor(data((2, 2, 5, 4))), Tensor(data((2, 12, 4, 3), seed=1))
    return nn_ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2), **settings)(x, offsets)


@case
def test_rows_of_caches():
    table = Parameter(Tensor(np.arange(20).reshape(5, 4), ms.float32), name="table")
    facts = []
    for indices, most in (([[-1, 3, 4]], 9999), ([0, 3, 2], 3)):
        rows = Tensor(np.full((3, 4), 100 + most), ms.float32)
        facts += [_embedding_cache_ops.UpdateCache()(table, Tensor(indices, ms.int32), rows, most), table.asnumpy().copy()]
    shift = _embedding_cache_ops.PadAndShift()
    found = [shift(Tensor([9, 13, 7, -1, -1, -1, -1, -1], ms.int32), Tensor(bounds, ms.int32), place)
             for bounds, place in (([0, 3, 5, 8], 2), ([0, 3, 5, 7], 0), ([0, 2, 5], 1))]
    return facts, found


@case
def test_means_of_sparse_segments():
    x = Tensor(np.arange(12).reshape(4, 3), ms.float64)
    return math_ops.SparseSegmentMean()(x, Tensor([0, 3, 1, 2], ms.int64), Tensor([0, 0, 2, 3], ms.int64))


@case(each={"dtype": [ms.float16, ms.float32, ms.float64], "offset": [0, 2]}, mode="BOTH")
def test_uniform_draws_of_a_seed(dtype, offset):
    draw = random_ops.Uniform(1.0, 3.0, seed=3, offset=offset)
    x = Tensor(np.zeros((3, 3)), dtype)
    return draw(x), draw(x), random_ops.Uniform(seed=2**40 + 5)(x)


@case(raises=True, each={"made": [{"minval": 1}, {"minval": 2.0}, {"minval": -1.0}, {"maxval": -1.0}]})
def test_uniform_with_wrong_bounds(made):
    return random_ops.Uniform(**made)


@case(raises=True, each={"x": [1, Tensor([1], ms.int32)]})
def test_uniform_of_what_is_no_tensor_of_floats(x):
    return random_ops.Uniform()(x)


@case
def test_normal_draws_stay_between_their_bounds():
    def of(*values, dtype=ms.float32):
        return Tensor(list(values), dtype)

    drawn = random_ops.ParameterizedTruncatedNormal(1)(Tensor([2, 300], ms.int32), of(10.0), of(2.0), of(9.0), of(12.0))
    rows = drawn.asnumpy()
    return drawn.dtype, drawn.shape, bool((rows >= 9).all() and (rows <= 12).all())


@case(raises=True, each={"kind": ["rows", "mixed", "deviation", "bounds", "rank", "integers"]})
def test_normal_draws_of_wrong_bounds(kind):
    def of(*values, dtype=ms.float32):
        return Tensor(list(values), dtype)

    mean, deviation, low, high, shape = of(0.0), of(1.0), of(-1.0), of(1.0), [2, 3]
    if kind == "rows":
        mean, shape = of(0.0, 1.0), [4, 2]
    elif kind == "mixed":
        deviation = of(1.0, dtype=ms.float64)
    elif kind == "deviation":
        deviation = of(0.0)
    elif kind == "bounds":
        low, high = high, low
    elif kind == "rank":
        shape = [3]
    else:
        mean, deviation, low, high = (t.astype(ms.int32) for t in (mean, deviation, low, high))
    return random_ops.ParameterizedTruncatedNormal()(Tensor(shape, ms.int64), mean, deviation, low, high)


@case
def test_classes_drawn_by_the_logarithm_of_their_rank():
    true = Tensor([[1, 7], [0, 4], [3, 3]], ms.int64)
    drawn, of_true, of_drawn = random_ops.LogUniformCandidateSampler(2, 5, False, 20)(true)
    kinds = [(str(t.dtype), t.shape) for t in (drawn, of_true, of_drawn)]
    alone = random_ops.LogUniformCandidateSampler(2, 5, True, 6)(true)[0].asnumpy()
    return kinds, of_true, len(set(alone.tolist())), bool((alone >= 0).all() and (alone < 6).all())


@case(raises=True, each={"made": [(2, 5, True, 4), (1, 5, True, 20), (0, 5), (2, 0), (2, 5, 1, 20), (2, 5, True, 20.0),
                                  (2, 5, True, 20, -1)]})
def test_classes_that_cannot_be_drawn(made):
    return random_ops.LogUniformCandidateSampler(*made)(Tensor([[1, 7], [0, 4]], ms.int64))


@case(mode="BOTH")
def test_classes_of_logits_for_a_seed():
    draw, facts = ops.RandomCategorical(ms.int64), []
    x = Tensor(np.zeros((2, 100000)), ms.float64)
    for count, seed in ((6, 5), (6, 5), (3, 5), (6, 7), (6, 5)):
        facts.append(draw(x, count, seed))
    half = Tensor(np.array([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]), ms.float16)
    return facts, ops.RandomCategorical(ms.int32)(half, 10, 5), ops.random_categorical(x, 4, 5), ops.random_categorical(half, 9, 3)


@case(mode="BOTH")
def test_places_of_a_mask_for_a_seed():
    mask = Tensor(np.array([1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1]).astype(np.bool_))
    draw = ops.RandomChoiceWithMask(10, 1, 2)
    ms.set_seed(4)
    return (draw(mask), draw(mask), draw(mask.reshape(4, 4)), draw(mask), ops.RandomChoiceWithMask(4, 5)(mask),
            ops.choice_with_mask(mask, 10, 1))


@case(raises=True)
def test_decoding_of_more_steps_than_there_are():
    return ops.ctc_greedy_decoder(Tensor(data((2, 2, 3))), Tensor([3, 3], ms.int32))[0].asnumpy()


@case(raises=True)
def test_columns_of_a_negative_size():
    return ops.fold(Tensor(data((16, 64, 4))), Tensor([6, -1], ms.int32), [2, 2], [2, 2], [2, 2], [2, 2])


@case(raises=True)
def test_real_numbers_of_half_a_spectrum_of_one():
    return math_ops.FFTWithSize(2, True, True)(Tensor(data((2, 1))).astype(ms.complex64)).asnumpy()


@case
def test_gathering_by_indices_of_each_turn():
    x, at = Tensor(data((2, 3, 4))), Tensor([[[0, 1], [2, 3]], [[1, 1], [0, 0]]], ms.int32)

    def read(x, at):
        return ops.GatherNd()(x, at)

    return ops.vmap(read, (0, 0))(x, at)


@case(raises="the 'input_indices' should be in the range")
def test_gathering_beyond_the_end_in_each_turn():
    def read(x, at):
        return ops.Gather()(x, at, 0)

    return ops.vmap(read, (0, 0))(Tensor(data((2, 2, 3))), Tensor([[0, 2], [2, 0]], ms.int32)).asnumpy()


class Shift(PrimitiveWithInfer):
    @prim_attr_register
    def __init__(self, periods=1, axis=-1):
        self.init_prim_io_names(inputs=["x", "fill_value"], outputs=["output"])

    def __infer__(self, x, fill_value):
        return {"shape": x["shape"], "dtype": x["dtype"], "value": None}


class QR(PrimitiveWithInfer):
    @prim_attr_register
    def __init__(self, mode="full"):
        super().__init__(name="QR")
        self.mode = mode
        self.init_prim_io_names(inputs=["x"], outputs=["q", "r"])

    def __infer__(self, x):
        m, n = x["shape"]
        k = min(m, n) if self.mode == "economic" else m
        return {"shape": ((m, k), (k, n)), "dtype": (x["dtype"], x["dtype"]), "value": None}


class Rolling(PrimitiveWithInfer):
    @prim_attr_register
    def __init__(self, window, min_periods, center, axis, closed, method):
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def __infer__(self, x):
        return {"shape": x["shape"], "dtype": x["dtype"], "value": None}


class Applied(nn.Cell):
    def __init__(self, operator, *more):
        super().__init__()
        self.operator, self.more = operator, more

    def construct(self, x):
        return self.operator(x, *self.more)


@case(mode="GRAPH", each={"periods": [0, 2, -3, 9]})
def test_shift_that_a_program_declares(periods):
    x = data((1, 4, 5, 1))
    return (Applied(Shift(periods, 1), 1.5)(Tensor(x)), Applied(Shift(periods, 2), float("nan"))(Tensor(x)),
            Applied(Shift(periods, 2), 7)(Tensor((x * 9).astype(np.int32))))


@case(mode="GRAPH", each={"mode": ["full", "economic", "r"]})
def test_factors_that_a_program_declares(mode):
    q, r = Applied(QR(mode))(Tensor(data((6, 4)), ms.float64))
    return q.shape, r.shape, np.round(np.abs(r.asnumpy()), 6)


@case(mode="GRAPH", each={"closed": ["left", "both", "right", "neither"], "method": ["max", "mean", "sum", "var", "std"]},
      rtol=1e-5, reason="sums in another order")
def test_windows_that_a_program_declares(closed, method):
    x = np.abs(data((7, 5)))        # the largest of negative numbers is 0 in MindSpore's kernel
    return [Applied(Rolling(5, 3, center, axis, closed, method))(Tensor(x))
            for center in (False, True) for axis in (0, -1)]


@case(mode="BOTH")
def test_operators_that_a_program_declares_by_a_known_name():
    x = Tensor(data((2, 3)))
    return ops.Primitive("Add")(x, x), ops.Primitive("Neg")(x)


@case
def test_gradient_of_relu6_at_its_ends():
    x, dy = Tensor(np.array([1, 0, 6, -2, 3, 8], np.float32)), Tensor(data(6))
    return _grad_ops.ReLU6Grad()(dy, x), _grad_ops.ReLU6Grad()(dy.astype(ms.float16), x.astype(ms.float16))


@case(raises=True, each={"made": [{"input_size": (100, -1)}, {"input_size": 1.5}, {"spatial_scale": -0.5}, {"group_size": 7.1},
                                  {"output_dim": 0}]})
def test_regions_with_wrong_attributes(made):
    return _grad_ops.PSROIPoolingGrad(**{"input_size": 100, "spatial_scale": 0.5, "group_size": 2, "output_dim": 2, **made})


@case
def test_operators_that_look_at_values_under_vmap():
    def grid(start, stop):
        return ops.LinSpace()(start, stop, 5)

    def unique(x):
        return ops.UniqueWithPad()(x, -1)

    def diagonal(x):
        return ops.matrix_diag_part(x, Tensor([-1, 0], ms.int32), Tensor(0.0))

    start = Tensor(data((2, 3)))
    return (ops.vmap(ops.vmap(grid, (0, 0)), (0, 0))(start, start + 4), ops.vmap(unique, 0)(Tensor([[1, 1, 2], [3, 3, 3]], ms.int32)),
            ops.vmap(diagonal, 1, 1)(Tensor(data((3, 2, 3)))))


@case
def test_step_of_adagrad_under_vmap_keeps_single_precision():
    step = ops.ApplyAdagradV2(1e-6)

    def run(var, accum, lr, grad):
        return step(var, accum, lr, grad)

    var, accum = (Parameter(np.abs(data((3, 3), seed=k)), name=f"p{k}") for k in (0, 1))
    return ops.vmap(run, (0, 0, 0, 0))(var, accum, Tensor([0.001, 0.1, 3], ms.float32), Tensor(data((3, 3), seed=2), ms.float16))
