"""Callbacks of ``map``, the debug mode's hooks, lines of files."""

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms
import mindspore.dataset.vision as vision
import numpy as np
from mindspore import nn
from mindspore.dataset.debug import DebugHook, PrintDataHook

from tests.reference.judge import case, printed
from tests.reference.test_mindrecord import folder, said


def diary(step_size, rows, epochs, repeat=1, others=()):
    found = []

    class Diary(ds.DSCallback):
        def note(self, event, context):
            found.append((event, context.cur_epoch_num, context.cur_step_num_in_epoch, context.cur_step_num))

        def ds_begin(self, context):
            self.note("begin", context)

        def ds_epoch_begin(self, context):
            self.note("epoch begin", context)

        def ds_epoch_end(self, context):
            self.note("epoch end", context)

        def ds_step_begin(self, context):
            self.note("step begin", context)

        def ds_step_end(self, context):
            self.note("step end", context)

    dataset = ds.NumpySlicesDataset(list(range(rows)), ["a"], shuffle=False)
    callbacks = [Diary(size) for size in (step_size, *others)]
    dataset = dataset.map(lambda x: x + 0, ["a"], callbacks=callbacks, num_parallel_workers=1).repeat(repeat)
    values = dataset.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    seen = [[int(row[0]) for row in values] for _ in range(epochs)]
    # among the others at the threads' pleasure
    ends = [event for event in found if event[0] == "step end"]
    return seen, ends, [event for event in found if event[0] != "step end"]


@case(each=[{"step_size": 1, "rows": 5, "epochs": 2}, {"step_size": 2, "rows": 5, "epochs": 2},
            {"step_size": 3, "rows": 7, "epochs": 1}, {
                "step_size": 2, "rows": 3, "epochs": 1, "others": (1,)},
            {"step_size": 1, "rows": 2, "epochs": 2, "repeat": 2}])
def test_callbacks_are_told(step_size, rows, epochs, repeat=1, others=()):
    return diary(step_size, rows, epochs, repeat, others)


class Nothing(ds.DSCallback):
    pass


class Failing(ds.DSCallback):
    def ds_step_begin(self, ds_run_context):
        raise ValueError("no")


class Order(ds.DSCallback):
    def __init__(self):
        super().__init__()
        self.begun = self.ended = 0
        self.right = True

    def ds_step_begin(self, ds_run_context):
        self.begun += 1

    def ds_step_end(self, ds_run_context):
        self.ended += 1
        self.right = self.right and self.ended <= self.begun


@case
def test_steps_begin_before_they_end():
    order = Order()
    dataset = ds.NumpySlicesDataset(list(range(40)), ["a"]).map(lambda x: x, ["a"], callbacks=order)
    rows = len(list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)))
    return rows, order.begun, order.ended, order.right


def mapped(callbacks):
    dataset = ds.NumpySlicesDataset([1, 2], ["a"], shuffle=False).map(lambda x: x, ["a"], callbacks=callbacks)
    return len(list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)))


BAD = {"nothing": lambda: mapped(Nothing()), "kind": lambda: mapped(5), "kind-list": lambda: mapped([5]),
       "raises": lambda: mapped(Failing()), "step-none": lambda: ds.DSCallback(0),
       "step-kind": lambda: ds.DSCallback("a"), "empty": lambda: mapped([])}


@case(each={"name": list(BAD)})
def test_bad_callbacks(name):
    found = said(BAD[name])
    return [found[0], [line.replace("ms2torch.", "mindspore.") for line in found[1]]] if isinstance(
        found, tuple) else found


class Same(nn.Cell):
    def construct(self, x, y):
        return x


@case(each={"step_size": [1, 2]}, mode="GRAPH")
def test_callbacks_that_wait_for_the_training(step_size):
    found = []

    class Waiting(ds.WaitedDSCallback):
        def sync_epoch_begin(self, train_run_context, ds_run_context):
            step = train_run_context.original_args().cur_step_num
            found.append(("rows, epoch", ds_run_context.cur_epoch_num, ds_run_context.cur_step_num, step))

        def sync_step_begin(self, train_run_context, ds_run_context):
            step = train_run_context.original_args().cur_step_num
            found.append(("rows, step", ds_run_context.cur_epoch_num, ds_run_context.cur_step_num, step))

    class Training(ms.Callback):
        def on_train_step_end(self, run_context):
            found.append(("step", run_context.original_args().cur_step_num))

        def on_train_epoch_end(self, run_context):
            found.append(("epoch", run_context.original_args().cur_epoch_num))

    waiting, values = Waiting(step_size), [1, 2, 3, 4]
    data = ds.NumpySlicesDataset((values, values), ["a", "b"], shuffle=False)
    data = data.map(lambda x: x, callbacks=waiting).batch(step_size)
    ms.train.Model(Same()).train(2, data, callbacks=[Training(), waiting], dataset_sink_mode=False)
    return found


class Sum(DebugHook):
    def compute(self, *args):
        print("sum", [int(np.sum(column)) for column in args[0]])


def looked(hooks, operations, columns=("a",)):
    ds.config.set_debug_mode(True, hooks)
    try:
        dataset = ds.NumpySlicesDataset({"a": np.arange(6).reshape(2, 3), "b": [7, 8]}, shuffle=False)
        for _ in dataset.map(operations, list(columns)).create_tuple_iterator(
            num_epochs=1, output_numpy=True):
            pass
    finally:
        ds.config.set_debug_mode(False)


def plus(x):
    return x + 1


HOOKS = {"meta": lambda: looked(None, [plus, transforms.TypeCast(ms.float32)]),
         "data": lambda: looked([PrintDataHook()], [transforms.Fill(3)]),
         "own": lambda: looked([Sum()], [transforms.Compose([plus, plus])]),
         "two": lambda: looked([Sum(), PrintDataHook()], [plus]),
         "columns": lambda: looked([Sum()], [lambda a, b: (a + b, b)], ["a", "b"]),
         "among": lambda: looked([Sum()], [plus, Sum(), plus]),
         "images": lambda: looked(None, [lambda x: np.zeros((2, 2, 3), np.uint8), vision.ToPIL(), np.array])}


@case(each={"name": list(HOOKS)})
def test_hooks_between_operations(name):
    return printed(HOOKS[name])


REFUSED = {"flag": lambda: ds.config.set_debug_mode(1), "list": lambda: ds.config.set_debug_mode(True, Sum()),
           "kind": lambda: ds.config.set_debug_mode(True, [5]),
           "off": lambda: len(list(ds.NumpySlicesDataset([1], ["a"]).map([plus, Sum()])))}


@case(each={"name": list(REFUSED)})
def test_bad_hooks(name):
    return said(REFUSED[name])


@case
def test_the_debug_mode_has_a_seed():
    ds.config.set_seed(5489)                         # as good as none
    ds.config.set_debug_mode(True)
    try:
        rows = ds.NumpySlicesDataset(
    list(
        range(9)),
        ["a"]).create_tuple_iterator(
            num_epochs=1,
             output_numpy=True)
        return [int(row[0]) for row in rows]
    finally:
        ds.config.set_debug_mode(False)


def lines(*wanted, content="one\ntwo\r\n\nfour"):
    with open("f", "w", newline="") as file:
        file.write(content)
    reader = ds.LineReader("f")
    found = [reader.readline(number) for number in wanted], reader.len(), len(reader)
    reader.close()
    return found, reader[1]


LINES = {"all": lambda: lines(4, 1, 2, 3), "none": lambda: lines(0), "beyond": lambda: lines(5),
         "kind": lambda: lines("1"), "empty": lambda: lines(1, content=""),
         "no-file": lambda: ds.LineReader("zz"), "folder": lambda: ds.LineReader("."),
         "name": lambda: ds.LineReader(5)}


@case(each={"name": list(LINES)})
def test_lines_of_files(name):
    with folder():
        return said(LINES[name])
