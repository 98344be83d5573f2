"""What ``Model`` refuses among the arguments of its methods."""

from __future__ import annotations

from ms2torch._checkparam import check_bool, check_is_int, check_non_negative_int, check_positive_int
from ms2torch._core.tensor.tensor import Tensor


def size_of_epoch(name: str, epoch, dataset, sink, sink_size, initial_epoch) -> int:
    """The size of an epoch in sink mode, after all arguments proved good."""
    check_bool(sink)
    check_is_int(sink_size)
    check_positive_int(epoch)
    check_non_negative_int(initial_epoch)
    if initial_epoch >= epoch:
        raise ValueError(
            f"For 'Model.{name}', the parameter 'epoch' must bigger than parameter 'initial_epoch',"
            f" but got the parameter 'epoch' is {epoch}, 'initial_epoch' is {initial_epoch}."
        )
    size = dataset.get_dataset_size()
    if size == 0:
        raise ValueError("There is no valid data in dataset, please check dataset file firstly.")
    if sink_size < -1 or sink_size == 0:
        what = "argument" if name == "train" else "parameter"
        raise ValueError(
            f"For 'Model.{name}', The {what} 'sink_size' must be -1 or positive, but got {sink_size}."
        )
    return size if sink_size == -1 else sink_size


def check_predict_data(data) -> None:
    """Refuse what no network is called with: empty Tensors, objects of other classes."""
    for item in data:
        if isinstance(item, Tensor):
            if item.size == 0:
                raise ValueError("The input data can not be empty.")
        elif item is not None and not isinstance(item, (int, float, str)):
            kinds = "Tensor, None, int, float, str"
            raise TypeError(
                f"The types of input data must be in the Union({kinds}, tuple[{kinds}], list[{kinds}], "
                f"dict[{kinds}]), but got type {type(item).__name__}."
            )
