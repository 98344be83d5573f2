"""What the recorder asks of PyTorch, for programs that were ported by hand: Modules stand for Cells,
``torch.optim`` for MindSpore's optimizers (``--torch``).
"""

from __future__ import annotations

import contextlib
import gc

import numpy as np
import torch


class _Watched(torch.autograd.Function):
    """Identity whose gradient is shown. The result is the same memory, and no view to autograd, which forbids
    in-place changes of such views; programs write ``ReLU(inplace=True)``."""

    @staticmethod
    def forward(ctx, value, arrived):
        ctx.arrived = arrived
        return value.new_empty(0).set_(value.detach())

    @staticmethod
    def backward(ctx, gradient):
        other = ctx.arrived(gradient)
        return (gradient if other is None else other), None


def _asks_once(optimizer) -> bool:
    """Whether a ``closure`` is all of a step up to its update, as for all of PyTorch's optimizers but one."""
    return type(optimizer).__module__.startswith("torch.optim.") and not isinstance(
        optimizer, torch.optim.LBFGS)


def _answered(closure):
    """A ``closure`` whose forward and backward pass were made before the optimizer was called."""
    if not callable(closure):
        return closure
    with torch.enable_grad():
        loss = closure()
    return lambda: loss


class OwnUpdate:
    """What a program without ``torch.optim`` does to its weights after a backward pass."""

    def __init__(self) -> None:
        self.param_groups, self.state = [{"params": []}], {}
        self._gradients, self._as_they_came, self._before = [], [], []

    def begins(self, pairs) -> None:
        """``pairs`` of weights and gradients, as the backward pass leaves them."""
        self.param_groups[0]["params"] = weights = [p for p, _ in pairs]
        self._gradients = [g for _, g in pairs]
        self._as_they_came = [g.detach().clone() for g in self._gradients]
        self._before = [p.detach().clone() for p in weights]

    def made(self) -> bool:
        """Whether a weight has moved since."""
        weights = self.param_groups[0]["params"]
        return any(not torch.equal(p, before) for p, before in zip(weights, self._before, strict=True))

    def gradients(self) -> list:
        """Those that it used: clipped in their place, perhaps, and perhaps zeroed by now."""
        return [g if g.any() else came for g, came in zip(self._gradients, self._as_they_came, strict=True)]


class Torch:
    """The same questions as `MindSpore` in mindspore_frame.py answers."""

    side = "torch"
    names_are_paths = True  # a parameter's name, so that one without a dot is the root's own
    body = "forward"
    tensor, parameter, cell = torch.Tensor, torch.nn.Parameter, torch.nn.Module
    optimizers = (torch.optim.Optimizer, OwnUpdate)

    def __init__(self) -> None:
        self.version = self.api = str(torch.__version__)
        self._own, self._optimizes = OwnUpdate(), False
        self._names: dict[int, str] = {}
        self._weights: dict[int, torch.Tensor] = {}  # id of an optimizer's state -> its weight
        self._kept: list = []

    def dtype(self, value) -> str:
        return str(value.dtype).replace("torch.", "")

    def array(self, value):
        value = value.detach().cpu()
        value = value if value.layout is torch.strided else value.to_dense()
        if value.dtype is torch.bfloat16:
            return (value.float().numpy().view(np.uint32) >> 16).astype(np.uint16), "bfloat16"
        return value.resolve_conj().resolve_neg().numpy(), self.dtype(value)

    def tensor_of(self, array, like):
        return torch.as_tensor(np.array(array), dtype=like.dtype, device=like.device)

    def differentiable(self, value) -> bool:
        return value.is_floating_point() or value.is_complex()

    def asked_for(self, value) -> bool:
        return value.requires_grad

    def watched(self, value, arrived):
        seen = value.requires_grad and value.layout is torch.strided
        return _Watched.apply(value, arrived) if seen else value

    def mode(self) -> str:
        return "pynative"

    def compiled(self, owner) -> bool:
        return False

    def differentiates(self) -> bool:
        return False

    def title(self, owner) -> str:
        return type(owner).__name__

    def tree(self, owner):
        return list(owner.named_modules()) if isinstance(owner, torch.nn.Module) else [("", owner)]

    def around(self, owner):
        """The largest Module that holds ``owner``: programs call the parts of one that they never call."""
        parts = {id(part): module for module in gc.get_objects() if issubclass(type(module), torch.nn.Module)
                 for part in vars(module).get("_modules", {}).values()}
        while id(owner) in parts:
            owner = parts[id(owner)]
        return owner

    def trained(self, owner) -> bool:
        return isinstance(owner, torch.nn.Module) and any(p.requires_grad for p in owner.parameters())

    def has_parts(self, owner) -> bool:
        return isinstance(owner, torch.nn.Module) and any(
            True for part in (owner.parameters(), owner.buffers(), owner.children()) for _ in part)

    def is_layer(self, cell) -> bool:
        module = type(cell).__module__
        return module.startswith("torch.") and not module.endswith((".container", ".transformer"))

    def own_gradient(self, cell) -> bool:
        return False

    def casts(self, cell) -> bool:
        return False

    def drops(self, cell) -> bool:
        return isinstance(cell, torch.nn.modules.dropout._DropoutNd) and cell.training

    def kept(self, value):
        return value.detach() != 0

    def hidden(self, cell) -> bool:
        return False

    def parameters(self, owner) -> list:
        """Parameters and buffers, named as in the state dict of the first Module that held them."""
        if isinstance(owner, self.optimizers):
            return []
        found = [*owner.named_parameters(), *owner.named_buffers()]
        return [self._named(value, name) for name, value in found]

    def held_by(self, cell) -> list:
        """The parameters and buffers that a Module holds itself."""
        if not isinstance(cell, torch.nn.Module):
            return []
        return [*cell.parameters(recurse=False), *cell.buffers(recurse=False)]

    def _named(self, value, name: str):
        if id(value) not in self._names:
            self._names[id(value)] = name
            self._kept.append(value)
        return value

    def name(self, value) -> str:
        return self._names.get(id(value), "parameter")

    def optimizers_in(self, owner) -> list:
        return []

    def weights(self, optimizer) -> list:
        """The weights that have a gradient; the others are not updated."""
        if optimizer is self._own:
            return self._own.param_groups[0]["params"]
        return [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]

    def state(self, optimizer) -> list:
        found = []
        for p in (p for group in optimizer.param_groups for p in group["params"]):
            for key, value in optimizer.state.get(p, {}).items():
                if isinstance(value, torch.Tensor):
                    found.append(self._named(value, f"{key}.{self.name(p)}"))
                    self._weights[id(value)] = p
        return found

    def kept_for(self, state, optimizer):
        """What an optimizer's state is, and of which weight."""
        return self.name(state).partition(".")[0], self._weights.get(id(state))

    def assign(self, parameter, value) -> None:
        with torch.no_grad():
            parameter.copy_(value)

    def settings(self, optimizer) -> dict[str, float]:
        """The numbers of the first group; betas by one name each."""
        group = dict(optimizer.param_groups[0])
        group.update({f"beta{i}": beta for i, beta in enumerate(group.pop("betas", ()), 1)})
        wanted = ("eps", "beta1", "beta2", "momentum", "weight_decay", "alpha", "dampening", "nesterov",
                  "amsgrad")
        return {k: float(group[k]) for k in wanted if isinstance(group.get(k), (int, float))}

    def rates(self, optimizer) -> list:
        return [("learning_rate", torch.tensor(float(g["lr"]))) for g in optimizer.param_groups if "lr" in g]

    def stepping(self, optimizer):
        return contextlib.nullcontext()

    def install(self, recorder) -> None:
        """Route the calls of Modules and the steps of optimizers through ``recorder``."""
        original, step = torch.nn.Module.__call__, torch.optim.Optimizer.profile_hook_step
        differentiate, gradients_of = torch.Tensor.backward, torch.autograd.grad

        def __call__(module, *args, **kwargs):
            return recorder.call(module, lambda a, k: original(module, *a, **k), args, kwargs)

        @staticmethod
        def profile_hook_step(function):
            inner = step(function)
            self._optimizes = True

            def called(optimizer, *args, **kwargs):
                if _asks_once(optimizer):
                    args, kwargs = ([_answered(given) for given in args],
                                    {name: _answered(given) for name, given in kwargs.items()})
                gradients = [p.grad for p in self.weights(optimizer)]

                def run(given, _):
                    for p, gradient in zip(self.weights(optimizer), given[0], strict=True):
                        p.grad = gradient
                    return inner(optimizer, *args, **kwargs)

                return recorder.call(optimizer, run, (gradients,), {})

            called.hooked = True
            return called

        def backward(value, *args, **kwargs):
            recorder.loss(value)
            differentiate(value, *args, **kwargs)
            recorder.passed()
            if not self._optimizes:
                recorder.differentiated(self._own, lambda weights: [(p, p.grad) for p in weights
                                                                    if p.grad is not None])

        def grad(outputs, inputs, *args, **kwargs):
            wanted = (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs)
            own = not self._optimizes and all(isinstance(p, torch.nn.Parameter) for p in wanted)
            if own and isinstance(outputs, torch.Tensor):
                recorder.loss(outputs)
            found = gradients_of(outputs, wanted, *args, **kwargs)
            recorder.passed()
            if own:
                pairs = [(p, g) for p, g in zip(wanted, found, strict=True) if g is not None]
                recorder.differentiated(self._own, lambda _: pairs)
            return found

        torch.Tensor.backward, torch.autograd.grad = backward, grad
        torch.nn.Module.__call__ = __call__
        torch.optim.Optimizer.profile_hook_step = profile_hook_step

    def seed(self, seed: int) -> None:
        torch.manual_seed(seed)
