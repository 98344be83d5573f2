"""How datasets reach networks (``mindspore.train.dataset_helper``).

In sink mode MindSpore feeds the device from a queue, and in graph mode one call of the network runs
``sink_size`` steps. The arithmetic of that (how many steps, which batches, what a callback sees) is kept;
the queue is an iterator on the host.
"""

from __future__ import annotations

from ms2torch._core import mode
from ms2torch._naming.surface import install_lazy
from ms2torch.nn.cell import Cell

__all__ = ["DatasetHelper", "connect_network_with_dataset"]


class DatasetHelper:
    """Iterates a dataset for a network (``mindspore.DatasetHelper``).

    Without sink mode: one tuple of Tensors a step. With it the network gets its data by itself
    (``connect_network_with_dataset``): the iteration gives empty tuples, in graph mode one an epoch, in
    PyNative mode one a step. ``sink_size`` (-1: the whole dataset) is the number of steps in an epoch of
    sink mode and means nothing without it.
    """

    def __init__(
        self, dataset, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1
    ) -> None:
        if not isinstance(dataset_sink_mode, bool):
            raise TypeError(f"The 'dataset_sink_mode' must be a bool, but got {dataset_sink_mode!r}.")
        if isinstance(sink_size, bool) or not isinstance(sink_size, int):
            raise TypeError(f"The 'sink_size' must be an int, but got {sink_size!r}.")
        if sink_size < -1 or sink_size == 0:
            raise ValueError(f"The 'sink_size' must be -1 or positive, but got sink_size {sink_size}.")
        self.dataset = dataset
        self.epoch_num = epoch_num
        self.iter = _Sunk(dataset, sink_size) if dataset_sink_mode else _Direct(dataset, epoch_num)

    def __iter__(self):
        return self.iter.__iter__()

    def types_shapes(self):
        """Dtypes and shapes of the dataset's columns."""
        return self.dataset.output_types(), self.dataset.output_shapes()

    def sink_size(self) -> int:
        """Steps that one call of a connected network runs."""
        return self.iter.steps_per_call

    def stop_send(self) -> None:
        """Stop feeding the device; the host's iterator is simply left."""

    def release(self) -> None:
        """Let the data pipeline go."""
        self.iter.close()

    def continue_send(self) -> None:
        """Feed the device again; the host's iterator goes on by itself."""

    def get_data_info(self):
        return self.types_shapes()

    def dynamic_min_max_shapes(self):
        return None


class _Direct:
    """One pass over the dataset a turn, batches handed to the caller."""

    steps_per_call = 1

    def __init__(self, dataset, epoch_num: int) -> None:
        self.dataset = dataset
        self._source = dataset.create_tuple_iterator(num_epochs=epoch_num, do_copy=False)

    def __iter__(self):
        return iter(self._source)

    def close(self) -> None:
        self._source = None


class _Sunk:
    """Batches that a connected network takes by itself, over as many passes of the dataset as it asks for."""

    def __init__(self, dataset, sink_size: int) -> None:
        self.dataset = dataset
        self.size = dataset.get_dataset_size() if sink_size == -1 else sink_size
        self._source = self._batches = None

    @property
    def steps_per_call(self) -> int:
        return self.size if mode.graph else 1

    def __iter__(self):
        for _ in range(1 if mode.graph else self.size):
            yield ()

    def next_batch(self) -> tuple:
        """The next batch; after the last one of the dataset comes the first of its next pass."""
        if self._source is None:
            # (No step is beyond passes without end, but they could not begin behind one.)
            passes = 2**31 - 1 if self.dataset.get_init_step() else -1
            self._source = self.dataset.create_tuple_iterator(num_epochs=passes, do_copy=False)
            self._batches = iter(self._source)
        try:
            return tuple(next(self._batches))
        except StopIteration:
            self._batches = iter(self._source)
        try:
            return tuple(next(self._batches))
        except StopIteration:
            raise ValueError(
                "There is no valid data in dataset, please check dataset file firstly."
            ) from None

    def close(self) -> None:
        self._source = self._batches = None


class _DataWrapper(Cell):
    """Takes batches from a dataset; ``sink_size`` steps a call in graph mode, giving the last result."""

    _never_recorded = True

    def __init__(self, network, source: _Sunk) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.__dict__["_sunk"] = source
        self.__dict__["training"] = network.training

    def construct(self, *inputs):
        if inputs:
            return self.network(*inputs)
        output = None
        for _ in range(self._sunk.steps_per_call):
            output = self.network(*self._sunk.next_batch())
        return output


def connect_network_with_dataset(network, dataset_helper):
    """A network that takes its data from the helper's dataset in sink mode; called without arguments.

    RuntimeError where the helper does not sink, as there is nothing to connect to.
    """
    if not isinstance(dataset_helper.iter, _Sunk):
        raise RuntimeError(
            "The dataset has not been connected in sink mode, please check that the 'dataset_sink_mode' "
            "of DatasetHelper is True."
        )
    return _DataWrapper(network, dataset_helper.iter)


install_lazy(__name__, globals())
