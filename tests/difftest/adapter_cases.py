"""What the adapter supplies, beside the same written with today's MindSpore: run by the real one alone.

    PYTHON tests/difftest/adapter_cases.py ANSWER.json

Each case gives (adapted, plain); the answer holds them, what was adapted, and MindSpore's version.
"""
import hashlib
import importlib
import json
import os
import sys
import tempfile
import traceback

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "..", "ms2torch", "difftest", "recorder"))
import adapter  # noqa: E402
from adapter import dropped, one_device, places, spellings  # noqa: E402

told = {}
# All that the adapter may tell, constants in its source apart; moxing.file comes with moxing.
EVERY = {*(m for m in dropped.MODULES if m != "moxing.file" and places.module_of(m) is None),
         *dropped.RENAMED, *one_device.COLLECTIVES, *("np." + n for n in spellings.NUMPY),
         *(m + "." + n for m, names in dropped.old_names().items() for n in names)}
adapter.install(report=told.__setitem__)

import mindspore as ms  # noqa: E402
import mindspore.dataset as ds  # noqa: E402
from mindspore import Parameter, Tensor, context, nn, ops  # noqa: E402
from mindspore.ops import composite as C  # noqa: E402
from mindspore.ops import functional as F  # noqa: E402
from mindspore.ops import operations as P  # noqa: E402


def plain(value):
    if isinstance(value, Tensor):
        return plain(value.asnumpy())
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return [str(value.dtype), np.asarray(value).tolist()]
    return value


X = Tensor(np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32))


def device_target():
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend", enable_graph_kernel=True)
    layer = nn.Dense(3, 2)
    asked = context.get_context("device_target")
    by_hand = ops.matmul(X, layer.weight.T) + layer.bias
    return (asked, layer(X)), ("Ascend", by_hand)


def removed_settings():
    context.set_context(enable_loop_sink=True, graph_memory_max_size="8GB")
    context.set_auto_parallel_context(parallel_mode="data_parallel", mirror_mean=True, device_num=8,
                                      cast_before_mirror=True)
    got = [context.get_auto_parallel_context(k) for k in ("parallel_mode", "gradients_mean", "device_num")]
    context.reset_auto_parallel_context()
    return got, ["stand_alone", True, 1]


def one_process():
    from mindspore.communication import management

    management.init("nccl")
    management.create_group("pair", [0])
    return (management.get_rank(), management.get_group_size()), (0, 1)


class Collective(nn.Cell):
    def __init__(self):
        super().__init__()
        self.sum, self.gather, self.scatter = P.AllReduce(), P.AllGather(), P.ReduceScatter(P.ReduceOp.SUM)
        self.send, self.all = P.Broadcast(0), P.AlltoAll(1, 0, 1)
        self.exchange = P.NeighborExchange([0], [0], [[2, 3]], [[2, 3]], ms.float32)

    def construct(self, x):
        return (self.sum(x) * 2, self.gather(x), self.scatter(x), self.send((x,)), self.all(x),
                self.exchange((x,)))


class Product(Collective):
    def construct(self, x):
        return (self.sum(x) * self.gather(x)).sum()


def collectives():
    """Among one rank, and their gradient is that of an identity."""
    net = Collective()
    gradient = C.GradOperation()(Product())(X)
    return (net(X), gradient), ((X * 2, X, X, (X,), X, (X,)), X * 2)


def float_status():
    arrays = [np.array(a, np.float32) for a in ([1, 2], [1, np.inf], [np.nan, 0], [-np.inf, 1])]
    found = [P.FloatStatus()(Tensor(a)) for a in arrays]
    return found, [np.array([0.0 if np.isfinite(a).all() else 1.0], np.float32) for a in arrays]


def status_of_release_two():
    """The V2 operators: cleared, tied to gradients, read."""
    from mindspore.ops.operations.math_ops import NPUClearFloatStatusV2, NPUGetFloatStatusV2

    clear, get = NPUClearFloatStatusV2(), NPUGetFloatStatusV2()
    found = []
    for value in (1.0, np.inf):
        grads = (X, Tensor(np.full(3, value, np.float32)))
        status = F.depend(clear(Tensor(np.ones(8, np.int32))), grads)
        found.append(get(status))
    return found, [np.zeros(8, np.int32), np.ones(8, np.int32)]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.array([1.0, 2.0, 3.0], np.float32)), name="w")

    def construct(self, x):
        return (self.w * x * x).sum()


class Row(Net):
    def construct(self, x):
        return (self.w * x * x).sum(keepdims=True)


def sens():
    """A sens of shape () for an output of shape (1,), in both modes: d/dx = 2 w x s, d/dw = x x s."""
    found = []
    for mode in (context.PYNATIVE_MODE, context.GRAPH_MODE):
        context.set_context(mode=mode)
        net = Row()
        weights = ms.ParameterTuple(net.trainable_params())
        run = C.GradOperation(get_all=True, get_by_list=True, sens_param=True)(net, weights)
        found.append(run(Tensor(np.array([1.0, -3.0, 0.5], np.float32)), Tensor(4.0, ms.float32)))
    by_hand = [[np.array([8.0, -48.0, 12.0], np.float32)], [np.array([4.0, 36.0, 1.0], np.float32)]]
    return found, [by_hand, by_hand]


scale_down = C.MultitypeFuncGraph("scale_down")


@scale_down.register("Tensor", "Tensor")
def _scale_down(scale, grad):
    return grad * P.Reciprocal()(scale)


class OldTrainCell(nn.Cell):
    """r1.5: the status operators of the NPU around the gradients, one branch for each outcome."""

    def __init__(self, network, optimizer):
        super().__init__()
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.alloc_status, self.get_status = P.NPUAllocFloatStatus(), P.NPUGetFloatStatus()
        self.clear_status = P.NPUClearFloatStatus()
        self.reduce_sum, self.less_equal = P.ReduceSum(keep_dims=False), P.LessEqual()
        self.hyper_map, self.base = C.HyperMap(), Tensor(1, ms.float32)

    def construct(self, x, sens):
        loss = self.network(x)
        init = self.alloc_status()
        init = F.depend(init, loss)
        scaled = F.depend(sens, self.clear_status(init))
        grads = self.grad(self.network, self.weights)(x, scaled)
        grads = self.hyper_map(F.partial(scale_down, sens), grads)
        init = F.depend(init, grads)
        init = F.depend(init, self.get_status(init))
        overflow = self.less_equal(self.base, self.reduce_sum(init, (0,)))
        if overflow:
            succ = False
        else:
            succ = self.optimizer(grads)
        return F.depend(loss, succ), overflow


def npu_status():
    inputs = [(np.ones(3, np.float32) * k, s) for k, s in ((1, 2.0), (2, 4.0), (1e30, 1e4), (3, 2.0))]
    net = Net()
    cell = OldTrainCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    adapted = [(*cell(Tensor(x), Tensor(s, ms.float32)), net.w.asnumpy().copy()) for x, s in inputs]
    return adapted, by_hand(inputs)


def by_hand(inputs):
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    run = C.GradOperation(get_by_list=True, sens_param=True)(net, optimizer.parameters)
    results = []
    for x, s in inputs:
        loss = net(Tensor(x))
        grads = [g * (1 / Tensor(s, ms.float32)) for g in run(Tensor(x), Tensor(s, ms.float32))]
        overflow = not all(bool(ops.isfinite(g).all()) for g in grads)
        if not overflow:
            optimizer(tuple(grads))
        results.append((loss, Tensor(overflow), net.w.asnumpy().copy()))
    return results


def loss_scale_cell():
    """Six steps with a dynamic scale, one of them an overflow, beside MindSpore's update cell by hand."""
    values = [1.0, 2.0, 1e30, 1.0, 0.5, 1.0]
    net = Net()
    manager = ms.DynamicLossScaleManager(2.0**12, 2, 2)
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    model = ms.Model(net, optimizer=optimizer, loss_scale_manager=manager)
    cell = model._train_network
    adapted = []
    for v in values:
        loss, overflow, scale = cell(Tensor(np.full(3, v, np.float32)))
        adapted.append((loss, overflow, cell.scale_sense.asnumpy().copy(), net.w.asnumpy().copy()))
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    update = nn.DynamicLossScaleUpdateCell(2.0**12, 2, 2)
    scale = Parameter(Tensor(2.0**12, ms.float32), name="scale")
    run = C.GradOperation(get_by_list=True, sens_param=True)(net, optimizer.parameters)
    expected = []
    for v in values:
        x = Tensor(np.full(3, v, np.float32))
        loss, sens = net(x), Tensor(scale.asnumpy())
        grads = tuple(g * (1 / sens) for g in run(x, sens))
        overflow = not all(bool(ops.isfinite(g).all()) for g in grads)
        update(scale, Tensor(overflow))
        if not overflow:
            optimizer(grads)
        expected.append((loss, Tensor(overflow), scale.asnumpy().copy(), net.w.asnumpy().copy()))
    return adapted, expected


def resize():
    image = Tensor(np.arange(8, dtype=np.float32).reshape(1, 2, 2, 2))
    adapted = [P.ResizeBilinear((4, 6))(image), P.ResizeBilinear((3, 3), align_corners=True)(image),
               nn.ResizeBilinear()(image, size=(3, 5), align_corners=True),
               nn.ResizeBilinear(True)(image, scale_factor=2)]
    expected = [P.image_ops.ResizeBilinearV2(False, False)(image, (4, 6)),
                ops.interpolate(image, size=(3, 3), mode="bilinear", align_corners=True),
                ops.interpolate(image, size=(3, 5), mode="bilinear", align_corners=True),
                ops.interpolate(image, size=(4, 4), mode="bilinear")]
    return adapted, expected


class Renamed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.gather, self.pack, self.unpack = P.GatherV2(), P.Pack(axis=1), P.Unpack(axis=0)
        self.add, self.gelu, self.fast = P.TensorAdd(), P.Gelu(), P.FastGelu()

    def construct(self, x, i):
        return (self.gather(x, i, 1), self.pack((x, x)), self.unpack(x), self.add(x, x), self.gelu(x),
                self.fast(x))


def renamed_operators():
    i = Tensor(np.array([0, 2], np.int32))
    gelu = ops.gelu(X, approximate="tanh")
    expected = ops.gather(X, i, 1), ops.stack((X, X), 1), ops.unstack(X, 0), X + X, gelu, ops.fast_gelu(X)
    context.set_context(mode=context.PYNATIVE_MODE)
    eager = Renamed()(X, i)
    context.set_context(mode=context.GRAPH_MODE)
    return (Renamed()(X, i), eager), (expected, expected)


def compiled_functions():
    from mindspore import ms_function

    def f(x):
        return x * 2 + 1

    return [ms_function(f)(X), ms.jit(input_signature=(X,))(f)(X), ms.jit(fn=f, mode="PSJit")(X)], [f(X)] * 3


def old_places():
    """A dropped name means one thing, wherever r1.x had it."""
    adapted, expected = [], []
    for module in ("mindspore", "mindspore.common", "mindspore.common.api"):
        @importlib.import_module(module).ms_class
        class Scale:
            def __init__(self, by):
                self.by = by

            def times(self, x):
                return x * self.by

        scale = Scale(3)

        @importlib.import_module(module).ms_function
        def scaled(x, scale=scale):
            return scale.times(x)

        adapted.append(scaled(X))
        expected.append(X * 3)
    image = Tensor(np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2))
    for module in ("mindspore.ops", "mindspore.ops.operations", "mindspore.ops.functional"):
        place = importlib.import_module(module)
        adapted += [place.ResizeBilinear((3, 3), True)(image), place.control_depend(1, 2),
                    place.ControlDepend()(1, 2)]
        expected += [ops.interpolate(image, size=(3, 3), mode="bilinear", align_corners=True), 2, 2]
    return adapted, expected


def image_transforms():
    import mindspore.dataset.transforms.c_transforms as CT
    import mindspore.dataset.vision.c_transforms as CV
    import mindspore.dataset.vision.py_transforms as PV
    from mindspore.dataset import transforms, vision
    from mindspore.dataset.transforms.py_transforms import OneHotOp

    image = (np.arange(48) * 5 % 256).astype(np.uint8).reshape(4, 4, 3)
    chw = vision.ToTensor()(image)
    adapted = [CV.Normalize([1.0, 2, 3], [4.0, 5, 6])(image), CV.Resize((2, 2))(image),
               CT.TypeCast(ms.int32)(image),
               PV.Normalize((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))(PV.ToTensor()(image)), OneHotOp(3)(np.array(1))]
    expected = [vision.Normalize([1.0, 2, 3], [4.0, 5, 6], True)(image), vision.Resize((2, 2))(image),
                transforms.TypeCast(ms.int32)(image),
                vision.Normalize((0.1, 0.2, 0.3), (0.4, 0.5, 0.6), is_hwc=False)(chw),
                transforms.OneHot(3)(np.array(1)).astype(np.float64)]
    return adapted, expected


def transforms_of_release_one():
    """The places of the image transforms before 1.0."""
    import mindspore.dataset.transforms.vision.c_transforms as CV
    import mindspore.dataset.transforms.vision.py_transforms as PV
    from mindspore.dataset import vision
    from mindspore.dataset.transforms.vision import Inter

    image = (np.arange(48) * 5 % 256).astype(np.uint8).reshape(4, 4, 3)
    mean, std = (0.1, 0.2, 0.3), (0.4, 0.5, 0.6)
    chw = vision.ToTensor()(image)
    return ([CV.Resize((2, 2), Inter.NEAREST)(image), PV.ToTensor()(image), PV.Normalize(mean, std)(chw)],
            [vision.Resize((2, 2), vision.Inter.NEAREST)(image), chw,
             vision.Normalize(mean, std, is_hwc=False)(chw)])


def rows(data):
    return [dict(row) for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


def dataset_keywords():
    def source():
        pairs = [(np.ones(n, np.int32), np.array(n)) for n in (1, 3, 2)]
        return ds.GeneratorDataset(pairs, ["a", "b"], shuffle=False)

    def swap(a, b):
        return b, a

    columns = {"operations": swap, "input_columns": ["a", "b"], "output_columns": ["b", "a"]}
    adapted = [rows(source().map(column_order=["a", "b"], **columns)),
               rows(source().batch(3, pad_info={"a": ([4], 7)}))]
    return adapted, [rows(source().map(**columns).project(["a", "b"])),
                     rows(source().padded_batch(3, pad_info={"a": ([4], 7)}))]


def mind_dataset():
    from mindspore.mindrecord import FileWriter

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data")
        writer = FileWriter(path, 1)
        writer.add_schema({"n": {"type": "int32"}})
        writer.write_raw_data([{"n": k} for k in range(3)])
        writer.commit()
        today = rows(ds.MindDataset(path, shuffle=False))
        return rows(ds.MindDataset(dataset_file=path, shuffle=False)), today


def names():
    from mindspore._checkparam import Rel, Validator
    from mindspore.nn.metrics import Accuracy
    from mindspore.nn.metrics.metric import Metric
    from mindspore.profiler.profiling import Profiler

    accuracy = Accuracy()
    accuracy.update(np.array([[0.2, 0.8], [0.9, 0.1]]), np.array([1, 1]))
    types = [np.int, np.float, np.bool, np.object, np.complex, np.str, np.long, np.unicode]
    return ([Validator.check_int(3, 2, Rel.GT), float(accuracy.eval()), Metric.__name__, Profiler.__name__,
             nn.GraphKernel.__name__, [t.__name__ for t in types]],
            [3, 0.5, "Metric", "Profiler", "Cell",
             ["int", "float", "bool", "object", "complex", "str", "int", "str"]])


class Ordered(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor(1.0, ms.float32), name="p")
        self.assign = P.Assign()
        self.order = P.ControlDepend()

    def construct(self, x):
        write = self.assign(self.p, x)
        read = self.p * 2
        self.order(write, read)
        return read


def control_depend():
    return Ordered()(Tensor(3.0, ms.float32)), Tensor(6.0, ms.float32)


def moxing():
    import moxing as mox
    import moxing.file as other

    assert other is mox.file
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "from"))
        with open(os.path.join(folder, "from", "a.txt"), "w") as file:
            file.write("text")
        mox.file.copy_parallel(os.path.join(folder, "from"), os.path.join(folder, "to"))
        mox.file.copy(os.path.join(folder, "to", "a.txt"), os.path.join(folder, "b.txt"))
        return sorted(mox.file.list_directory(folder)) + mox.file.list_directory(folder + "/to"), [
            "b.txt", "from", "to", "a.txt"]


class Selus(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer, self.operator = nn.SeLU(), P.SeLU()

    def construct(self, x):
        return (self.layer(x) + 2 * self.operator(x) + 3 * ops.selu(x)).sum()


def selu():
    """The gradient of the documented formula, by a numeric derivative in float64; the kernel's value."""
    def formula(x):
        below = 1.6732632423543772848170429916717 * np.expm1(np.minimum(x, 0))
        return 1.0507009873554804934193349852946 * np.where(x > 0, x, below)

    x = np.array([-20.0, -3.0, -1.0, -0.25, 0.5, 90.0])
    found, expected = [], []
    for mode in (context.PYNATIVE_MODE, context.GRAPH_MODE):
        context.set_context(mode=mode)
        value, gradient = ms.value_and_grad(Selus())(Tensor(x, ms.float32))
        found.append(np.round(np.array([float(value), *gradient.asnumpy()]), 3))
        numeric = 6 * (formula(x + 1e-6) - formula(x - 1e-6)) / 2e-6
        expected.append(np.round(np.array([6 * formula(x).sum(), *numeric]), 3))
    return found, expected


class Mishes(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer, self.operator = nn.Mish(), P.Mish()

    def construct(self, x):
        return (self.layer(x) + 2 * self.operator(x) + 3 * ops.mish(x)).sum()


def mish():
    """The gradient of the documented formula, by a numeric derivative in float64; the kernel's value."""
    def formula(x):
        return x * np.tanh(np.logaddexp(0, x))

    x = np.array([-60.0, -3.0, -1.0, 0.0, 0.5, 3.5, 5.0, 30.0])
    found, expected = [], []
    for mode in (context.PYNATIVE_MODE, context.GRAPH_MODE):
        context.set_context(mode=mode)
        value, gradient = ms.value_and_grad(Mishes())(Tensor(x, ms.float32))
        found.append(np.round(np.array([float(value), *gradient.asnumpy()]), 4))
        numeric = 6 * (formula(x + 1e-6) - formula(x - 1e-6)) / 2e-6
        expected.append(np.round(np.array([6 * formula(x).sum(), *numeric]), 4))
    return found, expected


def nesterov():
    """Momentum beside SGD, whose kernel has Nesterov's step."""
    found = []
    for make in (lambda p: nn.Momentum(p, 0.5, 0.5, use_nesterov=True),
                 lambda p: nn.SGD(p, 0.5, 0.5, nesterov=True)):
        net = Net()
        optimizer, trained = make(net.trainable_params()), []
        for gradient in ([1.0, -2.0, 0.5], [0.25, 4.0, 1.0], [-1.0, 0.5, 0.0]):
            optimizer((Tensor(np.array(gradient, np.float32)),))
            trained.append(net.w.asnumpy().copy())
        found.append(trained)
    return tuple(found)


def rmsprop():
    """The documented formula in float64, epsilon inside the root; in weights of both kinds and both modes."""
    gradients = np.linspace(-2, 2, 33).reshape(3, 11)
    found, expected = [], []
    for mode in (context.PYNATIVE_MODE, context.GRAPH_MODE):
        context.set_context(mode=mode)
        for kind, digits in ((ms.float32, 5), (ms.float16, 2)):
            weight = Parameter(Tensor(np.arange(11), kind), name="w")
            optimizer = nn.RMSProp([weight], 0.25, decay=0.5, momentum=0.5, epsilon=0.5)
            w, squares, moved = np.arange(11.0), np.ones(11), np.zeros(11)
            for g in gradients:
                optimizer((Tensor(g, kind),))
                squares = 0.5 * squares + 0.5 * g * g
                moved = 0.5 * moved + 0.25 * g / np.sqrt(squares + 0.5)
                w -= moved
            found.append(bool(np.abs(weight.asnumpy() - w).max() < 10.0**-digits))
            expected.append(True)
    return found, expected


CASES = [device_target, removed_settings, one_process, collectives, float_status, sens, npu_status,
         status_of_release_two, loss_scale_cell, resize, renamed_operators, compiled_functions,
         control_depend, old_places, image_transforms, transforms_of_release_one, dataset_keywords,
         mind_dataset, names, moxing, selu, mish, nesterov,
         rmsprop]


def digest():
    """What the answer depends on."""
    folder, found = os.path.dirname(adapter.__file__), hashlib.sha256()
    files = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".py"))
    for path in (*files, os.path.abspath(__file__)):
        with open(path, "rb") as file:
            found.update(file.read())
    return found.hexdigest()


if __name__ == "__main__":
    answer = {"mindspore": ms.__version__, "digest": digest(), "every": sorted(EVERY), "cases": {}}
    for case in CASES:
        before = set(told)
        try:
            adapted, expected = case()
            answer["cases"][case.__name__] = {"adapted": plain(adapted), "plain": plain(expected)}
        except Exception:
            answer["cases"][case.__name__] = {"error": traceback.format_exc()[-2000:]}
        answer["cases"][case.__name__]["told"] = sorted(set(told) - before)
    with open(sys.argv[1], "w") as file:
        cases = ",\n".join(json.dumps(k) + ": " + json.dumps(v) for k, v in answer.pop("cases").items())
        file.write(json.dumps(answer)[:-1] + ', "cases": {\n' + cases + "\n}}\n")
