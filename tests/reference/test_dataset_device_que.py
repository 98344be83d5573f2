"""Rows for a device's queue: `device_que`, `send` and what the node says of them. The CPU's queue has no reader."""
import threading

import mindspore.dataset as ds
import numpy as np

from tests.reference.judge import case
from tests.reference.test_dataset_pipeline import said


def queued(seen=(), rows=4, **more):
    def made():
        for i in range(rows):
            seen and seen[0].append(i)
            yield (np.array([i], np.int32),)

    data = ds.GeneratorDataset(made, ["x"], num_parallel_workers=1, python_multiprocessing=False)
    return data.device_que(**more)


@case(each={"epochs": [1, 2]})
def test_rows_are_made(epochs):
    ended = threading.Event()
    seen = []

    def look(x):
        seen.append(int(x[0]))
        if len(seen) == 3 * epochs:
            ended.set()
        return x

    data = ds.NumpySlicesDataset(np.arange(3).reshape(3, 1), ["x"], shuffle=False).map(look, ["x"], num_parallel_workers=1)
    node = data.device_que()
    sent = node.send(epochs)
    done = ended.wait(10)
    node.stop_send()
    return sent, done, seen


def sent():
    node = queued()
    node.send(1)
    return node


NODE = {
    "name": lambda: queued(queue_name="q").queue_name,
    "type": lambda: type(queued()).__name__,
    "size": lambda: queued().get_dataset_size(),
    "columns": lambda: queued().get_col_names(),
    "options": lambda: (queued().device_type, queued().device_id, queued()._send_epoch_end,
                        queued()._create_data_info_queue),
    "stop": lambda: queued().stop_send(),
    "continue": lambda: queued().continue_send(),
    "release": lambda: queued().release(),
    "capacity": lambda: sent().get_mbuf_queue_size(),
    "info": lambda: sent().get_send_info(),
    "stop-sent": lambda: sent().stop_send(),
    "release-sent": lambda: sent().release(),
}


@case(each={"what": list(NODE)})
def test_what_the_node_tells(what):
    return NODE[what]()


REFUSED = {
    "info-unsent": lambda: queued().get_data_info(),
    "capacity-unsent": lambda: queued().get_mbuf_queue_size(),
    "sending-unsent": lambda: queued().get_send_info(),
    "offload": lambda: queued().get_offload_model(),
    "shapes": lambda: queued().output_shapes(),
    "types": lambda: queued().output_types(),
    "iterated": lambda: list(queued()),
    "tuples": lambda: queued().create_tuple_iterator(),
    "dicts": lambda: queued().create_dict_iterator(),
    "epoch-end": lambda: queued(send_epoch_end="a"),
    "info-queue": lambda: queued(create_data_info_queue=3),
    "queue-name": lambda: queued(queue_name=3),
    "no-epochs": lambda: queued().send(0),
    "epochs-bool": lambda: queued().send(True),
    "epochs-float": lambda: queued().send(1.0),
    "epochs-low": lambda: queued().send(-2),
    "twice": lambda: queued().device_que().send(1),
}


@case(each={"what": list(REFUSED)})
def test_what_is_refused(what):
    return said(REFUSED[what])


@case
def test_no_kinds_are_kept():
    try:
        return sent().get_data_info()
    except RuntimeError as error:
        return type(error), "DataInfo queue is not created." in str(error)


@case
def test_written_down():
    data = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).device_que(queue_name="q")
    written = data.to_json()
    return written, ds.serialize(data) == written
