"""A function that feeds itself from a dataset (``mindspore.train.data_sink``)."""

from __future__ import annotations

from functools import wraps

from ms2torch import _checkparam as check
from ms2torch._core.tensor import dtype as _dtype
from ms2torch.common.api import jit

__all__ = ["data_sink"]


def _endless(dataset):
    """The rows of a dataset, epoch after epoch."""
    while True:
        rows = 0
        for row in dataset.create_tuple_iterator(num_epochs=1, do_copy=False):
            rows += 1
            yield row
        if not rows:
            raise RuntimeError("For 'data_sink', the 'dataset' has no rows.")


def _fits(row, signature) -> None:
    wanted = signature if isinstance(signature, (tuple, list)) else (signature,)
    given = [(x.shape, _dtype.to_torch(x.dtype)) for x in row]
    if given != [(x.shape, _dtype.to_torch(x.dtype)) for x in wanted]:
        raise ValueError(f"For 'data_sink', the rows of 'dataset' have to be as 'input_signature' says, "
                         f"but got {[(x.shape, str(x.dtype)) for x in row]}.")


def data_sink(fn, dataset, sink_size=1, jit_config=None, input_signature=None):
    """``fn`` as a function of no arguments that takes its own from ``dataset`` (``mindspore.data_sink``).

    Each call runs ``fn`` on the next ``sink_size`` rows, starting over at the dataset's end, and gives the
    last result. ``jit_config`` marks ``fn`` for compilation. Works on every device, the CPU too, which
    MindSpore's does not. TypeError or ValueError unless ``sink_size`` is a positive int.
    """
    check.check_value_type("sink_size", sink_size, int, "Data sink")
    if sink_size <= 0:
        raise ValueError(f"The 'sink_size' must be positive, but got sink_size {sink_size}.")
    run = fn if jit_config is None else jit(fn, jit_config=jit_config)
    rows = _endless(dataset)

    @wraps(fn)
    def sink_process(*args, **kwargs):
        out = None
        for _ in range(sink_size):
            row = next(rows)
            if input_signature is not None:
                _fits(row, input_signature)
            out = run(*row)
        return out

    return sink_process
