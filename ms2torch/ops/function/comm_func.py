"""Operations over processes as functions (``mindspore.ops.communication``).

They are those of ``mint.distributed``, which write into the Tensors they are given. After
``set_comm_ops_inplace(False)`` some of them give new Tensors instead, as ``communication.comm_func`` does.
"""

from __future__ import annotations

import functools

from ms2torch._naming.surface import install_lazy
from ms2torch.communication import comm_func as new
from ms2torch.mint import distributed as inside
from ms2torch.mint.distributed import (
    P2POp,
    TCPStore,
    destroy_process_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    init_process_group,
    is_available,
    is_initialized,
    new_group,
)

_SWITCHED = ("all_reduce", "all_gather_into_tensor", "all_gather_into_tensor_uneven", "all_to_all",
             "all_to_all_single", "reduce_scatter_tensor", "reduce_scatter_tensor_uneven", "isend", "irecv",
             "send", "recv", "gather", "scatter", "all_gather", "reduce_scatter", "barrier", "broadcast",
             "reduce", "batch_isend_irecv", "all_gather_object", "broadcast_object_list", "gather_object",
             "scatter_object_list", "send_object_list", "recv_object_list", "gather_into_tensor",
             "scatter_tensor", "all_to_all_v_c")
_writes = dict.fromkeys(_SWITCHED, True)


def set_comm_ops_inplace(is_enable, func_list=None) -> None:
    """Whether the functions named in ``func_list`` (None: all) write into the Tensors they are given.

    TypeError unless ``is_enable`` is a bool and ``func_list`` a list or tuple, ValueError for an unknown
    name.
    """
    if not isinstance(is_enable, bool):
        raise TypeError("For 'set_comm_ops_inplace', the argument 'is_enable' must be type of bool, "
                        f"but got 'is_enable' type : {type(is_enable)}.")
    if func_list is not None and not isinstance(func_list, (list, tuple)):
        raise TypeError(f"Expected list or tuple, but got {type(func_list)}.")
    for name in _SWITCHED if func_list is None else func_list:
        if name not in _writes:
            raise ValueError(f"The function name in `func_list` must be correct, but got {name}.")
        _writes[name] = is_enable


# ---- what gives new Tensors, with the arguments of those that write ----------------------------------------


def _world(group):
    return new.HCCL_WORLD_COMM_GROUP if group is None else group


def _all_reduce(tensor, op="sum", group=None, async_op=False):
    return new.all_reduce(tensor, op, _world(group), async_op)


def _all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    return new.all_gather_into_tensor(input_tensor, _world(group), async_op)


def _reduce_scatter_tensor(output, input, op="sum", group=None, async_op=False):
    return new.reduce_scatter_tensor(input, op, _world(group), async_op)


def _all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    return new.all_to_all_with_output_shape(output_tensor_list, input_tensor_list, group, async_op)


def _all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None,
                       async_op=False):
    rows = sum(output_split_sizes) if output_split_sizes else input.shape[0]
    return new.all_to_all_single_with_output_shape((rows, *input.shape[1:]), input, output_split_sizes,
                                                   input_split_sizes, group, async_op)


_NEW = {"all_reduce": _all_reduce, "all_gather_into_tensor": _all_gather_into_tensor,
        "reduce_scatter_tensor": _reduce_scatter_tensor, "all_to_all": _all_to_all,
        "all_to_all_single": _all_to_all_single, "send": inside.send, "isend": inside.isend, "recv": new.recv,
        "irecv": new.irecv, "barrier": inside.barrier}


def _switched(name: str):
    writing, making = getattr(new if name == "all_to_all_v_c" else inside, name), _NEW.get(name)

    @functools.wraps(writing)
    def call(*args, **kwargs):
        if _writes[name]:
            return writing(*args, **kwargs)
        if making is None:
            raise ValueError("Non-inplace mode is currently not supported.")
        return making(*args, **kwargs)

    call.__module__ = __name__
    return call


globals().update({name: _switched(name) for name in _SWITCHED})


__all__ = ["P2POp", "TCPStore", "destroy_process_group", "get_backend", "get_global_rank", "get_group_rank",
           "get_process_group_ranks", "get_rank", "get_world_size", "init_process_group", "is_available",
           "is_initialized", "new_group", "set_comm_ops_inplace", *_SWITCHED]

install_lazy(__name__, globals())
