"""Queues, lists and replay buffers on the host, returns and copies, which MindSpore had until 2.6: by their
documentation, and by mathematics."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Parameter, Tensor, nn
from ms2torch.ops.operations import _rl_inner_ops as rl
from ms2torch.ops.operations import _tensor_array as ta

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])


@pytest.fixture(autouse=True)
def mode_as_before():
    before = ms.get_context("mode")
    yield
    ms.set_context(mode=before)


def test_a_list_by_its_handle():
    handle = ta.TensorArray(ms.int32, ())()
    other = ta.TensorArray(ms.int32, (), False, 2)()
    assert handle.dtype == ms.int64 and handle.shape == () and int(other) == int(handle) + 1
    write = ta.TensorArrayWrite()
    for index, value in ((0, 1), (1, 2), (Tensor(3), Tensor(5, ms.int32))):
        assert write(handle, index, value) is None
    assert int(ta.TensorArrayRead(ms.int32, ())(handle, 1)) == 2
    assert ta.TensorArrayStack(ms.int32, (), True, 0)(handle).asnumpy().tolist() == [1, 2, 0, 5]
    gathered = ta.TensorArrayGather(ms.int32, ())(handle, Tensor([3, 0, 3], ms.int32))
    assert gathered.asnumpy().tolist() == [5, 1, 5]
    assert int(ta.TensorArraySize()(handle)) == 4
    ta.TensorArrayClear()(handle)
    assert int(ta.TensorArraySize()(handle)) == 0
    with pytest.raises(IndexError, match="outside its 2 places"):
        write(other, 2, 1)
    with pytest.raises(TypeError, match="dtype of 'value'"):
        write(other, 0, Tensor(1.0))
    with pytest.raises(TypeError, match="is asked for"):
        ta.TensorArrayRead(ms.int32, (1,))(other, 0)
    ta.TensorArrayClose()(handle)
    with pytest.raises(RuntimeError, match="names no TensorArray"):
        write(handle, 0, 1)


def test_a_queue_by_its_handle():
    shapes = ((), (1, 2))
    handle = rl.TensorsQueueCreate(ms.float32, shapes, 2, "q")()
    put, size = rl.TensorsQueuePut(ms.float32, shapes), rl.TensorsQueueSize()
    get, pop = (rl.TensorsQueueGet(ms.float32, shapes, pop_after_get=takes) for takes in (False, True))
    first = Tensor(1.0), Tensor([[2.0, 3.0]])
    put(handle, first)
    put(handle, [Tensor(4.0), Tensor([[5.0, 6.0]])])
    first[1][0, 0] = 9.0                                    # the queue has what was put
    with pytest.raises(RuntimeError, match="has room for 2"):
        put(handle, first)
    for take, there in ((get, 2), (pop, 1)):
        number, row = take(handle)
        assert (float(number), row.asnumpy().tolist(), int(size(handle))) == (1.0, [[2.0, 3.0]], there)
        row[0, 1] = 0.0                                     # and keeps it
    assert float(pop(handle)[0]) == 4.0
    with pytest.raises(RuntimeError, match="is empty"):
        get(handle)
    with pytest.raises(ValueError, match=r"shape of 'value\[1\]'"):
        put(handle, (Tensor(1.0), Tensor(1.0)))
    put(handle, first)
    rl.TensorsQueueClear()(handle)
    assert int(size(handle)) == 0
    rl.TensorsQueueClose()(handle)
    with pytest.raises(RuntimeError, match="names no TensorsQueue"):
        size(handle)


@MODES
def test_discounted_returns_and_their_gradients(mode):
    """G[t] = r[t] + gamma G[t+1], afresh behind the end of an episode."""
    ms.set_context(mode=mode)
    rewards = np.arange(1, 9, dtype=np.float32).reshape(4, 2)
    done = np.array([[0, 0], [1, 0], [0, 0], [0, 1]], bool)
    last = np.array([10, 20], np.float32)
    expected, follows = np.zeros_like(rewards), last
    for t in reversed(range(4)):
        expected[t] = follows = rewards[t] + np.where(done[t], 0, 0.5 * follows)
    compute = rl.DiscountedReturn(0.5)
    got = compute(Tensor(rewards), Tensor(done), Tensor(last))
    np.testing.assert_array_equal(got.asnumpy(), expected)
    gradients = ms.grad(lambda r, v: compute(r, Tensor(done), v).sum(), (0, 1))(Tensor(rewards), Tensor(last))
    # dG[s]/dr[t] is 0.5**(t - s) for s <= t in one episode.
    assert gradients[0].asnumpy().tolist() == [[1, 1], [1.5, 1.5], [1, 1.75], [1.5, 1.875]]
    assert gradients[1].asnumpy().tolist() == [0.75, 0]
    deep = Tensor(np.repeat(rewards[:, :, None], 3, 2)), Tensor(done), Tensor(np.repeat(last[:, None], 3, 1))
    deep = compute(*deep)
    np.testing.assert_array_equal(deep.asnumpy(), expected[:, :, None] + np.zeros(3))
    for gamma in (0.0, 1.5):
        with pytest.raises(ValueError, match="gamma"):
            rl.DiscountedReturn(gamma)
    with pytest.raises(ValueError, match="last_state_value"):
        compute(Tensor(rewards), Tensor(done), Tensor([1.0]))
    with pytest.raises(TypeError):
        compute(Tensor(rewards), Tensor(done.astype(np.float32)), Tensor(last))


@MODES
def test_many_parameters_are_written(mode):
    ms.set_context(mode=mode)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.one, self.other = nn.Dense(2, 3), nn.Dense(2, 3)
            self.target = ms.ParameterTuple(self.one.trainable_params())
            self.source = ms.ParameterTuple(self.other.trainable_params())
            self.assign = rl.BatchAssign(lock=True)

        def construct(self, x):
            self.assign(self.target, self.source)
            return self.one(x) - self.other(x)

    net = Net()
    assert not net(Tensor([[1.0, 2.0]])).asnumpy().any()
    net.other.weight[0, 0] = 7.0                            # they share no memory
    assert float(net.one.weight[0, 0]) != 7.0
    with pytest.raises(ValueError, match="shapes of elements"):
        net.assign([net.one.weight], [Tensor(np.zeros((3, 3)), ms.float32)])
    with pytest.raises(TypeError):
        net.assign([net.one.bias], [Tensor([1, 2, 3])])
    with pytest.raises(TypeError):
        rl.BatchAssign(1)


def prioritized(alpha, capacity=8, batch=4000, seed=5):
    handle = rl.PriorityReplayBufferCreate(capacity, alpha, [(), (2,)], [ms.int32, ms.float32], seed, 0)()
    assert handle.shape == (1,) and handle.dtype == ms.int64
    handle = handle.asnumpy().item()
    push = rl.PriorityReplayBufferPush(handle)
    for i in range(capacity + 3):                           # the first three make room
        push((Tensor(i, ms.int32), Tensor([i, -i], ms.float32)))
    sample = rl.PriorityReplayBufferSample(handle, batch, [(), (2,)], [ms.int32, ms.float32])
    return handle, sample, rl.PriorityReplayBufferUpdate(handle)


@pytest.mark.parametrize(("alpha", "beta"), [(0.0, 1.0), (0.6, 0.4), (1.0, 1.0)])
def test_prioritized_replay(alpha, beta):
    """p_i ** alpha in proportion, and the weights of the paper (arXiv 1511.05952) over the greatest."""
    _, sample, update = prioritized(alpha)
    priorities = np.array([0.5, 1, 2, 4, 8, 1, 1, 3])
    update(Tensor(np.arange(8)), Tensor(priorities, ms.float32))
    indices, weights, number, row = (t.asnumpy() for t in sample(beta))
    assert (indices.dtype, weights.dtype, row.shape) == (np.int64, np.float32, (4000, 2))
    share = priorities ** alpha / (priorities ** alpha).sum()
    # Each of 4,000 equal parts of the sum gives one row, so counts are off by one at each end.
    assert np.abs(np.bincount(indices, minlength=8) - 4000 * share).max() <= 2
    expected = (8 * share) ** -beta
    np.testing.assert_allclose(weights, (expected / expected.max())[indices], rtol=1e-6)
    ring = np.array([8, 9, 10, 3, 4, 5, 6, 7])
    np.testing.assert_array_equal(number, ring[indices])
    np.testing.assert_array_equal(row, np.stack([number, -number], 1))


def test_a_new_row_has_the_highest_priority():
    handle, sample, update = prioritized(1.0)
    update(Tensor([0, 1]), Tensor([13.0, 0.0]))
    rl.PriorityReplayBufferPush(handle)(Tensor(99, ms.int32), Tensor([1.0, 2.0]))   # at place 3
    counts = np.bincount(sample(0.0)[0].asnumpy(), minlength=8)
    assert abs(counts[3] - counts[0]) <= 2 and counts[1] == 0 and abs(counts[0] - 13 * counts[2]) <= 26
    with pytest.raises(IndexError, match=r"\[0, 8\)"):
        update(Tensor([8]), Tensor([1.0]))
    with pytest.raises(TypeError, match="Tensor 0 of a transition"):
        rl.PriorityReplayBufferPush(handle)(Tensor(1.0), Tensor([1.0, 2.0]))
    rl.PriorityReplayBufferDestroy(handle)()
    with pytest.raises(RuntimeError, match="names no PriorityReplayBuffer"):
        sample(0.0)


def test_a_seed_gives_the_same_samples():
    drawn = []
    for seed in (5, 5, 6):
        _, sample, _ = prioritized(0.6, batch=5, seed=seed)
        drawn.append([sample(0.4)[0].asnumpy().tolist() for _ in range(8)])
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(map(tuple, drawn[0]))) > 1


def test_a_reservoir_keeps_each_row_with_the_same_probability():
    """Of 20 rows that came 5 are there: each in a quarter of 400, within five deviations."""
    counts = np.zeros(20)
    for seed in range(1, 401):
        handle = rl.ReservoirReplayBufferCreate(5, [()], [ms.int64], seed, 0)().asnumpy().item()
        push = rl.ReservoirReplayBufferPush(handle)
        for i in range(20):
            assert push((Tensor(i),)).asnumpy().tolist() == [handle]
        drawn, = rl.ReservoirReplayBufferSample(handle, 60, [()], [ms.int64])()
        there = np.unique(drawn.asnumpy())
        assert len(there) <= 5
        counts[there] += 1
        rl.ReservoirReplayBufferDestroy(handle)()
    assert np.abs(counts - 100).max() < 5 * np.sqrt(400 * 0.25 * 0.75)
    with pytest.raises(RuntimeError, match="names no ReservoirReplayBuffer"):
        push((Tensor(0),))
    handle = rl.ReservoirReplayBufferCreate(5, [()], [ms.int64], 0, 0)().asnumpy().item()
    with pytest.raises(RuntimeError, match="is empty"):
        rl.ReservoirReplayBufferSample(handle, 2, [()], [ms.int64])()


@MODES
def test_a_network_uses_them(mode):
    """What a construct puts into a buffer at each call is there, once, also of a jit that runs again."""
    ms.set_context(mode=mode)
    handle, sample, _ = prioritized(1.0, 4, 16)
    queue = rl.TensorsQueueCreate(ms.float32, ((2,),), 5)()

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.push = rl.PriorityReplayBufferPush(handle)
            self.put = rl.TensorsQueuePut(ms.float32, ((2,),))
            self.weight = Parameter(Tensor(2.0), name="weight")

        @ms.jit
        def construct(self, number, x):
            self.push((number, x))
            self.put(queue, (x * self.weight,))
            return (x * self.weight).sum()

    net = Net()
    for i in range(3):
        net(Tensor(20 + i, ms.int32), Tensor([i, 1.0], ms.float32))
    ms.value_and_grad(net, None, net.trainable_params())(Tensor(23, ms.int32), Tensor([3.0, 1.0]))
    assert set(sample(1.0)[2].asnumpy().tolist()) == {20, 21, 22, 23}
    get = rl.TensorsQueueGet(ms.float32, ((2,),), True)
    assert [get(queue)[0].asnumpy().tolist() for _ in range(4)] == [[0, 2], [2, 2], [4, 2], [6, 2]]


def test_what_is_refused_says_so():
    for name in ("EnvCreate", "MuxSend"):
        with pytest.raises(NotImplementedError, match="MindSpore's own kernels"):
            getattr(rl, name)("x")
