"""``mindspore.parallel.parameter_broadcast``: the parameters of one rank for all."""

from __future__ import annotations

from ms2torch._core.errors import unsupported
from ms2torch._core.processes import distributed, reducing
from ms2torch._naming.surface import install_lazy

__all__ = ["parameter_broadcast"]


def parameter_broadcast(net, layout, cur_rank=0, initial_rank=0) -> None:
    """Give the parameters of ``net`` that ``layout`` names the values that they have on ``initial_rank``, 0.

    ``layout`` says by name how parameters lie on devices (`build_searched_strategy`). ValueError where the
    net has no such parameter or ``cur_rank`` is not this rank; NotImplementedError for one that is split.
    """
    group = distributed.group()
    if not layout or group.size <= 1:
        return
    if cur_rank != group.rank:
        raise ValueError(f"For parameter broadcast, the cur_rank: {cur_rank} is wrong.")
    if initial_rank % group.size:
        raise ValueError(f"For parameter broadcast, the initial_rank: {initial_rank} is wrong.")
    known, found = net.parameters_dict(), []
    for name, one in layout.items():
        places = one.tensor_map[0].dim if hasattr(one, "tensor_map") else one[1]
        if any(p != -1 for p in places):
            raise unsupported("mindspore.parallel.parameter_broadcast", f"'{name}' is split over devices.",
                              "torch.distributed.tensor.parallel or FSDP, with ms2torch.to_torch(net).")
        if name not in known:
            raise ValueError(f"For parameter broadcast, the param: {name} can not be found.")
        found.append(known[name])
    reducing.broadcast(found, group, initial_rank)


install_lazy(__name__, globals())
