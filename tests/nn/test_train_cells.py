"""Training cells and loss scaling: documented figures of MindSpore, state machines by hand, torch.amp's
arithmetic.

The real MindSpore's CPU cannot run the loss-scale cells; the figures are those of its guides and of its
source's rules.
"""

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import Parameter, Tensor, amp, nn, ops
from ms2torch._core.gradient import overflow as device_flag

_grad_scale = ops.MultitypeFuncGraph("grad_scale")


@_grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale, grad):
    return grad * ops.cast(ops.Reciprocal()(scale), ops.dtype(grad))


class Net(nn.Cell):
    """A dense layer with MSE: weight [[2, 3, 4]], x [[1, 2, 3]], y 19: loss 1, gradient [[2, 4, 6]]."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 1, has_bias=False)
        self.fc.weight.set_data(Tensor([[2.0, 3.0, 4.0]]))
        self.loss = nn.MSELoss()

    def construct(self, x, y):
        return self.loss(self.fc(x).squeeze(), y)


X, Y = Tensor([[1.0, 2.0, 3.0]]), Tensor(19.0)


class GuideTrainStep(nn.Cell):
    """The custom training cell of the gradient guide."""

    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = self.optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)
        self.grad_reducer = ops.identity

    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = self.grad(self.network, self.weights)(*inputs)
        grads = self.grad_reducer(grads)
        self.optimizer(grads)
        return loss


class GuideClipStep(nn.TrainOneStepWithLossScaleCell):
    """The gradient-clip cell of the same guide."""

    def __init__(self, network, optimizer, scale_sense=1, grad_clip=False):
        if isinstance(scale_sense, (int, float)):
            scale_sense = ms.FixedLossScaleManager(scale_sense)
        super().__init__(network, optimizer, scale_sense)
        self.grad_clip = grad_clip

    def construct(self, *inputs):
        weights = self.weights
        loss = self.network(*inputs)
        scaling_sens = self.scale_sense
        status, scaling_sens = self.start_overflow_check(loss, scaling_sens)
        scaling_sens_filled = ops.ones_like(loss) * ops.cast(scaling_sens, ops.dtype(loss))
        grads = self.grad(self.network, weights)(*inputs, scaling_sens_filled)
        grads = self.hyper_map(ops.partial(_grad_scale, scaling_sens), grads)
        if self.grad_clip:
            grads = ops.clip_by_global_norm(grads)
        grads = self.grad_reducer(grads)
        cond = self.get_overflow_status(status, grads)
        overflow = self.process_loss_scale(cond)
        if not overflow:
            self.optimizer(grads)
        return loss, cond, scaling_sens


@pytest.fixture(params=["PYNATIVE", "GRAPH"])
def mode(request):
    ms.set_context(mode=getattr(ms, f"{request.param}_MODE"))
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_two_steps_of_the_guides_training_cell(mode):
    net = Net()
    step = GuideTrainStep(net, nn.SGD(net.trainable_params(), 0.1))
    losses = [float(step(X, Y).asnumpy()) for _ in range(2)]
    np.testing.assert_allclose(losses, [1.0, 3.24], rtol=1e-6)
    np.testing.assert_allclose(net.fc.weight.asnumpy(), [[2.16, 3.32, 4.48]], rtol=1e-6)


@pytest.mark.parametrize(
    ("clip", "weight"), [(False, [[1.8, 2.6, 3.4]]), (True, [[1.973274, 2.946548, 3.919822]])]
)
def test_one_step_of_the_guides_clip_cell(clip, weight, mode):
    net = Net()
    step = GuideClipStep(net, nn.SGD(net.trainable_params(), 0.1), 1, clip)
    loss, overflow, scale = step(X, Y)
    assert (float(loss.asnumpy()), bool(overflow), float(scale.asnumpy())) == (1.0, False, 1.0)
    np.testing.assert_allclose(net.fc.weight.asnumpy(), weight, rtol=1e-6)


def test_sens_scales_the_gradient(mode):
    net = Net()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1), sens=2)
    assert float(step(X, Y).asnumpy()) == 1.0
    np.testing.assert_allclose(net.fc.weight.asnumpy(), [[1.6, 2.2, 2.8]], rtol=1e-6)


def test_sens_zero_is_refused():
    net = Net()
    with pytest.raises(ValueError, match=r"The input argument of 'sens' can not be 0\."):
        nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1), sens=0)


def test_return_grad():
    net = Net()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1), return_grad=True)
    _, grads = step(X, Y)
    assert list(grads) == ["fc.weight"] and grads["fc.weight"].asnumpy().tolist() == [[2.0, 4.0, 6.0]]


def test_clip_by_global_norm():
    (clipped,) = ops.clip_by_global_norm([Tensor([[2.0, 4.0, 6.0]])])
    np.testing.assert_allclose(clipped.asnumpy(), [[0.267261, 0.534522, 0.801784]], rtol=1e-5)


@pytest.mark.parametrize(
    "scale",
    [nn.FixedLossScaleUpdateCell(1024.0), Tensor([1024.0]), Tensor(1024.0), ms.FixedLossScaleManager(1024.0)],
    ids=["cell", "tensor1", "tensor0", "manager"],
)
def test_loss_scale_does_not_change_the_step(scale, mode):
    net = Net()
    step = nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params(), 0.1), scale)
    loss, overflow, used = step(X, Y)
    assert (float(loss.asnumpy()), bool(overflow), float(used.asnumpy().reshape(()))) == (1.0, False, 1024.0)
    np.testing.assert_allclose(net.fc.weight.asnumpy(), [[1.8, 2.6, 3.4]], rtol=1e-6)


def test_an_overflow_skips_the_update_and_halves_the_scale(mode):
    net = Net()
    manager = nn.DynamicLossScaleUpdateCell(2.0**12, 2, 1000)
    step = nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params(), 0.1), manager)
    _, overflow, used = step(Tensor([[1.0, np.inf, 3.0]]), Y)
    assert bool(overflow) and float(used.asnumpy()) == 4096.0
    assert float(step.scale_sense.asnumpy()) == 2048.0
    assert net.fc.weight.asnumpy().tolist() == [[2.0, 3.0, 4.0]]


def test_set_sense_scale():
    net = Net()
    step = nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params(), 0.1), Tensor(8.0))
    step.set_sense_scale(Tensor(4.0))
    assert float(step.scale_sense.asnumpy()) == 4.0
    with pytest.raises(TypeError, match="the type of 'sens' must be Tensor"):
        step.set_sense_scale(4.0)


@pytest.mark.parametrize(
    ("scale", "error", "text"),
    [
        (Tensor([1.0, 2.0]), ValueError, "the shape of 'scale_sense' must be"),
        (3, TypeError, "the 'scale_sense' must be Cell or Tensor"),
    ],
)
def test_a_wrong_scale_is_refused(scale, error, text):
    net = Net()
    with pytest.raises(error, match=text):
        nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params(), 0.1), scale)


def test_gradients_that_share_memory_are_unscaled_once():
    class Shared(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = Parameter(Tensor([1.0, 1.0]), name="a")
            self.b = Parameter(Tensor([1.0, 1.0]), name="b")

        def construct(self, x):
            return (self.a + self.b + x).sum()

    net = Shared()
    step = nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params(), 0.5), Tensor(8.0))
    step(Tensor([1.0, 1.0]))
    assert net.a.asnumpy().tolist() == net.b.asnumpy().tolist() == [0.5, 0.5]


# ---- the three state machines ------------------------------------------------------------------------------


def test_dynamic_loss_scale_manager():
    manager = ms.DynamicLossScaleManager()
    assert manager.get_loss_scale() == 2**24 and manager.get_drop_overflow_update()
    manager = ms.DynamicLossScaleManager(16, 2, 3)
    # Grows where (iteration - last overflow) is a multiple of the window; iterations count from 1.
    seen = []
    for overflow in (False, False, False, True, False, False, False, False, False, False):
        manager.update_loss_scale(overflow)
        seen.append(manager.get_loss_scale())
    assert seen == [16, 16, 32, 16, 16, 16, 32, 32, 32, 64]


def test_dynamic_loss_scale_manager_has_a_floor_and_a_limit():
    manager = ms.DynamicLossScaleManager(2, 2, 3)
    for _ in range(1000):
        manager.update_loss_scale(True)
    assert manager.get_loss_scale() == 1
    with pytest.raises(RuntimeError, match="Dynamic loss scale Continuous overflow"):
        manager.update_loss_scale(True)


def test_dynamic_loss_scale_update_cell():
    cell = nn.DynamicLossScaleUpdateCell(16.0, 2, 3)
    scale = Parameter(Tensor(16.0), name="scale")
    # Grows where the window has passed since the last change, then starts again from there.
    seen = []
    for overflow in (False, False, False, True, False, False, False, False, False, False):
        assert bool(cell(scale, Tensor(overflow))) is overflow
        seen.append(float(scale.asnumpy()))
    assert seen == [16, 16, 32, 16, 16, 16, 32, 32, 32, 64]
    for _ in range(10):
        cell(scale, Tensor(True))
    assert float(scale.asnumpy()) == 1.0


def test_dynamic_loss_scale_update_cell_grows_past_the_largest_float():
    cell = nn.DynamicLossScaleUpdateCell(2.0**127, 2, 1)
    scale = Parameter(Tensor(2.0**127), name="scale")
    cell(scale, Tensor(False))
    assert np.isinf(scale.asnumpy())


def test_dynamic_loss_scaler():
    scaler = amp.DynamicLossScaler(16.0, 2, 3)
    seen = []
    for finite in (True, True, True, False, True, True, True, True, True, True):
        assert scaler.adjust(Tensor(finite)) is True
        seen.append((float(scaler.scale_value.asnumpy()), int(scaler.counter.asnumpy())))
    assert [s for s, _ in seen] == [16, 16, 32, 16, 16, 16, 32, 32, 32, 64]
    assert [c for _, c in seen] == [1, 2, 0, 0, 1, 2, 0, 1, 2, 0]


def test_dynamic_loss_scaler_has_a_floor_and_a_cap():
    scaler = amp.DynamicLossScaler(1.0, 2, 1)
    scaler.adjust(Tensor(False))
    assert float(scaler.scale_value.asnumpy()) == 1.0
    scaler = amp.DynamicLossScaler(2.0**127, 2, 1)
    scaler.adjust(Tensor(True))
    assert float(scaler.scale_value.asnumpy()) == 2.0**127


def test_fixed_manager_without_dropping_has_no_update_cell():
    assert ms.FixedLossScaleManager(128, drop_overflow_update=False).get_update_cell() is None
    assert isinstance(ms.FixedLossScaleManager(128).get_update_cell(), nn.FixedLossScaleUpdateCell)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ms.FixedLossScaleManager(0.5),
        lambda: ms.DynamicLossScaleManager(0.5),
        lambda: ms.DynamicLossScaleManager(16, 2, 0),
        lambda: amp.StaticLossScaler(0.5),
        lambda: amp.DynamicLossScaler(16.0, 0, 3),
    ],
)
def test_bad_scales_are_refused(make):
    with pytest.raises(ValueError):
        make()


def test_static_scaler_in_a_functional_loop():
    net = Net()
    scaler = amp.StaticLossScaler(1024.0)

    def forward(x, y):
        loss = net(x, y)
        return scaler.scale(loss), loss

    (scaled, loss), grads = ms.value_and_grad(forward, None, net.trainable_params(), has_aux=True)(X, Y)
    assert (float(scaled.asnumpy()), float(loss.asnumpy())) == (1024.0, 1.0)
    assert grads[0].asnumpy().tolist() == [[2048.0, 4096.0, 6144.0]]
    assert scaler.unscale(grads)[0].asnumpy().tolist() == [[2.0, 4.0, 6.0]]
    assert bool(amp.all_finite(grads)) and not bool(amp.all_finite((Tensor([np.nan]),)))


def test_accumulated_gradients_equal_one_large_batch():
    """The functional accumulation of the guides: two half batches, then one update."""
    data = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    labels = np.arange(4, dtype=np.float32).reshape(4, 1)
    whole, parts = nn.Dense(3, 1), nn.Dense(3, 1)
    ms.ops.assign(parts.weight, whole.weight)
    ms.ops.assign(parts.bias, whole.bias)
    loss = nn.MSELoss()

    def gradients(net, x, y):
        return ms.grad(lambda a, b: loss(net(a), b), None, net.trainable_params())(Tensor(x), Tensor(y))

    nn.SGD(whole.trainable_params(), 0.1)(gradients(whole, data, labels))
    held = [
        g1 * 0.5 + g2 * 0.5
        for g1, g2 in zip(
            gradients(parts, data[:2], labels[:2]), gradients(parts, data[2:], labels[2:]), strict=True
        )
    ]
    nn.SGD(parts.trainable_params(), 0.1)(tuple(held))
    for a, b in zip(whole.get_parameters(), parts.get_parameters(), strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-7)


def test_no_grad_attribute_is_ever_written():
    net = Net()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    step(X, Y)
    assert all(p.grad is None for p in torch.nn.Module.parameters(net))


class _ByFlag(nn.Cell):
    """A training step as r1.0 and r1.1 wrote it for Ascend: it reads the device's overflow flag."""

    def __init__(self, network, optimizer, scale):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.weights = optimizer.parameters
        self.optimizer = optimizer
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.alloc, self.get = ops.NPUAllocFloatStatus(), ops.NPUGetFloatStatus()
        self.clear = ops.NPUClearFloatStatus()
        self.order = ops.operations.ControlDepend(depend_mode=1)
        self.scale = Parameter(Tensor(scale, ms.float32), name="scale")

    def construct(self, x, y):
        loss = self.network(x, y)
        flag = self.alloc()
        clear = self.clear(flag)
        self.order(clear, self.scale)
        grads = self.grad(self.network, self.weights)(x, y, ops.cast(self.scale, ops.dtype(loss)))
        grads = tuple([g / self.scale for g in grads])
        self.get(flag)
        over = ops.LessEqual()(Tensor(1.0), ops.ReduceSum()(flag, (0,)))
        if not over:
            self.optimizer(grads)
        return loss, over, self.scale


@pytest.mark.parametrize(("scale", "overflows"), [(1024.0, False), (3e38, True)])
def test_the_device_flag_of_old_programs_tells_overflow(scale, overflows, monkeypatch):
    monkeypatch.setattr(device_flag, "watching", False)        # what the program turns on ends with it
    net = Net()
    step = _ByFlag(net, nn.SGD(net.trainable_params(), 0.1), scale)
    for _ in range(2):
        _, over, _ = step(X, Y)
        assert bool(over) is overflows
    expected = [[2.0, 3.0, 4.0]] if overflows else [[2.16, 3.32, 4.48]]       # the guide's two steps
    np.testing.assert_allclose(net.fc.weight.asnumpy(), expected, rtol=1e-5)
