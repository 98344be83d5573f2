"""``SummaryLandscape``, and what ``SummaryCollector`` keeps for it."""

import glob
import json
import os
import struct
import tempfile

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import SummaryCollector, SummaryLandscape, Tensor, nn, ops
from mindspore.train import Loss, Model

from tests.reference.judge import case, data

FACTS = {
    "epoch_group": {"0": [1, 2, 3], "1": [1, 3, 4, 7]},
    "model_params_file_map": {},
    "step_per_epoch": 3,
    "unit": "step",
    "num_samples": 8,
    "landscape_size": 4,
    "create_landscape": {"train": True, "result": True},
}


class Net(nn.Cell):
    """Has a parameter that a landscape leaves alone, and statistics that running it changes."""

    def __init__(self, seed=0):
        super().__init__()
        self.a = nn.Dense(5, 4, Tensor(data((4, 5), seed=seed)), Tensor(data((4,), seed=seed + 50)))
        self.bn = nn.BatchNorm1d(4)
        self.b = nn.Dense(4, 3, Tensor(data((3, 4), seed=seed + 100)), has_bias=False)
        self.scale = ms.Parameter(Tensor(data((3,), seed=seed + 150)), name="scale")

    def construct(self, x):
        return self.b(ops.tanh(self.bn(self.a(x)))) * self.scale


def rows():
    for i in range(12):
        yield data((5,), seed=i), data((3,), seed=i + 20)


def batches():
    return ds.GeneratorDataset(rows, ["x", "y"], shuffle=False).batch(4)


def evaluated():
    network, metrics = Net(), {"Loss": Loss()}
    return Model(network, nn.MSELoss(), metrics=metrics), network, batches(), metrics


def collected(folder, save=True, **facts):
    """A SummaryLandscape of a folder with four checkpoints, far from each other."""
    landscape = SummaryLandscape(folder)
    files = {str(i): f"{folder}/ckpt_dir/Net_{i}_step.ckpt" for i in (1, 2, 3, 4, 7)}
    for i, file in files.items() if save else ():
        ms.save_checkpoint(Net(int(i)), file)
    with open(f"{folder}/ckpt_dir/train_metadata.json", "w") as file:
        json.dump({**FACTS, "model_params_file_map": files, **facts}, file)
    return landscape


def known(folder):
    with open(f"{folder}/ckpt_dir/train_metadata.json") as file:
        return json.loads(file.read().replace(os.path.realpath(folder), ""))


def numbers(point):
    return [(t.data_type, list(t.dims), np.array(t.float_data, np.float32)) for t in (point.x, point.y, point.z)]


def landscapes(folder):
    from mindspore.train.summary_pb2 import Event

    found = []
    with open(glob.glob(os.path.join(folder, "*_MS"))[0], "rb") as file:
        content = file.read()
    while content:
        size = struct.unpack("<Q", content[:8])[0]
        event, content = Event.FromString(content[12 : 12 + size]), content[16 + size :]
        for value in event.summary.value:
            one = value.loss_landscape
            about = one.metadata.decomposition, one.metadata.unit, one.metadata.step_per_epoch
            found.append((event.step, value.tag, about, list(one.loss_path.intervals), numbers(one.landscape),
                          numbers(one.loss_path.points), numbers(one.convergence_point)))
    return found


@case(each={"facts": [{}, {"unit": "epoch", "num_samples": 5, "landscape_size": 3},
                      {"create_landscape": {"train": False, "result": True}, "landscape_size": 5}]})
def test_landscapes(facts):
    with tempfile.TemporaryDirectory() as folder:
        np.random.seed(3)
        collected(folder, **facts).gen_landscapes_with_multi_process(evaluated, device_ids=[0])
        return landscapes(folder)


@case()
def test_what_was_collected_is_changed():
    with tempfile.TemporaryDirectory() as folder:
        landscape, out = collected(folder), os.path.join(folder, "out")
        asked = {"landscape_size": 3, "intervals": [[2, 4, 7]], "create_landscape": {"train": True, "result": False}}
        landscape.gen_landscapes_with_multi_process(evaluated, asked, [], out)
        facts, mode = known(folder), os.stat(f"{folder}/ckpt_dir/train_metadata.json").st_mode
        landscape.clean_ckpt()
        return landscapes(out), facts, oct(mode), os.path.exists(folder + "/ckpt_dir")


@case(each={"unit": ["step", "epoch"]})
def test_what_is_collected(unit):
    network = Net()
    model = Model(network, nn.MSELoss(), nn.Momentum(network.trainable_params(), 0.1, 0.9))
    asked = {"unit": unit, "intervals": [[1, 2, 4], [2, 3, 5]], "num_samples": 8}
    with tempfile.TemporaryDirectory() as folder:
        collector = SummaryCollector(folder, collect_specified_data={"collect_landscape": asked},
                                     keep_default_action=False)
        model.train(2, batches(), callbacks=[collector], dataset_sink_mode=False)
        files = sorted(os.listdir(f"{folder}/ckpt_dir"))
        saved = {n: p.asnumpy() for n, p in ms.load_checkpoint(f"{folder}/ckpt_dir/Net_2_{unit}.ckpt").items()}
        return files, known(folder), saved, oct(os.stat(f"{folder}/ckpt_dir/train_metadata.json").st_mode)


def refused(facts, save=False, **arguments):
    with tempfile.TemporaryDirectory() as folder:
        try:
            landscape = SummaryLandscape(folder) if facts is None else collected(folder, save, **facts)
            landscape.gen_landscapes_with_multi_process(evaluated, **arguments)
        except Exception as error:
            close_records(error.__traceback__)
            raise type(error)(*[str(text).replace(os.path.realpath(folder), "") for text in error.args]) from None


def close_records(at):
    """MindSpore leaves the record of a refused call open."""
    while at:
        record = at.tb_frame.f_locals.get("summary_record")
        if record is not None:
            record.close()
        at = at.tb_next


@case(each={"ids": [None, 0, (0,), ["a"], [1.5], [8], [-1]]}, raises=True)
def test_devices_that_are_none(ids):
    refused({}, device_ids=ids)


@case(
    each={
        "asked": [
            {"x": 1},
            {"landscape_size": 2},
            {"landscape_size": 4.0},
            {"landscape_size": True},
            {"unit": "hour"},
            {"unit": 1},
            {"num_samples": "a"},
            {"create_landscape": {"train": True}},
            {"create_landscape": {"a": True, "train": True}},
            {"create_landscape": {"train": 1, "result": True}},
            {"create_landscape": [1]},
            {"intervals": 3},
            {"intervals": [3]},
            {"intervals": [[1, 2]]},
            {"intervals": [[1, 2, 3.0]]},
            {"intervals": [[1, 2, 5]]},
            [],
        ]
    },
    raises=True,
)
def test_what_cannot_be_asked_for(asked):
    refused({}, device_ids=[0], collect_landscape=asked)


@case(
    each={
        "facts": [
            {"unit": "h"},
            {"landscape_size": 300},
            {"num_samples": "8"},
            {"step_per_epoch": 1.5},
            {"create_landscape": {"train": True}},
            {"epoch_group": {"0": [1, 2]}},
            {"epoch_group": {"0": [1, 2, 9]}},
            {"more": 1},
            None,
        ]
    },
    raises=True,
)
def test_files_that_cannot_be(facts):
    refused(facts, device_ids=[0])


@case(each={"facts": [{"num_samples": 3}, {"epoch_group": {"0": [1, 2, 2]}}]}, raises=True)
def test_losses_that_cannot_be_computed(facts):
    refused(facts, True, device_ids=[0])


@case(raises=True)
def test_nothing_to_change():
    refused(None, device_ids=[0], collect_landscape={})
