"""What stands for the weights that other stages of a pipeline hold, and for their gradients.

A weight is `_Elsewhere`: a program may ask how it is, and nothing else. Its gradient is an `Apart`, which
goes through a program's own arithmetic (scaling, clipping, sums in copies of the weights) as its numbers do
on the stage that has them. What such arithmetic reduces to numbers, norms, comes together where they are
added up, stacked or joined: then each stage gives its own.
"""

from __future__ import annotations

import weakref

import torch

from ms2torch._core import mode
from ms2torch._core.errors import final
from ms2torch._core.processes import zero
from ms2torch._core.processes.stages import ABOUT
from ms2torch._core.torch_private import WithoutSubclasses, as_subclass, tree_leaves, tree_map, without_modes

# What a program may ask of the data of a Parameter that it does not hold: how it is, or others like it.
_OF_ITS_KIND = frozenset({"__get__", "__set__", "__delete__", "detach", "empty_like", "zeros_like",
                          "requires_grad_", *ABOUT})
# What makes Python's or numpy's values of it.
_READS = frozenset({"numpy", "item", "tolist", "cpu", "__array__", "__bool__", "__float__", "__int__",
                    "__index__"})
# Where numbers of several stages come together.
_JOINS = frozenset({"stack", "cat", "concat", "concatenate"})


def _elsewhere(parameter) -> Exception:
    return final(RuntimeError(
        f"Parameter '{parameter.name}' belongs to pipeline stage "
        f"{', '.join(map(str, parameter._away or parameter._read_by))}: this process does not hold it. Each "
        "process saves its own stage (save_checkpoint); transform_checkpoints joins them."))


class _Elsewhere(torch.nn.Parameter):
    """In the place of data that other stages hold: torch would compute with memory never written.

    A ``twin`` of a weight, as programs accumulate gradients in, goes with that weight's gradient, and while
    an optimizer is called the weight does: what comes of the two is `Apart` as well.
    """

    @staticmethod
    def of(parameter, like: torch.Tensor, twin: bool = False) -> _Elsewhere:
        new = _Elsewhere._make_subclass(_Elsewhere, like, False)
        new.parameter, new.twin = weakref.ref(parameter), twin
        return new

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", None)
        of_weights = [t for t in tree_leaves((args, kwargs)) if isinstance(t, cls)]
        if mode.way is None and name not in _OF_ITS_KIND:
            if name in _READS or not (mode.updating or all(t.twin for t in of_weights)):
                raise _elsewhere(next((t for t in of_weights if not t.twin), of_weights[0]).parameter())
            return Apart.computed(func, name, args, kwargs or {})
        with WithoutSubclasses():
            found = func(*args, **(kwargs or {}))
        return cls.of(args[0].parameter(), found, args[0].twin) if name == "detach" else found


class Apart(torch.Tensor):
    """A gradient of a ``parameter`` that other stages hold, without data, or what came of it.

    ``stage``: which has the numbers. ``reduced``: it is no longer one for each of the weight's.
    """

    @staticmethod
    def of(parameter, like: torch.Tensor, stage: int, reduced: bool = False) -> Apart:
        new = as_subclass(like.detach(), Apart)
        new.parameter, new.stage, new.reduced = weakref.ref(parameter), stage, reduced
        return new

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", None)
        if any(isinstance(t, _Elsewhere) and not t.twin for t in tree_leaves((args, kwargs))):
            return _Elsewhere.__torch_function__(func, types, args, kwargs)
        if name in _READS:
            raise _elsewhere(next(t for t in tree_leaves((args, kwargs)) if isinstance(t, cls)).parameter())
        if name == "__get__" or name == "__set__":
            with WithoutSubclasses():
                return func(*args, **(kwargs or {}))
        return cls.computed(func, name, args, kwargs or {})

    @classmethod
    def computed(cls, func, name, args, kwargs):
        """What comes of such tensors and of others that go with them."""
        given = [t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        apart = [t for t in given if isinstance(t, (cls, _Elsewhere))]
        stages, own = {_stage(t) for t in apart}, [t for t in given if not t.is_meta]
        if name in _JOINS and (own or len(stages) > 1):
            return _joined(func, args, kwargs)
        first = apart[0]
        whole = [t for t in apart if not getattr(t, "reduced", False)]
        if own and not whole and name not in ABOUT and (
                name not in _SCALES or any(t.numel() > 1 for t in own)):
            # (A number of another stage among this one's: who has it does not know that it is asked for it.)
            raise _elsewhere(first.parameter())
        if own and given[0] is own[0] and (name or "").rstrip("_") != name and not name.startswith("__"):
            if mode.updating:       # (a weight that this stage reads too: the one that updates it sends it)
                return given[0]
            raise _elsewhere(first.parameter())
        with WithoutSubclasses(), without_modes():
            args, kwargs = tree_map(_without_data, (args, kwargs))
            found = func(*args, **kwargs)
        shape = (whole or apart)[0].shape
        return tree_map(lambda t: cls.of(first.parameter(), t, _stage(first),
                                         not whole or t.shape != shape)
                        if isinstance(t, torch.Tensor) and t.__class__ is not _Elsewhere else t, found)


_SCALES = frozenset({"mul", "div", "true_divide", "pow", "to", "type", "__mul__", "__rmul__", "__truediv__"})


def _stage(t) -> int:
    return t.stage if isinstance(t, Apart) else min(t.parameter()._away)


def _without_data(t):
    if not isinstance(t, torch.Tensor) or (t.is_meta and not hasattr(t, "placements")):
        return t
    return torch.empty(t.shape, dtype=t.dtype, device="meta")


def _joined(func, args, kwargs):
    """Numbers of several stages together: each stage gives its own and takes the others'."""
    from ms2torch._core.processes import pipeline

    where = pipeline.device()
    with WithoutSubclasses():
        args, kwargs = tree_map(lambda t: torch.zeros(t.shape, dtype=t.dtype, device=where)
                                if isinstance(t, torch.Tensor) and t.is_meta else t, (args, kwargs))
        return pipeline.sum_over_stages(func(*args, **kwargs))


def gradient_of(parameter, stage: int) -> Apart:
    """The gradient of a weight that another stage updates."""
    owner = (parameter._read_by or parameter._away)[0]
    return Apart.of(parameter, torch.empty(parameter._rest.shape, dtype=parameter._rest.dtype, device="meta"),
                    owner)


def free_memory(parameters, readers, twins: bool = False) -> None:
    """Other stages, ``readers``, keep a Parameter, or what optimizers keep of it: here it has no memory."""
    for one in parameters:
        old = one._rest
        if not one._away:
            with without_modes():
                like = torch.empty(old.shape, dtype=old.dtype, device="meta")
                new = _Elsewhere.of(one, like, twins)
            old.data = old.data.new_empty(0)
            old._moved_to = new
            zero._slot.__set__(one, new)
            one._rest = new
            one._away = tuple(sorted(readers))
    mode.kept += 1
