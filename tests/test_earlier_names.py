"""Names that MindSpore has dropped. What 1.0.0 (in graph mode) and 2.0.0 gave on a CPU was asked of them; the
rest is arithmetic."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Parameter, Tensor, nn, ops
from ms2torch._core import protobuf
from ms2torch._naming import generation
from ms2torch.ops import functional as F

rng = np.random.default_rng(5)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


@pytest.fixture
def api():
    yield generation.set_api
    generation.set_api(None)


# Of 1, 1.5, True, (1, 2) and "a": MindSpore 1.0.0.
INSTANCES = {"int_": "10000", "int32": "10000", "int64": "00000", "float_": "01000", "float32": "01000",
             "float64": "00000", "bool_": "00100", "number": "11100", "tuple_": "00010", "list_": "00000",
             "string": "00001", "tensor_type": "00000"}


@pytest.mark.parametrize("kind", INSTANCES)
def test_kinds_of_values(kind, api):
    api("1.0")
    dtype = getattr(ms.common.dtype, kind)
    found = "".join(str(int(F.isinstance_(value, dtype))) for value in (1, 1.5, True, (1, 2), "a"))
    assert found == INSTANCES[kind]
    assert F.isinstance_(Tensor([1]), ms.common.dtype.tensor_type)


def test_ints_are_of_64_bits_since_1_1(api):
    api("1.1")
    assert [F.isinstance_(1, kind) for kind in (ms.int32, ms.int64, ms.int_)] == [False, True, True]
    with pytest.raises(TypeError):
        ops.IsInstance()(1, 2)


def test_kinds_of_dtypes():
    assert ms.issubclass_(ms.int8, ms.int_) and not ms.issubclass_(ms.int8, ms.float_)
    assert F.issubclass_(ms.float16, ms.number) and ops.IsSubClass()(ms.int32, ms.int_)
    with pytest.raises(TypeError):
        ops.IsSubClass()(3, ms.int32)


def test_alike():
    x = Tensor([[1.0, 2.0]])
    assert ops.same_type_shape(x, Tensor([[0.0, 0.0]])) is x
    with pytest.raises(TypeError, match="dtype"):
        ops.SameTypeShape()(x, Tensor([[1, 2]]))
    with pytest.raises(ValueError, match="shape"):
        F.same_type_shape(x, Tensor([1.0]))
    assert F.check_bprop((x,), (Tensor([[3.0, 4.0]]),)) == (x,)
    check = ops.CheckBprop("MyNet")
    for wrong, error, words in (((), ValueError, "the size of output should be 1, but got 0"),
                                ((Tensor([1.0]),), ValueError, "the shape of 0th output should be"),
                                ((Tensor([[1, 2]]),), TypeError, "the dtype of 0th output")):
        with pytest.raises(error, match=f"Bprop of MyNet, {words}"):
            check(wrong, (x,))


def test_functional_names():
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 5.0])
    assert F.pack((x, y)).asnumpy().tolist() == [[1, 2], [3, 5]]
    assert F.vmap_instance(lambda a: a * 2)(x).asnumpy().tolist() == [2, 4]

    def product(a, b):
        return a * b

    assert F.grad_by_position(product)(x, y).asnumpy().tolist() == [3, 5]
    first, second = F.grad_by_position(product, None, (0, 1))(x, y)
    assert (first.asnumpy().tolist(), second.asnumpy().tolist()) == ([3, 5], [1, 2])
    assert F.grad_by_position_with_sens(product, None, 1)(x, y, x).asnumpy().tolist() == [1, 4]
    assert F.grad_first_parameter(product)(x, y).asnumpy().tolist() == [3, 5]
    assert [g.asnumpy().tolist() for g in F.grad_all_parameters(product)(x, y)] == [[3, 5], [1, 2]]
    assert ops.fill_(ms.float32, (2,), 3).asnumpy().tolist() == [3, 3]            # 2.0.0


def test_sparse_names():
    places, values = Tensor([[0, 1], [1, 0]], ms.int64), Tensor([1.0, 2.0])
    sparse = ms.COOTensor(places, values, (2, 2))
    assert F.sparse_tensor_get_dense_shape(sparse) == (2, 2)
    assert F.sparse_tensor_get_indices(sparse).asnumpy().tolist() == [[0, 1], [1, 0]]
    assert F.sparse_tensor_get_values(sparse).asnumpy().tolist() == [1, 2]
    narrow = ms.COOTensor(places.astype(ms.int32), values, (2, 2))
    assert F.csr_tensor_get_shape(narrow.to_csr()) == (2, 2)
    twice = ops.sparse_add(sparse, sparse, Tensor(0.0, ms.float32))
    assert twice.to_dense().asnumpy().tolist() == [[0, 2], [4, 0]]
    whole = ms.COOTensor(Tensor([[0, 1]], ms.int64), Tensor([1.0]), (2, 2))
    assert ops.sparse_concat((whole, whole), 1).to_dense().asnumpy().tolist() == [[0, 1, 0, 1], [0, 0, 0, 0]]


def test_scattered_elements():
    data = Tensor([[1.0, 2, 3, 4, 5]])
    got = ops.ScatterElements(1)(data, Tensor([[1, 3]], ms.int32), Tensor([[8.0, 9.0]]))
    assert got.asnumpy().tolist() == [[1, 8, 3, 9, 5]]


def test_transforms_over_a_grid():
    x = floats(4, 5, 6)
    waves = ops.FFT3D()(Tensor(x))
    assert waves.dtype == ms.complex64
    np.testing.assert_allclose(waves.asnumpy(), np.fft.rfftn(x), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(ops.IFFT3D()(waves).asnumpy(), x * x.size, rtol=1e-4, atol=1e-3)
    with pytest.raises(TypeError):
        ops.FFT3D()(Tensor(x.astype(np.float64)))


@pytest.mark.parametrize("form", ["NCHW", "NHWC"])
def test_fused_normalisation(form):
    x = floats(3, 2, 4, 5)
    scale, bias, mean, variance = (floats(2) for _ in range(4))
    variance = np.abs(variance)
    held = [Parameter(Tensor(v), name=n) for n, v in zip("sbmv", (scale, bias, mean, variance), strict=True)]
    given = x if form == "NCHW" else x.transpose(0, 2, 3, 1)
    y, *after, reserve = ops.FusedBatchNormEx(1, 1e-3, 0.3, form)(Tensor(given), *held)
    wide = np.float64(x)
    centre, spread = wide.mean((0, 2, 3)), wide.var((0, 2, 3))
    shape = (1, 2, 1, 1)
    expected = (wide - centre.reshape(shape)) / np.sqrt(spread + 1e-3).reshape(shape) * scale.reshape(shape)
    expected = expected + bias.reshape(shape)
    np.testing.assert_allclose(y.asnumpy(), expected if form == "NCHW" else expected.transpose(0, 2, 3, 1),
                               rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(held[2].asnumpy(), 0.7 * mean + 0.3 * centre, rtol=1e-5)
    np.testing.assert_allclose(held[3].asnumpy(), 0.7 * variance + 0.3 * spread * 60 / 59, rtol=1e-5)
    assert [v.shape for v in after] == [(2,)] * 4 and isinstance(reserve, Tensor)
    total, squares = ops.BNTrainingReduce(form)(Tensor(given))
    np.testing.assert_allclose(total.asnumpy(), wide.sum((0, 2, 3)), rtol=1e-5)
    found = ops.BNTrainingUpdate(epsilon=1e-3, factor=0.3, data_format=form)(
        Tensor(given), total, squares, *map(Tensor, (scale, bias, mean, variance)))
    np.testing.assert_allclose(found[0].asnumpy(), y.asnumpy(), rtol=1e-4, atol=1e-5)
    for got, wanted in zip(found[1:], (held[2].asnumpy(), held[3].asnumpy(), centre, spread), strict=True):
        np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-4, atol=1e-6)
    rows = ops.FusedBatchNorm()(Tensor(floats(4, 2)), *held)
    assert len(rows) == 5


def test_gradients_of_fused_normalisation():
    x, weight = floats(3, 2, 4), floats(3, 2, 4)
    start = zip("sbmv", (1.5, 0, 0, 1), strict=True)
    held = [Parameter(Tensor(np.full(2, value, np.float32)), name=name) for name, value in start]

    def of(x):
        centre, spread = x.mean((0, 2), keepdims=True), x.var((0, 2), keepdims=True)
        return ((x - centre) / np.sqrt(spread + 1e-5) * 1.5 * weight).sum()

    norm = ops.FusedBatchNorm(1)
    got = ms.grad(lambda x: (norm(x, *held)[0] * Tensor(weight)).sum())(Tensor(x)).asnumpy()
    for at in ((0, 0, 0), (2, 1, 3)):
        up, down = np.float64(x), np.float64(x)
        up[at] += 1e-4
        down[at] -= 1e-4
        assert got[at] == pytest.approx((of(up) - of(down)) / 2e-4, abs=1e-3)


def test_numbers_at_equal_distances():
    np.testing.assert_allclose(nn.LinSpace(1, 10, 4)().asnumpy(), [1, 4, 7, 10])
    assert nn.LinSpace(2, 10, 1)().asnumpy().tolist() == [2]
    with pytest.raises(ValueError):
        nn.LinSpace(1, 2, 0)


def test_layers_that_round_as_in_1_0():
    fake = nn.FakeQuantWithMinMax(min_init=-1, max_init=2, num_bits=4)
    assert [(p.name, p.shape) for p in fake.get_parameters()] == [("quant_min", (1,)), ("quant_max", (1,))]
    assert repr(fake).startswith("FakeQuantWithMinMax")
    x = Tensor(np.linspace(-0.99, 1.99, 40, dtype=np.float32))
    expected = np.floor(np.float64(x.asnumpy()) / 0.2 + 0.5) * 0.2
    np.testing.assert_allclose(fake(x).asnumpy(), expected, atol=1e-5)
    assert len(np.unique(expected.round(5))) == 16                           # of 4 bits
    for kind, activation in ((nn.HSwishQuant, nn.HSwish()), (nn.HSigmoidQuant, nn.HSigmoid()),
                             (nn.LeakyReLUQuant, nn.LeakyReLU())):
        layer = kind(activation)
        inner = activation(layer.fake_quant_act_before(x))
        np.testing.assert_array_equal(layer(x).asnumpy(), layer.fake_quant_act_after(inner).asnumpy())
        assert layer.get_origin() is activation
        with pytest.raises(ValueError, match="Activation should be `nn"):
            kind(nn.ReLU())
    with pytest.raises(ValueError, match="attr 'num_bits' is not support"):
        nn.FakeQuantWithMinMax(num_bits=5)


def test_normalisation_over_groups_of_devices():
    x = Tensor(floats(4, 3, 2, 2))
    layer, plain = nn.GlobalBatchNorm(3, device_num_each_group=2), nn.BatchNorm2d(3)
    layer.set_train()
    plain.set_train()
    np.testing.assert_allclose(layer(x).asnumpy(), plain(x).asnumpy(), rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="the number of group must be greater than 1"):
        nn.GlobalBatchNorm(3, device_num_each_group=1)


def test_schedulers():
    from ms2torch.experimental import optim
    from ms2torch.experimental.optim.lr_scheduler import ChainedScheduler, PolynomialLR

    weight = Parameter(Tensor([1.0]), name="w")
    optimizer = optim.SGD([weight], lr=0.1)
    step = nn.StepLR(optimizer, step_size=2)
    rates = []
    for _ in range(4):
        rates.append(float(step.get_last_lr()[0]))
        step.step()
    np.testing.assert_allclose(rates, [0.1, 0.1, 0.05, 0.05])
    assert issubclass(nn.LinearLR, optim.lr_scheduler.LRScheduler)
    with pytest.raises(NotImplementedError, match="verbose"):
        nn.StepLR(optimizer, 2, verbose=True)
    optimizer = optim.SGD([weight], lr=0.1)
    both = ChainedScheduler([nn.StepLR(optimizer, 1, 0.5), PolynomialLR(optimizer, 4, 1.0)])
    rates = []
    for _ in range(3):
        rates.append(float(both.get_last_lr()[0]))
        both.step()
    np.testing.assert_allclose(rates, [0.1, 0.1 * 0.5 * 3 / 4, 0.1 * 0.25 * 2 / 4], rtol=1e-6)
    with pytest.raises(ValueError, match="same optimizer"):
        ChainedScheduler([step, both._schedulers[0]])


def test_settings_of_moving_parameters_away(monkeypatch):
    from ms2torch.parallel import _offload_context

    monkeypatch.setattr(_offload_context, "_kept", dict(_offload_context._START))
    start = {"enable_offload": False, "offload_param": "", "offload_path": "./offload",
             "offload_checkpoint": "", "offload_ddr_size": 0, "offload_disk_size": 0, "enable_aio": True,
             "aio_block_size": 0, "aio_queue_depth": 0, "enable_pinned_mem": False}                # 2.0.0
    assert ms.get_offload_context() == ms.context.get_offload_context() == start
    ms.set_offload_context({"offload_param": "CPU", "enable_offload": True, "offload_path": "/x"})
    assert ms.get_offload_context() == {**start, "offload_param": "cpu", "enable_offload": True,
                                        "offload_path": "/x"}
    for wrong, error in (({"foo": 1}, ValueError), ({"offload_param": "gpu"}, ValueError), (3, TypeError),
                         ({"enable_offload": 1}, TypeError), ({"offload_ddr_size": 0}, ValueError)):
        with pytest.raises(error):
            ms.context.set_offload_context(wrong)


def test_methods_of_cells():
    """Answers of 2.0.0."""
    layer, inputs = nn.Dense(2, 3), (Tensor([1.0]), Tensor([1]))
    assert [x.dtype for x in layer.auto_cast_inputs(inputs)] == [ms.float32, ms.int64]
    layer.to_float(ms.float16)
    assert [x.dtype for x in layer.auto_cast_inputs(inputs)] == [ms.float16, ms.int64]
    assert layer.cast_param(layer.weight).dtype == ms.float32
    assert layer.load_parameter_slice(3) is layer.set_parallel_input_with_inputs(1, 2) is None
    assert layer.auto_parallel_compile_and_run() is None
    assert layer.set_acc("less_bn") is layer
    with pytest.raises(ValueError, match="acc_type"):
        layer.set_acc("O3")


def test_files_of_what_was_printed(tmp_path):
    """The message of MindSpore's print.proto: text (1) or Tensors (2) of shape, kind and content."""
    def tensor(kind, array):
        sizes = b"".join(protobuf.integer(1, n) for n in array.shape)
        return protobuf.content(2, sizes + protobuf.content(2, kind) + protobuf.content(3, array.tobytes()))

    x = floats(2, 3)
    values = [protobuf.content(1, "print:"), tensor("Float32", x), tensor("Int64", np.array(7))]
    path = tmp_path / "log.data"
    path.write_bytes(b"".join(protobuf.content(1, value) for value in values))
    words, first, number = ms.parse_print(str(path))
    assert words == "print:" and first.dtype == ms.float32
    np.testing.assert_array_equal(first.asnumpy(), x)
    assert (number.shape, number.dtype, int(number)) == ((), ms.int64, 7)
    path.write_bytes(protobuf.content(1, tensor("Quaternion", x)))
    with pytest.raises(RuntimeError, match="Failed to load"):
        ms.train.parse_print(str(path))
    path.write_bytes(b"hello garbage")
    with pytest.raises(ValueError, match="Failed to read the print file"):
        ms.parse_print(str(path))
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="the print file may be empty"):
        ms.parse_print(str(path))
    with pytest.raises(FileNotFoundError):
        ms.parse_print(str(tmp_path / "nope"))


def test_tensors_to_be_filled():
    later = ms.MetaTensor(ms.float32, (2, 3), ms.common.initializer.One())
    assert (later.shape, later.dtype) == ((2, 3), ms.float32)
    assert later.to_tensor().asnumpy().tolist() == [[1, 1, 1], [1, 1, 1]]
    late = Tensor(shape=(2,), dtype=ms.float32, init=ms.common.initializer.One())
    assert late.to_tensor().asnumpy().tolist() == [1, 1]
    with pytest.raises(TypeError, match="init can't be None"):
        ms.common.MetaTensor(ms.float32, (2,)).to_tensor()


def test_other_names():
    import ms2torch.dataset.transforms.py_transforms as py
    import ms2torch.dataset.vision.c_transforms as c

    assert [c.parse_padding(p) for p in (3, (1, 2), (1, 2, 3, 4))] == [
        (3, 3, 3, 3), (1, 2, 1, 2), (1, 2, 3, 4)]                                                  # 2.0.0
    assert py.not_random(test_alike).random is False
    hot = Tensor([0, 2]).one_hot(3, Tensor(1.0), Tensor(0.0))
    assert hot.asnumpy().tolist() == [[1, 0, 0], [0, 0, 1]]
    assert ms.amp.init_status().asnumpy().tolist() == [0] * 8
    layer = nn.Dense(2, 3)
    assert ms.train.amp.OutputTo16(layer)(Tensor([[1.0, 2.0]])).dtype == ms.float16
