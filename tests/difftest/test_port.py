"""A port by hand against the real MindSpore: names are paired, a port that is right is equal, and each
mistake is named where it was made. ``records/by_hand.trace`` is MindSpore 2.10.0's run of by_hand/train.py,
recorded with --refeed 1,2."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.nn.utils import rnn

from ms2torch.difftest import (
    accumulated,
    again,
    options,
    pairing,
    recorder,
    scales,
    starts,
    trace,
    twin,
    updates,
)
from ms2torch.difftest.finding import Verdict
from ms2torch.difftest.locate import Tree
from ms2torch.difftest.walk import Walk

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RECORD = HERE / "records" / "by_hand.trace"
NORM, LINEAR = "nn.BatchNorm2d(4)", "functional.max_pool2d(torch.relu(self.features(x)), 2)"
# What is changed in port.py, and the first finding: step, stage of the record, where, part of the note.
MISTAKES = {
    "momentum": (NORM, "nn.BatchNorm2d(4, momentum=0.9)", 1, "parameter", "norm.moving_mean",
                 "share that stays"),
    "eps": (NORM, "nn.BatchNorm2d(4, eps=1e-3)", 1, "forward", "network._backbone.norm", "something else"),
    "relu": (LINEAR, "functional.max_pool2d(self.features(x), 2)", 1, "forward", "network._backbone.dense",
             "network._backbone.relu (ReLU)"),
    "pooling": ("(torch.relu(self.features(x)), 2)", "(torch.relu(self.features(x)), 3, 2, 1)", 1, "forward",
                "network._backbone.dense", "network._backbone.pool (MaxPool2d)"),
    "bias": ("nn.Conv2d(1, 4, 3, bias=False)", "nn.Conv2d(1, 4, 3)", 1, "initial", "features.0.bias",
             "nothing of its shape"),
    "evaluation": ("net = Net()", "net = Net().eval()", 1, "forward", "network._backbone.norm",
                   "evaluation mode"),
    "dropout": ("nn.Dropout(0.3)", "nn.Dropout(0.7)", 1, "forward", "network._backbone.drop",
                "something else"),
    "softmax": ("torch.softmax(self.out(x), -1)", "self.out(x)", 1, "loss", "TrainOneStepCell",
                "network._backbone.softmax (Softmax)"),
    "sum": (".float())\n    loss", ".float(), reduction='sum')\n    loss", 1, "loss", "TrainOneStepCell",
            "what comes after"),
    "clipping": ("    optimizer.step()", "    nn.utils.clip_grad_norm_(rest, 0.01)\n    optimizer.step()", 1,
                 "gradient", "conv.weight", "clipping"),
    "two updates": ("    optimizer.step()", "    optimizer.step()\n    optimizer.step()", 1, "optimizer",
                    "a second call of SGD", "calls its optimizer again"),
    "decay": ('"weight_decay": 0.01}', '"weight_decay": 0.0}', 1, "optimizer", "moments.conv.weight",
              "weight_decay is 0.01 in MindSpore and 0 in the port"),
    "decay of all": ('{"params": norm}', '{"params": norm, "weight_decay": 0.01}', 1, "optimizer",
                     "moments.norm.gamma", "decay no gamma and no beta"),
    "schedule": ("(0.1, 0.05, 0.02)", "(0.1, 0.1, 0.02)", 2, "learning_rate", "learning_rate", "schedules"),
}


def said_of(port, record, changes, folder):
    """What the tool says of a port with each of these (old, new)."""
    if not hasattr(os, "fork"):
        pytest.skip("the driver forks")
    command = [sys.executable, str(HERE / "by_hand" / "driver.py"), str(HERE / "by_hand" / port), str(record),
               json.dumps(changes), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """What the tool says of port.py as it is and with each mistake."""
    changes = [("", ""), *(m[:2] for m in MISTAKES.values())]
    found = said_of("port.py", RECORD, changes, tmp_path_factory.mktemp("ports"))
    return dict(zip(["", *MISTAKES], found, strict=True))


def test_a_loss_of_derivatives_and_an_update_without_torch_optim(tmp_path):
    """``records/twice.trace`` is MindSpore 2.10.0's run of twice.py, recorded with --refeed 1,2. The port
    calls the parts of a Module that it never calls and moves its weights itself."""
    right, sign, detached, momentum = said_of("twice_port.py", RECORD.with_name("twice.trace"), [
        ("", ""), ("- model.viscosity", "+ model.viscosity"), ("u * u_x -", "u * u_x.detach() -"),
        ("v.mul_(0.9)", "v.mul_(0.5)")], tmp_path)
    assert right["equal"] and right["compared"] > 30
    assert (sign["first"]["stage"], sign["first"]["where"]) == ("forward", "program/add")
    assert "although what net.2 gives agrees" in sign["first"]["note"]
    assert detached["first"]["detail"] == "gradient" and "detached" in detached["first"]["note"]
    assert (momentum["first"]["step"], momentum["first"]["stage"]) == (2, "optimizer")


def test_an_optimizer_of_its_own_class_has_more_to_its_rate_than_it_shows(tmp_path):
    made, loop = "optimizer = torch.optim.SGD(groups, 0.1, momentum=0.9)\n", 'group["lr"] = rate\n'
    text = (HERE / "by_hand" / "port.py").read_text()
    part = text[text.index(made):text.index(loop) + len(loop)]
    own = """
class Warming(torch.optim.SGD):
    def step(self):
        for group in self.param_groups:
            group["lr"] *= 10
        super().step()
        for group in self.param_groups:
            group["lr"] /= 10

"""
    shown = part.replace(made, own + made.replace("torch.optim.SGD", "Warming"))
    shown = shown.replace("= rate", "= rate / 10")
    right, wrong = said_of("port.py", RECORD, [(part, shown), (part, shown.replace("rate / 10", "rate / 9"))],
                           tmp_path)
    assert right["equal"]
    assert [f["detail"] for f in wrong["findings"]][-1] == "learning_rate"
    assert wrong["first"]["stage"] == "optimizer" and wrong["first"]["where"] != "learning_rate"


def test_networks_of_the_same_names_and_their_optimizers_are_told_apart(tmp_path):
    """``records/two_networks.trace`` is MindSpore 2.10.0's run of two_networks.py, recorded with --refeed
    1,2,3,4: a step of the critic, whose loss is a sum of two, and one of the generator. One port makes
    one batch for both steps, so its moving statistics move once; the last calls one optimizer twice."""
    record = RECORD.with_name("two_networks.trace")
    right, half, beta, reused, twice = said_of("two_networks_port.py", record, [
        ("", ""), (" + bce(of_made", " + 0.5 * bce(of_made"),
        ("(generator.parameters(), 1e-2, betas=(0.5", "(generator.parameters(), 1e-2, betas=(0.9"),
        ("critic(generator(z))", "critic(fake)"),
        ("    judged.step()\n", "    judged.step()\n    judged.step()\n")], tmp_path)
    assert right["equal"] and right["compared"] > 70
    assert half["first"]["where"] == "program/add"
    assert beta["first"]["where"] == "moment1.Generator.fc1.weight"
    assert "beta1 is 0.5 in MindSpore and 0.9 in the port" in beta["first"]["note"]
    assert reused["first"]["where"].endswith(("norm.moving_mean", "norm.moving_variance"))
    assert "another number of calls" in reused["first"]["note"]
    assert not any("are not called as MindSpore's are" in note for note in right["notes"])
    assert twice["first"]["where"] == "a second call of Adam" and len(twice["findings"]) == 1


def test_calls_are_paired_by_what_they_are_given(tmp_path):
    """``records/experts.trace`` is MindSpore 2.10.0's run of experts.py, recorded with --refeed 1,2,3. The
    port's Modules hold layers of one name with other parameters."""
    changes = [("", ""), ("edges, self.project", "edges.t(), self.project"),
               ("shares[rows, slots, None] * ", ""), ("0.1 * share", "0.2 * share"),
               ("y) ** 2).mean().back", "y) ** 2).sum().back"), ("softmax(-1)", "softmax(0)")]
    right, *wrong = said_of("experts_port.py", RECORD.with_name("experts.trace"), changes, tmp_path)
    assert right["equal"] and right["compared"] > 300
    assert [(w["first"]["stage"], w["first"]["where"]) for w in wrong] == [
        ("forward", "graph.expert"), ("forward", "head"), ("forward", "program/add"),
        ("forward", "program/add"), ("forward", "head")]


def test_an_average_that_is_called_first_and_a_kernel_with_its_axes_exchanged(tmp_path):
    """``records/teacher.trace`` is MindSpore 2.10.0's run of teacher.py, recorded with --refeed 1,2."""
    changes = [("", ""), ("mse_loss(learnt, taught)", "l1_loss(learnt, taught)"),
               ("(weight, 0.2)", "(weight, 0.8)"), ("x.mT[", "x.mT.flip(1)["), ("mean(2)", "amax(2)")]
    right, loss, average, data, pool = said_of("teacher_port.py", RECORD.with_name("teacher.trace"), changes,
                                               tmp_path)
    assert right["equal"] and right["compared"] > 50
    assert [(w["first"]["step"], w["first"]["where"]) for w in (loss, average, data, pool)] == [
        (1, "program/add"), (2, "Net.convolve.weight"), (1, "convolve"), (1, "out")]


def test_a_gate_after_an_activation_a_product_in_half_and_calls_that_accumulate(tmp_path):
    """``records/gated.trace`` is MindSpore 2.10.0's run of gated.py, recorded with --refeed 1,2,3,4. Some of
    the product's results are rounded otherwise there."""
    product = "(x.half() @ self.mix.weight.half().T).float()"
    changes = [("", ""), (product, product.replace("half()", "bfloat16()")),
               ("(self.gate)", "(self.gate.detach())"), ("delta=0.7", "delta=0.8"),
               (product, "x @ self.mix.weight.T"), ("sigmoid", "tanh")]
    right, *wrong = said_of("gated_port.py", RECORD.with_name("gated.trace"), changes, tmp_path)
    assert right["equal"] and right["compared"] > 40
    assert [(w["first"]["stage"], w["first"]["where"]) for w in wrong] == [
        ("forward", "net.out"), ("backward", "gate"), ("backward", "net.out"), ("forward", "net.out"),
        ("forward", "net.into")]
    assert "never gets a gradient" in wrong[1]["first"]["note"]


def test_which_gelu_a_layer_ends_in_and_the_epsilon_of_a_normalisation(tmp_path):
    """``records/normed.trace`` is MindSpore 2.10.0's run of normed.py, recorded with --refeed 1,2. Its tanh
    of large values is four digits good, and hides neither."""
    changes = [("", ""), (', approximate="tanh"', ""), ("eps=1e-7", "eps=1e-5")]
    right, *wrong = said_of("normed_port.py", RECORD.with_name("normed.trace"), changes, tmp_path)
    assert right["equal"] and right["compared"] > 40
    assert [(w["first"]["where"].rpartition(".")[2], w["first"]["role"]) for w in wrong] == [
        ("mid", "input"), ("norm", "output")]


def test_dropout_after_a_relu_a_bias_in_half_and_evaluation_between_steps(tmp_path):
    """``records/dropping.trace`` is MindSpore 2.10.0's run of dropping.py, recorded with --refeed 1,2."""
    changes = [("", ""), ("half()", "bfloat16()"), ("nn.Dropout(0.3)", "nn.Dropout(0.7)"), ("y)) / 2", "y))")]
    right, *wrong = said_of("dropping_port.py", RECORD.with_name("dropping.trace"), changes, tmp_path)
    assert right["equal"] and right["compared"] > 40
    assert [(w["first"]["stage"], w["first"]["where"], w["first"]["role"]) for w in wrong] == [
        ("forward", "drop", "input"), ("forward", "drop", "output"), ("forward", "program/truediv", "output")]


def test_a_port_without_the_loss_scale_and_the_place_of_an_epsilon(tmp_path):
    """``records/scaled.trace`` is MindSpore 2.10.0's run of scaled.py, recorded with --refeed 1,2."""
    changes = [("", ""), ("(squares + 1e-4).sqrt()", "(squares.sqrt() + 1e-4)")]
    right, epsilon = said_of("scaled_port.py", RECORD.with_name("scaled.trace"), changes, tmp_path)
    assert right["equal"] and right["compared"] > 30
    assert epsilon["first"]["stage"] == "optimizer"


def test_divergences_renamed_states_and_weights_without_layers(tmp_path):
    """``records/softened.trace`` is MindSpore 2.10.0's run of softened.py, recorded with --refeed
    1,2,3,4,5."""
    changes = [("", ""), ("/ 3, -1), reduction", "/ 3.01, -1), reduction"), ("betas=(0.8", "betas=(0.9"),
               ("of_student = torch.optim.Adam(student.parameters(), lr=1e-2",
                "of_student = torch.optim.Adam(student.parameters(), lr=1e-2, eps=1e-7"),
               ("F.relu(F.linear", "F.silu(F.linear")]
    right, *wrong = said_of("softened_port.py", RECORD.with_name("softened.trace"), changes, tmp_path)
    assert right["equal"] and right["compared"] > 100
    assert [(w["first"]["step"], w["first"]["where"]) for w in wrong] == [
        (1, "Distilling"), (3, "moment1.gate.weight"), (1, "student.0.weight"), (1, "Distilling")]
    assert "beta1 is 0.8 in MindSpore and 0.9" in wrong[1]["first"]["note"]


def test_square_matrices_of_products_and_a_loss_scale_within_the_function(tmp_path):
    """``records/products.trace`` is MindSpore 2.10.0's run of products.py, recorded with --refeed 1,2."""
    changes = [("", ""), ("mse_loss(net(x), y)", "mse_loss(net(x), y) / 2"), ("nn.ReLU()", "nn.Tanh()"),
               ("lr=0.1", "lr=0.11")]
    right, loss, layer, rate = said_of("products_port.py", RECORD.with_name("products.trace"), changes,
                                       tmp_path)
    assert right["equal"] and right["compared"] > 20 and right["tolerated"]
    assert [w["first"]["where"] for w in (loss, layer, rate)] == ["program/mul", "out", "learning_rate"]


def test_a_layer_that_pads_both_sides_and_a_crop_after_it(tmp_path):
    """``records/causal.trace`` is MindSpore 2.10.0's run of causal.py, recorded with --refeed 1,2. The second
    port crops at the end alone."""
    crop = "[:, :, :n]"
    changes = [("", ""), (f"{crop})\n", ")\n"), (f"self.first(x){crop}", "self.first(x)[:, :, -n:]"),
               ("padding=4, dilation=2", "padding=2, dilation=2"), ("dilation=2", "dilation=1")]
    right, late, *wrong = said_of("causal_port.py", RECORD.with_name("causal.trace"), changes, tmp_path)
    assert right["equal"] and late["equal"] and right["compared"] > 40
    assert any("average.a.conv.weight" in note for note in right["notes"])
    assert [(w["first"]["stage"], w["first"]["where"], w["first"]["role"]) for w in wrong] == [
        ("forward", "b.conv", "input"), ("forward", "b.conv", "output"), ("forward", "b.conv", "output")]


def test_one_step_of_the_loop_is_recorded_with_the_updates_of_all_its_optimizers(tmp_path):
    asked = options.Options(script=["t.py"], torch="port.py", align=("weights",), refeed=(1,),
                            reference="ms2torch")
    place = SimpleNamespace(folder=tmp_path, start=lambda *_: None)
    twin.Twin(asked, place, Verdict()).start_reference(str(tmp_path / "a.trace"), refeed=(1,), turns=1)
    spec = json.loads((tmp_path / "a.json").read_text())
    assert (spec["steps"], spec["updates"]) == (1, None)
    assert (spec["align"], spec["full"]) == ([], ["initial/*"])  # what the port takes over is kept whole


def test_a_right_port_is_equal_and_its_pairs_are_told(judged):
    found = judged[""]
    assert found["equal"] and found["steps"] == 3 and found["compared"] > 60
    pairs = {p["reference"]: p["port"] for p in found["pairs"]["parameters"]}
    assert pairs == {
        "conv.weight": "features.0.weight", "norm.gamma": "features.1.weight", "norm.beta": "features.1.bias",
        "norm.moving_mean": "features.1.running_mean", "norm.moving_variance": "features.1.running_var",
        "dense.weight": "linear.weight", "dense.bias": "linear.bias", "head.weight": "out.weight",
        "head.bias": "out.bias"}
    assert found["pairs"]["modules"]["network._backbone.drop"] == "dropout"
    alone = found["pairs"]["unpaired"]
    assert alone["reference"]["parameters"] == alone["port"]["parameters"] == []
    assert [n.rpartition(".")[2] for n in alone["reference"]["modules"]] == [
        "flatten", "pool", "relu", "softmax", "_loss_fn"]
    assert found["pairs"]["states"]["moments.norm.beta"] == "momentum_buffer.features.1.bias"


def test_what_a_last_digit_moves_as_far_is_rounding():
    """A sum whose terms cancel: here a thousand times further apart than what went in."""
    def record(*values):
        array = np.array(values, np.float32)
        return {"step": 1, "stage": "backward", "where": "query", "role": "grad_output", "index": 0,
                "call": 0, "dtype": "float32", "shape": [2], "array": array,
                "stats": recorder.statistics(array)}

    reference, ours, shaken = record(1.0, 0.0), record(1.001, 0.0), record(1.0, 0.0005)
    for moved, found in (({}, 1), ({updates.place(ours): shaken}, 0)):
        walk = updates.Updates()
        walk.verdict, walk.tree, walk.findings, walk.number = Verdict(), Tree([]), [], 1
        walk.moved, walk.otherwise, walk.worst_moved, walk.worst = moved, {}, 2e-6, 1e-6
        walk._judge(reference, ours, walk.worst, "")
        assert len(walk.findings) == found
        assert walk.worst < 1e-5 if moved else walk.worst > 1e-4


class Calls:
    """A trace of a train cell that updates in every second call."""

    header, steps, idle = {"level": "step", "options": {"refeed": [1, 2, 3, 4]}}, 4, {1, 3}

    def step(self, number):
        def record(order, stage, where, call=0):
            return {"kind": "tensor", "step": number, "order": order, "stage": stage, "where": where,
                    "role": "value", "index": 0, "call": call, "of": number}

        return [record(1, "initial", "w"), record(2, "forward", "net"), record(3, "forward", "net", 1),
                *([record(4, "gradient", "w")] if number % 2 == 0 else []), record(5, "parameter", "w")]


def test_calls_of_a_train_cell_up_to_its_update_are_one_step():
    merged = accumulated.by_updates(Calls())
    assert (merged.steps, merged.header["options"]["refeed"], accumulated.calls_per_update(Calls())) == (
        2, [1, 2], 2)
    assert [(r["stage"], r["call"], r["of"]) for r in merged.step(2)] == [
        ("initial", 0, 3), ("forward", 0, 3), ("forward", 1, 3), ("forward", 2, 4), ("forward", 3, 4),
        ("gradient", 0, 4), ("parameter", 0, 4)]
    assert accumulated.by_updates(merged) is merged


@pytest.mark.parametrize(("share", "found"), [(0.05, 0), (0.01, 1)])
def test_an_average_of_weights_that_a_program_keeps_itself_is_compared(share, found):
    def record(value, role="value"):
        array = np.array([value], np.float32)
        return {"step": 2, "stage": "initial", "where": "teacher.weight", "role": role, "index": 0, "call": 0,
                "dtype": "float32", "shape": [1], "array": array, "stats": recorder.statistics(array)}

    walk = Walk.__new__(Walk)
    walk.verdict, walk.tree, walk.findings, walk.number = Verdict(), Tree([]), [], 2
    walk.pairs = pairing.Pairs(parameters={"teacher.weight": "teacher.weight"})
    walk.ended = {"teacher.weight": (np.array([1.0]), np.array([1.0]))}
    # The student's weight is 2 on both sides; what the port starts from itself is recorded as its own.
    starts = [record(1.05), record(1 + share, "own")]
    walk.theirs = {updates.place(r): r for r in starts}
    walk._between_steps([record(1.05)])
    assert [f.stage for f in walk.findings] == ["parameter"] * found


def test_packed_sequences_are_the_padded_rows_that_mindspore_has():
    rows = torch.arange(12.0).reshape(3, 4)[:, :, None]
    packed = rnn.pack_padded_sequence(rows, torch.tensor([2, 4, 1]), batch_first=True, enforce_sorted=False)
    seen = []

    def look(value, index):
        seen.append((index, value))
        return value * 2

    doubled, state = recorder.map_tensors((packed, torch.ones(2)), torch.Tensor, look)
    assert [index for index, _ in seen] == [0, 1]
    expected = rows[:, :, 0] * torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]])
    assert torch.equal(seen[0][1][:, :, 0], expected)
    back, lengths = rnn.pad_packed_sequence(doubled, batch_first=True)
    assert torch.equal(back[:, :, 0], 2 * expected) and lengths.tolist() == [2, 4, 1]
    assert torch.equal(state, torch.full((2,), 2.0))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_where_it_was_made(judged, mistake):
    _, _, step, stage, where, note = MISTAKES[mistake]
    first = judged[mistake]["first"]
    assert (first["step"], first["detail"], first["where"]) == (step, stage, where)
    assert note in first["note"]


def test_a_second_call_of_an_optimizer_is_told_only_where_mindspore_has_one():
    def step(*stages, update=0, call=0, where="w", norm=1.0):
        return [{"kind": "tensor", "stage": stage, "where": where, "update": update, "call": call,
                 "stats": {"norm": norm}} for stage in stages]

    whole, alone = step("data", "loss", "learning_rate", "gradient"), step("learning_rate", "gradient")
    assert again.weight(whole, whole, whole, alone)["where"] == "w"
    assert again.weight(whole, alone, whole, alone) is None  # both call it twice
    assert again.weight(whole + step("gradient", call=1), whole, whole, alone) is None
    assert again.weight(whole, whole, alone, alone) is None  # a port whose calls are never seen
    assert again.weight(step("data", "learning_rate"), whole, whole, alone) is None  # a graph
    assert again.weight(whole, whole, whole, whole) is None
    for other in ({"update": 1}, {"where": "v"}, {"norm": 0.0}):  # of a GAN, of a group, nothing to move
        assert again.weight(whole, whole, whole, step("learning_rate", "gradient", **other)) is None


class Fake:
    """As much of a trace as pairing asks for."""

    def __init__(self, **shapes):
        self.cells, self.records, self.roots, self.updates = [], [], [], {}
        self.parameters = [{"name": name.replace("_", "."), "shape": list(shape)}
                           for name, shape in shapes.items()]

    def step(self, _):
        return [{"kind": "tensor", "stage": "parameter", "where": p["name"], "role": "value", "index": 0}
                for p in self.parameters]

    def updates_in(self, steps):
        return list(steps)


@pytest.mark.parametrize("left, right, expected, alone", [
    # numbers in a container are no names
    ({"0_weight": (4, 2), "2_weight": (4, 4), "4_weight": (4, 4)},
     {"1_weight": (4, 2), "4_weight": (4, 4), "7_weight": (4, 4)},
     {"0.weight": "1.weight", "2.weight": "4.weight", "4.weight": "7.weight"}, ([], [])),
    # names say more than the order in which layers of one shape are defined
    ({"q_weight": (4, 4), "k_weight": (4, 4)}, {"k_weight": (4, 4), "q_weight": (4, 4)},
     {"q.weight": "q.weight", "k.weight": "k.weight"}, ([], [])),
    # MindSpore's Conv1d has a height of 1; a bias is alone where only one side has it
    ({"c_weight": (3, 2, 1, 5)}, {"d_weight": (3, 2, 5), "d_bias": (3,)},
     {"c.weight": "d.weight"}, ([], ["d.bias"])),
    # one name and two shapes: paired, for the shape to be named
    ({"fc_weight": (4, 2)}, {"fc_weight": (5, 2)}, {"fc.weight": "fc.weight"}, ([], [])),
    # scales that a Cell holds beside its layers are layers of the port's
    ({"a_g": (4,), "a_h": (4,), "a_n_weight": (4, 2), "b_g": (4,), "b_h": (4,), "b_n_weight": (4, 2)},
     {"x_n_weight": (4, 2), "x_s_scale": (4,), "x_t_scale": (4,), "y_n_weight": (4, 2), "y_s_scale": (4,),
      "y_t_scale": (4,)},
     {"a.n.weight": "x.n.weight", "b.n.weight": "y.n.weight", "a.g": "x.s.scale", "a.h": "x.t.scale",
      "b.g": "y.s.scale", "b.h": "y.t.scale"}, ([], [])),
    ({"a_gamma": (4,), "a_beta": (4,), "b_weight": (7, 4)}, {"x_weight": (7, 4)},
     {"b.weight": "x.weight"}, (["a.gamma", "a.beta"], [])),
])
def test_parameters_are_paired_by_structure_shape_and_order(left, right, expected, alone):
    found = pairing.pairs(Fake(**left), Fake(**right))
    assert (found.parameters, found.alone) == (expected, alone)


def test_two_traces_of_which_one_is_a_ports(tmp_path, capsys):
    """Without --align the port trains from weights of its own, and that is the first thing said."""
    out = tmp_path / "port.trace"
    command = [sys.executable, str(ROOT / "ms2torch/difftest/recorder"), "--torch", "-o", str(out),
               "--refeed", "1,2", str(HERE / "by_hand" / "port.py")]
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
    assert twin.main([str(out), str(RECORD)]) == 1
    said = capsys.readouterr().out
    assert "conv.weight differs" in said and "--align weights takes MindSpore's" in said
    assert "paired 9 parameters" in said


def test_the_reference_trace_is_real():
    header = trace.open(RECORD).header
    assert (header["side"], header["version"]) == ("mindspore", "2.10.0")


@pytest.mark.parametrize("modes, kept", [
    ({"net": False, "loss": True}, {"net", "loss"}),  # a network that was never told to train
    ({"net": True, "loss": True}, {"net", "loss"}),
    ({"net": False}, {"net"}),
    ({"net": True, "scores": False}, {"net"}),  # an evaluation within the step
])
def test_a_network_that_was_never_told_to_train_is_compared(modes, kept):
    records = [{"kind": "tensor", "stage": "forward", "role": "output", "where": name, "training": mode}
               for name, mode in modes.items()]
    records.append({"kind": "tensor", "stage": "backward", "role": "grad_output", "where": "net"})
    assert {r["where"] for r in pairing.of_training(records) if r["stage"] == "forward"} == kept


@pytest.mark.parametrize(("begun", "compared"), [(1024.0, 1536.0), (512.0, 1.5)])
def test_a_loss_scale_by_which_amp_multiplies_after_the_loss_was_recorded(begun, compared):
    """Told by the gradient that comes to the loss; another factor stays a mistake."""
    loss = {"stage": "forward", "role": "output", "stats": {"n": 1, "mean": 1.5}}
    first = {"stage": "backward", "role": "grad_output", "stats": {"n": 1, "mean": begun, "norm": begun}}
    other = {"stage": "loss", "role": "output", "stats": {"n": 1, "mean": 1536.0}}
    records, found = scales.of_losses([loss, first], [other], loss, other)
    assert found["stats"]["mean"] == compared
    assert records[0] is found
    assert records[1] is first


def test_of_several_optimizers_the_one_whose_update_it_was_is_named():
    cells = [{"name": name, "class": "SGD"} for name in ("optimizer", "Step.optimizer")]
    tree = Tree(cells, (), {0: {"cell": "optimizer"}, 1: {"cell": "Step.optimizer"}, 2: {"class": "Adam"}})
    assert [tree.optimizer(k) for k in (0, 1)] == ["optimizer", "Step.optimizer"]
    assert Tree([], (), {2: {"class": "Adam"}}).optimizer(2) == "Adam"


def test_initial_weights_of_another_kind_are_told():
    """A constant of another value, a constant beside something drawn, another spread; two draws are alike."""
    def side(**starts):
        steps = [{"stage": "initial", "role": "value", "where": name,
                  "stats": {"n": a.size, "mean": float(a.mean()), "norm": float(np.linalg.norm(a))}}
                 for name, a in starts.items()]
        return SimpleNamespace(step=lambda number: steps)

    rng = np.random.RandomState(0)
    draw = rng.uniform(-1, 1, (4, 200))
    mine = side(slope=np.array([0.25]), bias=np.zeros(8), table=0.01 * draw[0], kernel=draw[1],
                one=draw[2, :1])
    theirs = side(slope=np.array([0.1]), bias=draw[0, :8], table=draw[2], kernel=draw[3], one=draw[1, :1])
    (said,) = starts.note_of_starts(mine, theirs, {n: n for n in ("slope", "bias", "table", "kernel", "one")})
    told = said.partition("alone: ")[2]
    assert "kernel" not in told and "one (" not in told
    for pair in ("slope (all 0.25) and slope (all 0.1)", "bias (all 0) and bias (spread",
                 "table (spread 0.0057) and table (spread 0.6)"):
        assert pair in told
