"""A pipeline that sends its rows to a device's queue: `Dataset.device_que`.

As on MindSpore's CPU, the queue has no reader: rows are made, with their functions and callbacks, and let go.
Training loops here read the dataset itself, with ``dataset_sink_mode=True`` too.
"""

from __future__ import annotations

import threading
import uuid

from ms2torch._core.checks.error_wrappers import binds_by_inspect
from ms2torch._core.errors import notice, unsupported

from ..core.errors import pipeline_error
from ..core.validator_helpers import INT32_MAX, check_value, type_check
from .datasets import Dataset
from .iterators import Iterator

_NO_QUEUE = "Device queue is not init, call get_mbuf_queue_size failed."
_LEFT = "'_ToDevice' object has no attribute '_to_device'"


class TransferDataset(Dataset):
    """`Dataset.device_que`."""

    def __init__(self, input_dataset, send_epoch_end=True, create_data_info_queue=False, queue_name=""):
        super().__init__(children=input_dataset)
        self.queue_name = queue_name or str(uuid.uuid1())
        self.device_type, self.device_id = "CPU", 0
        self._send_epoch_end, self._create_data_info_queue = send_epoch_end, create_data_info_queue
        self._sender = None

    def _open(self, run):
        return self.children[0]._open(run)

    def _not_iterable(self, *args, **kwargs):
        raise RuntimeError("TransferDataset is not iterable.")

    create_tuple_iterator = create_dict_iterator = __iter__ = _not_iterable

    def output_shapes(self):
        raise RuntimeError("TransferDataset does not support obtaining output_shapes.")

    def output_types(self):
        raise RuntimeError("TransferDataset does not support obtaining output_types.")

    @binds_by_inspect
    def send(self, num_epochs=-1):
        """Make the rows of this many epochs, -1 for no end, by a thread of their own."""
        type_check(num_epochs, (int,), "num_epochs")
        check_value(num_epochs, [-1, INT32_MAX], "num_epochs")
        if isinstance(self.children[0], TransferDataset):
            raise pipeline_error("Unsupported scenario, 'send' operator can only be after 'device_queue' "
                                 "operation, but got DataQueueOp")
        self._sender = _Sender(self, num_epochs)

    def _sent(self, otherwise: Exception) -> _Sender:
        if self._sender is None:
            raise otherwise
        if self._sender.released:
            raise AttributeError(_LEFT)
        return self._sender

    def stop_send(self):
        """Send no further row."""
        if self._sender is not None:
            self._sender.stopped.set()

    def continue_send(self):
        """Send again after an end that was waited for: there is none here."""

    def release(self):
        """End the sending, and its pipeline."""
        if self._sender is not None:
            self._sender.release()

    def get_data_info(self):
        """Not supported: kinds and shapes of the rows that were sent."""
        self._sent(RuntimeError("Calling get_data_info with bad state."))
        if not self._create_data_info_queue:
            raise pipeline_error("[Internal ERROR] DataInfo queue is not created.")
        raise unsupported("mindspore.dataset.Dataset.device_que(create_data_info_queue=True)",
                          "no kinds and shapes are kept of rows that were sent.",
                          "read output_types() and output_shapes() of the dataset below.")

    def get_mbuf_queue_size(self):
        """Rows that the queue can hold: 1, as on MindSpore's CPU."""
        self._sent(RuntimeError(_NO_QUEUE))
        return 1

    def get_send_info(self):
        """What was sent and when; MindSpore's CPU queue keeps none of it."""
        self._sent(RuntimeError("Calling get_send_info with bad state, data queue is not initialized."))
        return ()

    def get_offload_model(self):
        """Operations for the device instead of the host: there are none, and MindSpore's CPU gives none."""
        raise (RuntimeError("get_offload_model, _to_device is None") if self._sender is None
               else AttributeError(_LEFT))


class _Rows(Iterator):
    def _given(self, row):
        return row


class _Sender:
    """A thread that runs a pipeline through its epochs."""

    def __init__(self, dataset: Dataset, epochs: int):
        self.rows, self.released = _Rows(dataset, epochs), False
        self.stopped = threading.Event()
        self._left = epochs
        self._thread = threading.Thread(target=self._send, name="device_que", daemon=True)
        self._thread.start()

    def _send(self) -> None:
        try:
            while self._left and not self.stopped.is_set():
                for _ in self.rows:
                    if self.stopped.is_set():
                        return
                self._left -= self._left > 0
        except Exception as error:          # (as in MindSpore, nobody waits for it: it is told, not raised)
            if not self.stopped.is_set():
                notice("device_que", f"The data that was sent to a device queue ended: {error}")

    def release(self) -> None:
        self.stopped.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()
        self.rows.release()
        self.released = True
