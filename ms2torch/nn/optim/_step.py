"""One step of an optimizer over raw torch tensors. Mixed into Optimizer.

A step is a few fused or foreach calls for each bucket (parameters with one rate, one weight decay and one
dtype). Numbers that MindSpore keeps in Parameters (rates, powers of beta, the step) have a copy on the host,
read again only when somebody else wrote the Parameter: a step on CUDA waits for nothing.
"""

from __future__ import annotations

from operator import itemgetter

import numpy as np
import torch

from ms2torch._checkparam import _HARDWARE
from ms2torch._core import mode
from ms2torch._core.gradient import recording
from ms2torch._core.gradient.rows import RowGradient, coalesce
from ms2torch._core.processes import distributed
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import increment_versions
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell
from ms2torch.nn.learning_rate_schedule import _Formula

from ._gathering import gathered
from ._gradients import UNLIKE, not_decayed, not_mapped, not_of_shape
from ._mixed import by_dtypes, cannot_widen
from ._rates import _ConvertToCell, _IteratorLearningRate
from ._sharing import Sharing
from ._undo import Undoing, is_atomic


class HostValues(Undoing):
    """Host copies of Parameters with one element, kept in ``_hosted``."""

    def _host(self, param: Parameter) -> float:
        """The value of a Parameter with one element: a device's from the host's copy."""
        rest = param._rest
        if self._float is not None and rest.is_floating_point():
            return rest.to(self._float).item()
        if rest.is_cpu:     # cheaper than to look a copy up; and whoever writes into `asnumpy()` is heeded
            return rest.item()
        key = (rest.data_ptr(), rest._version)
        known = self._hosted.get(id(param))
        if known is None or known[0] != key:
            known = self._hosted[id(param)] = (key, float(rest))
        return known[1]

    def _count(self, param: Parameter) -> float:
        """Add one to the number that ``param`` holds; what it held."""
        done = self._host(param)
        self._save_number(param._rest, done)
        param._rest.fill_(done + 1)     # (a third of what `add_` takes)
        self._know(param, done + 1)
        return done

    def _know(self, param: Parameter, value: float) -> None:
        """Note on the host what was just written into ``param``: a device's, or for a compiled step that may
        be taken back."""
        rest = param._rest
        if mode.planning is None and rest.is_cpu:
            return
        self._hosted[id(param)] = ((rest.data_ptr(), rest._version), value)

    def _late(self, params: list[torch.Tensor]) -> list[torch.Tensor]:
        """Step counts so late that torch's Adam kernels correct no bias: MindSpore's correction is in the
        rate."""
        device = params[0].device
        late = self.__dict__.get("_late_step")
        if late is None or late.device != device:
            late = self.__dict__["_late_step"] = torch.full((), 1e30, dtype=torch.float32, device=device)
        return [late] * len(params)


def fitted(g: torch.Tensor, param: torch.Tensor, name: str) -> torch.Tensor:
    """The gradient in the parameter's dtype and the layout that fused kernels count on; ValueError for
    another shape."""
    if g.shape != param.shape:
        raise not_of_shape(UNLIKE, name, g, param)
    if g.requires_grad:
        g = g.detach()
    if g.dtype is not param.dtype:
        return g.to(param.dtype)
    return g if g.is_contiguous() else g.contiguous()


class Stepping(Sharing, HostValues):
    """How an Optimizer goes from gradients to updated parameters."""

    # Whether the optimizer's kernel adds the weight decay to the gradients itself.
    _kernel_decays = False
    # What MindSpore's update calls the Parameter that wider gradients cannot be written into, "" where it
    # does not say; None where they can.
    _written: str | None = None
    # The operator of MindSpore's update, None where it goes by the optimizer's name; what it says of a
    # gradient of another shape; the dtypes that it takes: "same", a set of them, None for any.
    _operator: str | None = None
    _unlike = UNLIKE
    _taken: object = None
    _hyper_map = False      # whether a HyperMap calls it
    _loops = False          # whether a loop calls it, over any sequence of gradients
    # What a step does with the gradient of some rows: one of the functions below; None makes it dense.
    _of_rows = None
    # What becomes of a kernel whose state has another dtype than its parameters (`_mixed`); None leaves it.
    _for_mixed = None
    # The `mode.casts` that the buckets heed, and the places of such parameters.
    _known_casts, _mixed_places = 0, frozenset()
    _of_integers = None     # a parameter of integers
    # Whether the kernel is many operators by elements, so that small parameters are updated as one.
    _gathers = False
    # False once ``target = "CPU"`` was set: gradients of rows arrive summed then.
    _is_device = True

    def _update(self, gradients, kernel, *slots, prepare: bool = True):
        """Call ``kernel(params, grads, *slots, rate, decay)`` on lists of torch tensors, once for each
        bucket.

        ``slots`` are the ParameterTuples of the optimizer's state. Gradients come decayed, centralized and
        unscaled unless ``prepare`` is False; ``decay`` is what the kernel has still to add.
        """
        if self._known_casts != mode.casts:
            self._note_casts(slots)
        if mode.planning is not None:
            return mode.planning(self, gradients, kernel, slots, prepare)
        looked_up = {}
        if isinstance(gradients, (tuple, list)) and RowGradient in map(type, gradients):
            looked_up = {i: g.rows() for i, g in enumerate(gradients) if g.__class__ is RowGradient}
        raw = self._raw(gradients, prepare and self.exec_weight_decay)
        parameters = self.parameters
        rests = self._rests(parameters)
        if self._sharing:
            raw, looked_up = self._in_shares(raw), {}
        step = self._count_step()
        folded = self._kernel_decays and not self.need_scale and not self._centralizes and not looked_up
        if prepare:
            raw = self._prepared(raw, step, decayed=not folded, rests=rests)
            looked_up = {i: self._prepared_rows(i, *found, step) for i, found in looked_up.items()}
        self._fit(raw, rests, folded and prepare)
        runs, shared = [], None
        with recording.Updating(parameters):
            for bucket in self._buckets:
                places = bucket.places
                decay = self._decay(bucket, step) if folded or not prepare else 0.0
                source = bucket.rate
                if source is None:
                    source = shared = self.learning_rate if shared is None else shared
                rate = self._rate(source, step)
                if looked_up and self._of_rows is not None:
                    for i in looked_up.keys() & set(places):
                        state = [slot[i]._rest for slot in slots]
                        self._save_rows(looked_up[i][0], self._of_rows, (parameters[i]._rest, *state))
                        self._of_rows(kernel, *looked_up[i], parameters[i]._rest, state, rate)
                    places = tuple(i for i in places if i not in looked_up)
                runs += [(some, rate, decay, bucket.size) for some in self._alike(places) if some]
            atomic = is_atomic(kernel)
            if len(runs) > 1 and atomic:      # the last, which nothing follows, need not be saved
                runs.sort(key=itemgetter(3))
            last = runs[-1] if runs else None
            for run in runs:
                some, rate, decay, size = run
                params = [rests[i] for i in some]
                grads = [raw[i] for i in some]
                state = [self._of_slot(slot, some) for slot in slots]
                update = self._of_mixed(kernel, params, state) if some[0] in self._mixed_places else kernel
                followed = run is not last
                small = None
                if (self._gathers or followed) and not self._sharing:
                    small = gathered(self._seen_together, some, size, params, *state)
                if followed or not (atomic or (self._gathers and small)):
                    self._save(small, params, *state)
                if self._gathers and small:
                    small.update(update, grads, rate, decay)
                else:
                    update(params, grads, *state, rate, decay)
                # The fused kernels write past torch's version counters.
                increment_versions(params)
        if self._sharing or distributed.staged():
            self._publish()
        return self._done

    def _note_casts(self, slots) -> None:
        """Some Parameters got another dtype: buckets have one again."""
        self.__dict__["_known_casts"] = mode.casts
        rests = [p._rest for p in self.parameters]
        buckets, mixed = [], set()
        for bucket in self._buckets:
            for places, several in by_dtypes(bucket.places, rests, slots):
                buckets.append(bucket._replace(places=places, size=sum(rests[i].numel() for i in places)))
                mixed.update(places if several else ())
        self._buckets = buckets
        self.__dict__["_mixed_places"] = frozenset(mixed)

    def _of_mixed(self, kernel, params, state):
        """``kernel`` for parameters whose state has another dtype."""
        own = params[0].dtype
        if self._for_mixed is None:
            return kernel
        return self._for_mixed(kernel, own, next(of[0].dtype for of in state if of[0].dtype is not own))

    def _prepared_rows(self, place: int, rows, values, step: int):
        """`_prepared` for the gradient of some rows: what was not looked up does not decay."""
        if self.exec_weight_decay:
            for bucket in self._buckets:
                if place in bucket.places and (decay := self._decay(bucket, step)):
                    values = values + decay * self.parameters[place]._rest[rows]
        if self.need_scale:
            values = values * self._factor
        return (rows, values) if self._is_device else coalesce(rows, values)

    # ---- gradients -----------------------------------------------------------------------------------------

    def _raw(self, gradients, decayed: bool = False) -> list[torch.Tensor]:
        """The torch tensors of the gradients; ``decayed``: a Map adds weight decay to them first."""
        try:
            mapped = isinstance(gradients, tuple) or (self._loops and not decayed)
            raw = [g._t for g in gradients] if mapped else None
        except AttributeError:
            raw = None
        if raw is None or len(raw) != self.param_length:
            raise not_mapped(self.cls_name, self.param_length, gradients, self._hyper_map and not decayed)
        if self._of_integers is not None:
            raise TypeError(f"For '{self.cls_name}', the element of 'parameters' must be one of "
                            f"Tensor[Float16], Tensor[Float32], but got Ref[Tensor["
                            f"{self._of_integers.dtype}]] for '{self._of_integers.name}'.")
        return raw

    @property
    def _centralizes(self) -> bool:
        return self.is_group and any(self.grad_centralization_flags)

    def _prepared(self, raw: list[torch.Tensor], step: int, decayed: bool = True,
                  rests=None) -> list[torch.Tensor]:
        if decayed and self.exec_weight_decay:
            raw = self._decayed(raw, step, rests)
        if self._centralizes:
            raw = self._centralized(raw)
        if self.need_scale:
            raw = self._unscaled(raw)
        return raw

    def _decayed(self, raw: list[torch.Tensor], step: int, rests=None) -> list[torch.Tensor]:
        """Gradients plus weight decay times the parameter, for the parameters that decay."""
        raw, rests = list(raw), rests or self._rests(self.parameters)
        for bucket in self._buckets:
            decay = self._decay(bucket, step)
            if decay and bucket.places:
                for places in self._alike(bucket.places):
                    params, grads = [rests[i] for i in places], [raw[i] for i in places]
                    for g, p in zip(grads, params, strict=True):
                        if g.dtype is not p.dtype or g.shape != p.shape:
                            raise not_decayed(g, p)
                    for i, g in zip(places, torch._foreach_add(grads, params, alpha=decay), strict=True):
                        raw[i] = g
        return raw

    def _centralized(self, raw: list[torch.Tensor]) -> list[torch.Tensor]:
        """Gradients less their mean over all but the first axis; MindSpore leaves out widths that 16 does not
        divide."""
        return [g - g.mean(dim=tuple(range(1, g.ndim)), keepdim=True)
                if flag and g.ndim > 1 and g.shape[1] % 16 == 0 else g
                for g, flag in zip(raw, self.grad_centralization_flags, strict=True)]

    def _unscaled(self, raw: list[torch.Tensor]) -> list[torch.Tensor]:
        factor = self._factor
        return [g * factor for g in raw] if self._sharing else list(torch._foreach_mul(raw, factor))

    def _fit(self, raw: list[torch.Tensor], rests: list[torch.Tensor], folded: bool) -> None:
        for i, g in enumerate(raw):
            rest = rests[i]
            if g.dtype is rest.dtype and g.shape == rest.shape and g.is_contiguous() and not g.requires_grad:
                continue
            if g.dtype is not rest.dtype or g.shape != rest.shape:
                self._check_unlike(i, g, rest, folded)
            raw[i] = fitted(g, rest, self.cls_name)

    def _check_unlike(self, place: int, g: torch.Tensor, param: torch.Tensor, folded: bool) -> None:
        """MindSpore's error for a gradient of another shape, or of another dtype where it takes none;
        ``folded``: weight decay is still to be added."""
        if folded and any(b.decay for b in self._buckets if place in b.places):
            raise not_decayed(g, param)
        operator = self._operator or self.cls_name
        if g.shape != param.shape:
            raise not_of_shape(self._unlike, operator, g, param)
        if self._taken == "same":
            raise TypeError(f"For primitive[{operator}], the input type must be same.\n"
                            f"name:[grad]:Tensor[{from_torch(g.dtype)}].\n"
                            f"name:[var]:Ref[Tensor[{from_torch(param.dtype)}]].\n")
        if self._taken is not None and g.dtype not in self._taken:
            raise TypeError(f"For '{operator}', the element of 'gradient' must be one of Tensor[Float16], "
                            f"Tensor[Float32], but got Tensor[{from_torch(g.dtype)}].{_HARDWARE}")
        if g.dtype is not param.dtype and self._written is not None:
            self._check_narrow(param.dtype, g.dtype)

    def _check_narrow(self, narrow: torch.dtype, wide: torch.dtype) -> None:
        """TypeError where the update would have to make a Parameter wider, which MindSpore refuses."""
        if torch.promote_types(narrow, wide) is not narrow:
            raise cannot_widen(self._written, narrow, wide)

    # ---- the step, rates and decays ------------------------------------------------------------------------

    def _count_step(self) -> int:
        """Steps done before this one; adds one to ``global_step``."""
        return int(self._count(self.global_step))

    def _power(self, param: Parameter, beta: float) -> float:
        """Multiply the Parameter that holds a power of beta, and give its float32 value."""
        before = self._host(param)
        value = float(np.float32(before) * np.float32(beta))
        self._save_number(param._rest, before)
        param._rest.fill_(value)
        self._know(param, value)
        return value

    def _step_tensor(self, source, step: int) -> Tensor:
        # Formulas of the step alone are cheapest on the host; a schedule of the user's may hold tensors of
        # the device.
        device = "cpu" if isinstance(source, _Formula) else self.global_step._rest.device
        return wrap(torch.full((1,), step, dtype=torch.int32, device=device))

    def _rate(self, source, step: int):
        """The rate at ``step``: a float, or a 0-d tensor where reading it would make CUDA wait."""
        if isinstance(source, Parameter):
            return self._host(source)
        if isinstance(source, _IteratorLearningRate):
            return source.at(step)
        if isinstance(source, _ConvertToCell):
            return float(np.float32(self._host(source.learning_rate)) + np.float32(1) - np.float32(1))
        value = source(self._step_tensor(source, step))
        if not isinstance(value, Tensor):
            return float(value)
        t = value._t.reshape(())
        return float(t) if t.device.type == "cpu" else t

    def _decay(self, bucket, step: int) -> float:
        if isinstance(bucket.decay, Cell):
            return float(bucket.decay(self._step_tensor(bucket.decay, step))._t.reshape(()))
        return bucket.decay
