"""Optimizer parallelism: a step in which each rank updates its rows of the parameters. Mixed into Optimizer.

An update by elements works on plain tensors, this rank's rows. One that looks at whole parameters (norms,
means of rows) is given DTensors, which ask the other ranks where they need them.
"""

from __future__ import annotations

import inspect

import torch

from ms2torch._core import mode
from ms2torch._core.errors import unsupported
from ms2torch._core.processes import distributed


class Sharing:
    """How an Optimizer shares its work with other ranks."""

    # Whether some of the parameters are shared by the ranks.
    _sharing = False
    _known_kept = 0
    # Whether each element of an update depends on the same element of its inputs alone; None: neither way.
    _by_elements = True

    def _share_by_context(self) -> None:
        """Share the parameters as ``set_auto_parallel_context(enable_parallel_optimizer=True)`` asks for.

        RuntimeError in the modes in which MindSpore does not.
        """
        from ms2torch.parallel._utils import _get_enable_parallel_optimizer, _get_parallel_mode, sharing_plan

        if not _get_enable_parallel_optimizer():
            return
        mode = _get_parallel_mode()
        if mode in ("stand_alone", "hybrid_parallel"):
            raise RuntimeError(
                f"For 'Optimizer', parallel optimizer is not supported in {mode}, you should set "
                "parallel mode to 'data_parallel', 'semi_auto_parallel' or 'auto_parallel'.")
        self._share(sharing_plan())

    def _share(self, plan) -> None:
        """Share the parameters, and what state there is of them, by a plan (`processes.zero.Plan`)."""
        if not distributed.joined():
            return
        if distributed.staged():            # (which stage updates what is known after the first step too)
            from ms2torch.parallel._strategies import current_spread

            if current_spread() is None:    # (each process has a stage of its own)
                return
        if mode.spreading is not None:      # (how the network lies is known after its first step)
            mode.spreading.sharing.append((self.parameters, plan))
            return
        from ms2torch._core.processes import zero

        if zero.shard(self.parameters, plan):
            self._note_shares()

    def _note_shares(self) -> None:
        """Some Parameters came to be kept in parts; NotImplementedError where this optimizer can not."""
        self.__dict__["_known_kept"] = mode.kept
        if distributed.staged():
            from ms2torch._core.processes import pipeline

            self._buckets = [bucket._replace(places=tuple(
                i for i in bucket.places if not pipeline.updated_elsewhere(self.parameters[i])))
                for bucket in self._buckets]
        if self._sharing or all(p._share is None for p in self.parameters):
            return
        if self._by_elements is None or not _ends_in_known_step(type(self)):
            raise unsupported(f"{self.cls_name} of parameters that several processes share",
                              "its update is not split over processes.",
                              "train it without enable_parallel_optimizer and strategies, or with nn.Adam.")
        self.__dict__["_sharing"] = True
        for state in list(vars(self).values()):
            if isinstance(state, tuple) and len(state) == self.param_length and state is not self.parameters:
                for p, one in zip(self.parameters, state, strict=True):
                    if p._share is not None and hasattr(one, "_rest") and one is not p:
                        p._share.split(one)

    # ---- one step ------------------------------------------------------------------------------------------

    def _rests(self, parameters) -> list[torch.Tensor]:
        """What is updated: the parameters' memory, of a shared one this rank's rows."""
        if self._known_kept != mode.kept:
            self._note_shares()
        if not self._sharing:
            return [p._rest for p in parameters]
        return [p._rest if p._share is None else self._seen(p._share, p._rest) for p in parameters]

    def _seen(self, share, t: torch.Tensor) -> torch.Tensor:
        rows = share.rows(t)
        return rows if self._by_elements else share.shared(rows)

    def _in_shares(self, raw: list[torch.Tensor]) -> list[torch.Tensor]:
        """The gradients as `_rests` has the parameters; whole ones are taken to be the same on all ranks."""
        from ms2torch._core.gradient import rows

        raw = rows.densify(raw)
        return [(g.full_tensor() if hasattr(g, "full_tensor") else g) if p._share is None
                else self._seen(p._share, g) for p, g in zip(self.parameters, raw, strict=True)]

    def _of_slot(self, slot, places) -> list[torch.Tensor]:
        """The state in ``slot`` of some parameters."""
        found = [slot[i]._rest for i in places]
        if self._sharing and self._by_elements:
            # (Not `to_local()`, which may be an alias: `renew` gives the state other memory.)
            return [t._local_tensor if hasattr(t, "to_local") else t for t in found]
        return found

    def _alike(self, places) -> list:
        """``places`` in groups that one call can update: plain tensors and DTensors do not mix."""
        if not self._sharing or self._by_elements:
            return [places]
        kinds = [[i for i in places if (self.parameters[i]._share is None) is plain]
                 for plain in (True, False)]
        return [some for some in kinds if some]

    def _publish(self) -> None:
        """The ranks exchange what they updated."""
        if distributed.staged():
            from ms2torch._core.processes import pipeline

            pipeline.publish(self.parameters)
        if self._sharing:
            from ms2torch._core.processes import zero

            zero.publish(self.parameters)


def _ends_in_known_step(cls: type) -> bool:
    """Whether the ``construct`` of ``cls`` is that of an optimizer of this package, or hands what it makes of
    the gradients on to it by ``super()``."""
    for one in cls.__mro__:
        if one.__module__.startswith("ms2torch.nn.optim."):
            return True
        step = one.__dict__.get("construct")
        if step is not None and "__class__" not in inspect.unwrap(step).__code__.co_freevars:
            return False
    return False
