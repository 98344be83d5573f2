"""Data pipelines: torch.utils.data gives MindSpore's rows, in its order where a seed tells it."""

import ast

import numpy as np
import pytest
import torch

import ms2torch as ms
import ms2torch.dataset as ds
from ms2torch.dataset import vision

pytest.importorskip("libcst")
from ms2torch.translate import translate_source
from ms2torch.translate.facts import Fact, Facts, Kind
from ms2torch.translate.helpers import data
from ms2torch.translate.rewriting.pipelines import pipelines_of
from ms2torch.translate.rewriting.reading import Reading
from ms2torch.translate.translation import site_of

HEAD = """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import transforms, vision

class Rows:
    def __len__(self):
        return 11

    def __getitem__(self, i):
        return np.full((3, 4, 3), i, np.uint8), i

def counted():
    for i in range(5):
        yield np.float32(i), i

def rows(n):
    return [(np.arange(3) + i, float(i)) for i in range(n)]

columns = {"a": np.arange(7.0), "b": np.arange(14, dtype=np.int32).reshape(7, 2)}
"""
PIPELINES = {
    "rows of an object": 'ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False).batch(4)',
    "a seed's order": 'ds.GeneratorDataset(Rows(), ["x", "y"]).batch(4, drop_remainder=True)',
    "a buffer": 'ds.GeneratorDataset(rows(20), ["x", "y"], shuffle=False).shuffle(6).batch(3)',
    "a buffer over a seed's order": 'ds.GeneratorDataset(rows(20), ["x", "y"]).shuffle(6).batch(3)',
    "a function": 'ds.GeneratorDataset(counted, ["x", "y"]).batch(2)',
    "one column": 'ds.GeneratorDataset(list(range(6)), "x", shuffle=True).batch(2)',
    "a part of a function's": 'ds.GeneratorDataset(counted, ["x", "y"], num_samples=3).batch(2)',
    "the first rows": 'ds.GeneratorDataset(Rows(), ["x", "y"], num_samples=7, shuffle=False).batch(4)',
    "fewer than asked": 'ds.GeneratorDataset(rows(3), ["x", "y"], num_samples=7, shuffle=False).batch(2)',
    "columns": "ds.NumpySlicesDataset(columns, shuffle=True).batch(3)",
    "a tuple of columns": "ds.NumpySlicesDataset((columns['a'], columns['b']), shuffle=False).batch(3)",
    "shards": 'ds.GeneratorDataset(rows(7), ["x", "y"], shuffle=False, num_shards=3, shard_id=1).batch(2)',
    "shuffled shards": 'ds.GeneratorDataset(rows(7), ["x", "y"], num_shards=3, shard_id=1).batch(2)',
    "a seed's order, repeated": 'ds.GeneratorDataset(Rows(), ["x", "y"]).batch(4).repeat(3)',
    "a buffer, repeated": 'ds.NumpySlicesDataset(columns, shuffle=False).shuffle(4).batch(2).repeat(2)',
    "mapped": """ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False).map(
    [vision.Rescale(1 / 255, 0.5), vision.HWC2CHW()], "x"
).map(transforms.TypeCast(ms.int32), ["y"]).batch(4)""",
    "padded": """ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False).map(
    [transforms.PadEnd([2, 6, 4], pad_value=9), transforms.PadEnd([2, 7, 4])], "x").batch(4)""",
    "mapped columns of a dict": """ds.NumpySlicesDataset(
        {"a": columns["a"], "b": columns["b"]}, shuffle=False
    ).map(transforms.TypeCast(ms.int32), "b").batch(3)""",
    "mapped columns": """ds.NumpySlicesDataset(columns, ["a", "b"]).map(
    lambda a, b: (a + 1, b * 2), ["a", "b"]).batch(7)""",
    "a column of another name": """ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False).map(
        lambda y: y + 1, ["y"], output_columns="z").map(lambda x, z: (x + z, z), ["x", "z"]).batch(4)""",
    "more columns": """ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False).map(
        lambda y: (y + 1, y * 2, y), "y", ["z", "w", "y"]).map(lambda w: w + 3).batch(4)""",
    "fewer columns": """ds.NumpySlicesDataset(
        (columns["a"], columns["a"] * 2, columns["b"]), ["a", "b", "c"]).map(
        lambda b, c: b + c[0], ["b", "c"], ["s"]).batch(3)""",
    "the first part": """ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False).split(
        [0.7, 0.3], randomize=False)[0].batch(3)""",
    "a part by count": "ds.NumpySlicesDataset(columns, shuffle=False).split([4, 3], False)[1].batch(2)",
    "a part at random": """ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False).split(
        [0.45, 0.45, 0.1])[1].batch(3)""",
    "a part of mapped rows": """ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False).map(
        transforms.TypeCast(ms.int32), "y").split([0.6, 0.4])[0].map(lambda y: y + 1, "y").batch(3)""",
    "a part, shuffled": "ds.NumpySlicesDataset(columns, shuffle=False).split([5, 2])[0].shuffle(5).batch(2)",
    "a part of a function's rows": """ds.GeneratorDataset(counted, ["x", "y"]).split(
        [3, 2], randomize=False)[1].batch(2)""",
}


@pytest.mark.parametrize("pipeline", PIPELINES.values(), ids=PIPELINES)
def test_a_pipeline_gives_the_same_batches(pipeline, seeds):
    made = translate_source(f"{HEAD}\nms.set_seed(5)\ndata = {pipeline}\n")
    assert "ms2torch" not in made.text and "mindspore" not in made.text, made.text
    there, here = {}, {}
    exec(made.text, there)
    exec(HEAD.replace("import mindspore", "import ms2torch").replace("from mindspore", "from ms2torch"), here)
    ms.set_seed(5)
    wanted = eval(pipeline, here).create_tuple_iterator(num_epochs=2, output_numpy=True)
    for epoch in range(2):
        data.set_epoch(there["data"], epoch)
        batches = list(there["data"])
        for batch, right in zip(batches, list(wanted), strict=True):
            for one, two in zip(batch, right, strict=True):
                np.testing.assert_array_equal(one.numpy(), two)
                assert one.numpy().dtype == two.dtype


FILES = {
    "digits": """ds.MnistDataset(folder, "test", shuffle=False).map(
    vision.Resize((9, 8), interpolation=vision.Inter.LINEAR), "image").map(
    transforms.TypeCast(ms.int32), "label").batch(3)""",
    "digits in a seed's order": """ds.MnistDataset(dataset_dir=folder).map(
    transforms.TypeCast(ms.int32), "label").batch(2, drop_remainder=True)""",
}


@pytest.mark.parametrize("pipeline", FILES.values(), ids=FILES)
def test_a_pipeline_over_files(pipeline, seeds, tmp_path):
    pixels = np.random.RandomState(0).randint(0, 256, (7, 28, 28)).astype(np.uint8)
    for part, images in (("t10k", pixels[:4]), ("train", pixels[4:])):
        head = np.array([2051, *images.shape], ">i4").tobytes()
        (tmp_path / f"{part}-images-idx3-ubyte").write_bytes(head + images.tobytes())
        labels = np.array([2049, len(images)], ">i4").tobytes() + bytes(range(len(images)))
        (tmp_path / f"{part}-labels-idx1-ubyte").write_bytes(labels)
    test_a_pipeline_gives_the_same_batches(pipeline.replace("folder", repr(str(tmp_path))), None)


@pytest.fixture
def seeds():
    """The generators as they were, afterwards."""
    state, torchs, seed = np.random.get_state(), torch.get_rng_state(), ds.config.get_seed()
    yield
    np.random.set_state(state)
    torch.set_rng_state(torchs)
    ds.config._values["seed"] = seed


@pytest.mark.parametrize("size", [None, 7, 100])
@pytest.mark.parametrize("count", [1, 2, 5, 64, 66000])
def test_orders_are_a_seeds(count, size, seeds):
    if count > 1000 and size:
        pytest.skip("long")
    ms.set_seed(3)
    torch.manual_seed(3)
    rows, order = ds.GeneratorDataset(range(count), ["x"]), data.SeededOrder(range(count))
    if size:
        rows, order = rows.shuffle(size), data.BufferedOrder(order, size)
    wanted = rows.create_tuple_iterator(output_numpy=True, num_epochs=2)
    for epoch in range(2 if count < 1000 else 1):
        order.set_epoch(epoch)
        assert list(order) == [int(x) for (x,) in wanted]


IMAGES = {
    "Resize up": (vision.Resize((32, 40)), data.resize((32, 40)), (28, 28, 1)),
    "Resize down": (vision.Resize((8, 50)), data.resize((8, 50)), (20, 31, 3)),
    "Rescale": (vision.Rescale(1 / 127.5, -1.0), data.rescale(1 / 127.5, -1.0), (6, 5, 3)),
    "Normalize": (vision.Normalize([1.0, 2], [4.0, 5]), data.normalize([1.0, 2], [4.0, 5]), (7, 6, 2)),
    "ToTensor": (vision.ToTensor(), data.to_tensor, (5, 6, 3)),
    "HWC2CHW": (vision.HWC2CHW(), data.channels_first, (5, 6, 3)),
    "CenterCrop": (vision.CenterCrop((21, 30)), data.center_crop((21, 30)), (28, 27, 3)),
}


@pytest.mark.parametrize(("theirs", "ours", "shape"), IMAGES.values(), ids=IMAGES)
def test_images_to_the_bit(theirs, ours, shape):
    image = np.random.RandomState(0).randint(0, 256, shape).astype(np.uint8)
    np.testing.assert_array_equal(ours(image), theirs(image))


KEPT = {
    "RandomCrop": 'ds.GeneratorDataset(Rows(), ["x", "y"]).map(vision.RandomCrop(2), "x").batch(4)',
    "zip": 'ds.zip((ds.GeneratorDataset(Rows(), ["x", "y"]), ds.GeneratorDataset(rows(3), ["z", "w"])))',
    "repeat": 'ds.GeneratorDataset(Rows(), ["x", "y"]).repeat(3).batch(4)',
}


NAMED = """
data = ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False)
data = data.map(lambda y: (y, y + 1), "y", output_columns=["y", "z"])
data = data.map(lambda x: x[0], "x", ["first"])
train, test = data.split([0.5, 0.5], randomize=False)
test = test.batch(3)
print(train.get_dataset_size(), test.get_col_names(), test.output_shapes(), len(test.output_types()))
for row in test.create_dict_iterator(num_epochs=1, output_numpy=True):
    print({name: value.shape for name, value in row.items()}, row["z"])
"""


def test_columns_keep_their_new_names_in_parts(capsys):
    made, shown = translate_source(HEAD + NAMED), []
    assert "ms2torch" not in made.text and "mindspore" not in made.text, made.text
    for text in ((HEAD + NAMED).replace("mindspore", "ms2torch"), made.text):
        exec(text, {})
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert "['y', 'z', 'first']" in shown[0]


def test_a_part_of_shuffled_rows_stays_and_says_why():
    made = translate_source(f'{HEAD}\na, b = ds.GeneratorDataset(Rows(), ["x", "y"]).split([6, 5])\n')
    assert "ms2torch.dataset" in made.text and "other rows in a part in each epoch" in made.text


@pytest.mark.parametrize("name", KEPT)
def test_what_has_no_rule_keeps_the_pipeline_and_says_why(name):
    made = translate_source(f"{HEAD}\ndata = {KEPT[name]}\n")
    assert "ms2torch.dataset" in made.text and "DataLoader" not in made.text
    assert f"{name} has no counterpart" in made.text


def test_without_a_seed_it_shuffles():
    made = translate_source(f'{HEAD}\ndata = ds.GeneratorDataset(Rows(), ["x", "y"]).batch(4)\n')
    assert 'data = DataLoader(Samples(Rows(), ["x", "y"]), batch_size=4, shuffle=True)' in made.text


MODEL = """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

data = ds.NumpySlicesDataset((np.zeros((8, 3), np.float32), np.zeros(8, np.int32)), ["x", "label"]).batch(4)
net = nn.Dense(3, 2)
loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.SGD(net.trainable_params(), 0.1)
model = Model(net, loss_fn, optimizer)
model.train(3, data, callbacks=[LossMonitor()])
"""
LOOP = """
net.train()
for epoch in range(1, 4):
    for step, (x, label) in enumerate(data, 1):
        optimizer.zero_grad()
        loss = loss_fn(net(x), label.long())
        loss.backward()
        optimizer.step()
        print(f"epoch: {epoch} step: {step}, loss is {loss.item()}")
"""


def test_a_model_that_only_trains_is_a_loop():
    made = translate_source(MODEL).text
    assert made.endswith(LOOP) and "Trainer" not in made and "model" not in made, made


def test_callbacks_of_a_program_keep_a_trainer():
    made = translate_source(MODEL.replace("[LossMonitor()]", "[LossMonitor(), mine]")).text
    assert "model = Trainer(net, loss_fn, optimizer)" in made and "model.train(3, data, callbacks=" in made


CALLBACKS = """
import mindspore.dataset as ds
import numpy as np
from mindspore import Model, Tensor, nn
from mindspore.train import History, LambdaCallback, LearningRateScheduler

net, seen, history = nn.Dense(3, 2), [], History()
net.weight.set_data(Tensor(np.ones((2, 3), np.float32)))
net.bias.set_data(Tensor(np.zeros(2, np.float32)))
x = np.arange(18, dtype=np.float32).reshape(6, 3) / 9
data = ds.NumpySlicesDataset((x, x[:, :2]), ["x", "y"], shuffle=False).batch(2)
model = Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
model.train(2, data, callbacks=[
    LearningRateScheduler(lambda rate, step: rate * 0.5 if step == 3 else rate),
    LambdaCallback(on_train_step_end=lambda run: seen.append(run.original_args().cur_step_num)),
    history,
], dataset_sink_mode=False)
"""


def test_callbacks_of_functions_rates_and_history():
    ours, theirs = {}, {}
    exec(CALLBACKS.replace("mindspore", "ms2torch"), ours)
    translation = translate_source(CALLBACKS)
    assert [site for site in translation.sites if not site.settled] == []
    exec(translation.text, theirs)
    assert ours["seen"] == theirs["seen"] == [1, 2, 3, 4, 5, 6]
    kept, other = ours["history"], theirs["history"]
    assert other.history["net_output"] == pytest.approx(kept.history["net_output"], 1e-5)
    assert kept.epoch == other.epoch == {"epoch": [1, 2]}


def measured(metrics):
    """What a model measures, by the original and by the translation, and the latter's text."""
    program = CALLBACKS.partition("model = ")[0] + f"found = Model(net, nn.MSELoss(), {metrics}).eval(data)\n"
    ours, theirs = {}, {}
    exec(program.replace("mindspore", "ms2torch"), ours)
    made = translate_source(program)
    assert [site for site in made.sites if not site.settled] == []
    exec(made.text, theirs)
    return ours["found"], theirs["found"], made.text


@pytest.mark.parametrize(
    "metrics", ['metrics={"mse"}', 'metrics={"mae": nn.MAE(), "loss": nn.Loss()}', "metrics=set(['loss'])"]
)
def test_the_head_has_the_metrics_that_a_program_names_and_no_other(metrics):
    ours, theirs, text = measured(metrics)
    assert ours.keys() == theirs.keys() and list(theirs.values()) == pytest.approx(list(ours.values()), 1e-6)
    assert ("metric_table" in text) == ("Accuracy" in text) == metrics.startswith("metrics=set")
    assert "def named" not in text


WATCHED = (
    CALLBACKS.partition("model = ")[0]
    .replace("History, ", "Callback, EarlyStopping, Metric, ReduceLROnPlateau, ")
    + """

class Told(Metric):
    def __init__(self):
        super().__init__()
        self.values = iter((5.0, 4.0, 4.2, 4.1, 4.3, 3.0, 3.1, 3.2, 3.3))

    def clear(self):
        pass

    def update(self, *inputs):
        pass

    def eval(self):
        return next(self.values)


class Epochs(Callback):
    def on_train_epoch_end(self, run):
        print("epoch", run.original_args().cur_epoch_num, net.bias.asnumpy().round(4))


model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"told": Told()})
model.fit(9, data, data, callbacks=[WATCH, Epochs()], dataset_sink_mode=False)
print(net.weight.asnumpy().sum().round(3))
"""
).replace("seen, history = nn.Dense(3, 2), [], History()", "seen = nn.Dense(3, 2), []")


@pytest.mark.parametrize(
    "watch",
    [
        'EarlyStopping("told", patience=2, verbose=True)',
        'EarlyStopping("told", 0.5, 2, mode="min", verbose=True, restore_best_weights=True)',
        "EarlyStopping(patience=1)",
        'EarlyStopping("loss", 10.0, 3, True)',
        'ReduceLROnPlateau("told", 0.5, patience=2, mode="min", cooldown=1, min_lr=0.03)',
        'ReduceLROnPlateau("loss", patience=1, min_delta=1.0)',
    ],
)
def test_what_a_training_watches(watch, capsys):
    program, shown = WATCHED.replace("WATCH,", f"{watch},"), []
    made = translate_source(program)
    assert [site for site in made.sites if not site.settled] == []
    for text in (program.replace("mindspore", "ms2torch"), made.text):
        exec(text, {})
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert "epoch 1" in shown[0]


def test_a_pipeline_that_another_files_function_is_given_stays():
    text = "from mindspore import dataset\n\n\ndef scaled(data):\n    return data.map(len)\n"
    tree, facts = ast.parse(text), Facts()
    (place,) = [site_of(n) for n in ast.walk(tree) if isinstance(n, ast.Call)]
    facts.add(place, Fact("mindspore.dataset.Dataset.map", (Kind("Dataset"),)))
    found = pipelines_of(tree, Reading(tree, facts))
    assert found.any and "begins is not told" in found.reason
    assert not pipelines_of(tree, Reading(tree)).any
