"""What torch has under private names, or only in some of the supported releases, and the ways round.

The rest of the package asks here, so that a change in torch is met in one place.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect

import torch
from torch.utils._pytree import (  # noqa: F401
    register_pytree_node,
    tree_any,
    tree_flatten,
    tree_leaves,
    tree_map,
)
from torch.utils.hooks import RemovableHandle

RELEASE = tuple(int(part) for part in torch.__version__.split(".")[:2])


def _takes_many() -> bool:
    try:
        torch.autograd.graph.increment_version([])
    except RuntimeError:                     # torch 2.4 takes one tensor
        return False
    return True


def _one_by_one(tensors) -> None:
    for t in tensors:
        torch.autograd.graph.increment_version(t)


# Tells autograd that the memory of each of some tensors was written.
increment_versions = torch.autograd.graph.increment_version if _takes_many() else _one_by_one


def _register_state_dict_post_hook(self, hook) -> RemovableHandle:
    """``torch.nn.Module.register_state_dict_post_hook`` of torch 2.5: ``hook`` sees the whole state dict."""
    handle = RemovableHandle(self._state_dict_hooks)

    def see(module, state, prefix, metadata) -> None:
        if hook(module, state, prefix, metadata) is not None:
            raise RuntimeError("state_dict post-hook must return None")

    self._state_dict_hooks[handle.id] = see
    return handle


def _register_load_state_dict_pre_hook(self, hook) -> RemovableHandle:
    """The same of torch 2.5: ``hook`` sees the Cell and the state dict before they meet."""
    return self._register_load_state_dict_pre_hook(hook, with_module=True)


register_state_dict_post_hook = getattr(
    torch.nn.Module, "register_state_dict_post_hook", _register_state_dict_post_hook)
register_load_state_dict_pre_hook = getattr(
    torch.nn.Module, "register_load_state_dict_pre_hook", _register_load_state_dict_pre_hook)


# Turns recording on or off; the class of this name makes an object each time, for which a step has no time.
set_grad_enabled = getattr(torch._C, "_set_grad_enabled", torch.set_grad_enabled)


@contextlib.contextmanager
def no_constants_of_real_tensors():
    """While tensors without data stand for others: what is computed from real tensors of one element has no
    value either. torch takes it for a constant, and a counter that a network keeps would stand still."""
    from torch._subclasses import fake_tensor

    before = fake_tensor.should_allow_numbers_as_tensors
    fake_tensor.should_allow_numbers_as_tensors = lambda function: False
    try:
        yield
    finally:
        fake_tensor.should_allow_numbers_as_tensors = before


# ---- what is imported when it is asked for -----------------------------------------------------------------

# Where the names are that are asked of this module: now, and in torch 2.4.
_LATE = {
    **{name: (f"torch.distributed.tensor:{name}", f"torch.distributed._tensor:{name}")
       for name in ("DTensor", "Partial", "Replicate", "Shard")},
    "implicit_replication": ("torch.distributed.tensor.experimental:implicit_replication",
                             "torch.distributed._tensor.experimental:implicit_replication"),
    "StridedShard": ("torch.distributed.tensor.placement_types:_StridedShard",),
    "InferenceMode": ("torch.distributed.pipelining._utils:InferenceMode",),
    "set_group_timeout": ("torch.distributed.distributed_c10d:_set_pg_timeout",),
    "default_store": ("torch.distributed.distributed_c10d:_get_default_store",),
    "FakeStore": ("torch.testing._internal.distributed.fake_pg:FakeStore",),
    "TorchDispatchMode": ("torch.utils._python_dispatch:TorchDispatchMode",),
    "without_modes": ("torch.utils._python_dispatch:_disable_current_modes",),
    "FakeTensor": ("torch._subclasses.fake_tensor:FakeTensor",),
    "FakeTensorMode": ("torch._subclasses.fake_tensor:FakeTensorMode",),
    "DataDependentOutputException": ("torch._subclasses.fake_tensor:DataDependentOutputException",),
    "compile_fx": ("torch._inductor.compile_fx:",),
    "inductor_backends": ("torch._inductor.codegen.common:",),
    "decompositions": ("torch._inductor.decomposition:decompositions",),
    "default_cache_dir": ("torch._inductor.runtime.cache_dir_utils:default_cache_dir",),
    "rules_of_collectives": ("torch.distributed._tools.fake_collectives:",),
    "IncompatibleKeys": ("torch.nn.modules.module:_IncompatibleKeys",),
    "EXTRA_STATE": ("torch.nn.modules.module:_EXTRA_STATE_KEY_SUFFIX",),
    "rebuild_tensor": ("torch._utils:_rebuild_tensor_v2",),
    "rebuild_tensor_of_dtype": ("torch._utils:_rebuild_tensor_v3",),
    "wrapper_subclass": ("torch:Tensor._make_wrapper_subclass",),
    "NormBase": ("torch.nn.modules.batchnorm:_NormBase",),
    "WithoutSubclasses": ("torch:_C.DisableTorchFunctionSubclass",),
    "WithoutTorchFunction": ("torch:_C.DisableTorchFunction",),
    "no_torch_function": ("torch:_C._disabled_torch_function_impl",),
    "mkldnn_enabled": ("torch:_C._get_mkldnn_enabled",),
    "set_mkldnn_enabled": ("torch:_C._set_mkldnn_enabled",),
    "unscale_and_check_group": ("torch:_amp_foreach_non_finite_check_and_unscale_",),
    "ctc_loss": ("torch:_ctc_loss",),
    "onnx_while_loop": ("torch.onnx._internal.exporter._torchlib.ops.hop:higher_order_while_loop",),
    "standard_gamma": ("torch:_standard_gamma",),
    "standard_gamma_grad": ("torch:_standard_gamma_grad",),
}


def __getattr__(name: str):
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for place in _LATE[name]:
        module, _, path = place.partition(":")
        try:
            found = importlib.import_module(module)
            for part in path.split(".") if path else ():
                found = getattr(found, part)
        except (ImportError, AttributeError) as err:
            missing = err
            continue
        globals()[name] = found
        return found
    raise ImportError(f"torch {torch.__version__} has no {' or '.join(_LATE[name])}") from missing


def _make_subclass(t: torch.Tensor, kind: type) -> torch.Tensor:
    """``t.as_subclass(kind)``, which torch 2.4 refuses under a TorchDispatchMode."""
    with torch._C.DisableTorchFunctionSubclass():
        return torch.Tensor._make_subclass(kind, t, t.requires_grad)


as_subclass = torch.Tensor.as_subclass if RELEASE >= (2, 13) else _make_subclass


# ---- the backward pass -------------------------------------------------------------------------------------


def _run_backward(outs, given, keep, create, asked, allow_unused, accumulate_grad):
    """The public way round, with its checks."""
    return torch.autograd.grad(outs, asked, given, retain_graph=keep, create_graph=create, allow_unused=True)


# What `torch.autograd.grad` calls once it has checked what is right by construction here: a third of its time
# for a small operator.
run_backward = getattr(torch.autograd.graph, "_engine_run_backward", _run_backward)


def holders(t: torch.Tensor) -> tuple[int, int] | None:
    """References to the tensor (a saved input or a view has one) and to its storage (so has a saved output);
    None where torch does not tell."""
    try:
        return t._use_count(), torch._C._storage_Use_Count(t.untyped_storage()._cdata)
    except (AttributeError, RuntimeError, NotImplementedError):
        return None

# ---- memory ------------------------------------------------------------------------------------------------

ORDINARY = frozenset((torch.Tensor, torch.nn.Parameter))


def address(t: torch.Tensor) -> int:
    """Where the memory of ``t`` is; of a DTensor, this rank's part of it."""
    return t.data_ptr() if t.__class__ in ORDINARY else getattr(t, "_local_tensor", t).data_ptr()


_OUT_OF_MEMORY = getattr(torch, "OutOfMemoryError", None) or torch.cuda.OutOfMemoryError


def out_of_memory(err: Exception) -> bool:
    """Whether there was no memory: a class of its own on devices, words on the CPU."""
    return isinstance(err, (_OUT_OF_MEMORY, MemoryError)) or says(err, "no memory")


def lack_of_memory(err: Exception) -> Exception | None:
    """The error that there was no memory, where ``err`` is one or came while a kernel of the package handled
    one, as if it were about the operands."""
    while not out_of_memory(err):
        handled = err.__context__
        if handled is None or handled.__traceback__ is None:
            return None
        handler = handled.__traceback__.tb_frame.f_globals.get("__name__", "")
        if not handler.startswith("ms2torch."):         # what a program handles is another matter
            return None
        err = handled
    return err


# ---- errors that only words tell ---------------------------------------------------------------------------

# Plain RuntimeErrors about which neither their class nor any operand says what they are, and torch's words.
_WORDS = {
    "no memory": ("defaultcpuallocator",),      # of the CPU's allocator: how much there is no operand tells
    "overwritten": ("modified by an inplace operation",),   # autograd alone counts what it has saved
    # Of torch.vmap, by the words of each of its refusals: what it maps may be anything.
    "not at once": ("data-dependent control flow", ".item() on a tensor", "support batching operators",
                    "doesn't have storage", "there exists a tensor `other`", "vmap: inplace arithmetic"),
    # (later releases raise NotImplementedError)
    "no kernel": ("not implemented for", "could not run"),
    # DTensor's table of rules is private; the second is said of shapes that depend on the data.
    "no sharding rule": ("sharding strategy", "sharding propagation failed"),
    "stage failed": ("failed to run",),                     # a pipeline's schedule around the real error
    "no such device": ("expected one of", "invalid device string"),     # of a name, before any tensor
    "communication": ("gloo", "nccl", "connection closed", "connection reset", "connection refused",
                      "broken pipe", "timed out", "process group"),     # Gloo and sockets have no classes
}


def says(err: Exception, what: str) -> bool:
    """Whether an error says one of these things."""
    text = str(err).lower()
    return any(word in text for word in _WORDS[what])


# ---- tensors inside torch.func's transforms ----------------------------------------------------------------


def _has_no_memory(t) -> bool:
    """The public way round: what a transform wraps refuses to show its memory."""
    try:
        t.untyped_storage()
    except (NotImplementedError, RuntimeError):
        return True
    return False


_FUNCTORCH = getattr(torch._C, "_functorch", None)
is_transformed = getattr(_FUNCTORCH, "is_functorch_wrapped_tensor", _has_no_memory)
_transforms = getattr(_FUNCTORCH, "peek_interpreter_stack", lambda: None)
is_batched = getattr(_FUNCTORCH, "is_batchedtensor", _has_no_memory)
unbatched = getattr(_FUNCTORCH, "get_unwrapped", None)
is_differentiated = getattr(_FUNCTORCH, "is_gradtrackingtensor", _has_no_memory)


def is_transforming() -> bool:
    """Whether one of torch.func's transforms is under way."""
    return _transforms() is not None


# ---- clamp -------------------------------------------------------------------------------------------------

def _clamped(t, low=None, high=None):
    """``torch.clamp`` whose gradient at a limit is the tensor's, as before torch 2.14."""
    if not t.requires_grad:
        return torch.clamp(t, low, high)
    if low is not None:
        t = torch.where(t < low, low, t)
    return t if high is None else torch.where(t > high, high, t)


# torch 2.15 gives 0, 1 or a half at the limits, as they are numbers or tensors.
clamp = _clamped if RELEASE >= (2, 14) else torch.clamp


# ---- exporting and saving ----------------------------------------------------------------------------------


def alone(function) -> dict:
    """What tells a function of torch's distributed checkpoints that there is one process; torch 2.4 sees
    it."""
    return {"no_dist": True} if "no_dist" in inspect.signature(function).parameters else {}


# Whether torch's exporters can leave dimensions open and write ONNX by themselves.
EXPORTS = RELEASE >= (2, 6)


def decided_by_data(err: Exception) -> bool:
    """Whether an exporter's error says that a program chooses by numbers which only a run gives."""
    from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

    return isinstance(err, GuardOnDataDependentSymNode) or "data-dependent" in str(err)


# Whether networks can be split over processes: DTensors of torch 2.4 give other numbers, and stages of its
# pipelines wait for ever.
SPREADS = RELEASE >= (2, 5)


def _subtract(op, args, kwargs) -> None:
    for a, b in zip(*args, strict=True):
        a.sub_(b, **kwargs)


def add_rules() -> None:
    """What optimizers and clipping ask of DTensors and torch 2.4 has no rules for."""
    if SPREADS:
        return
    kind, aten = __getattr__("DTensor"), torch.ops.aten

    def whole(t):
        return t.full_tensor() if isinstance(t, kind) else t

    def on_whole(op, args, kwargs):
        return op(*map(whole, args), **kwargs)

    kind._op_dispatcher._custom_op_handlers.update({
        aten.any.default: on_whole,
        aten.clamp_min.default: on_whole,
        aten._foreach_lerp.Scalar: lambda _, args, kwargs: [
            torch.lerp(a, b, args[2]) for a, b in zip(*args[:2], strict=True)],
        aten._foreach_div.Scalar: lambda _, args, kwargs: [t / args[1] for t in args[0]],
        aten._foreach_sub_.List: _subtract,
        aten._foreach_norm.Scalar: lambda _, args, kwargs: [
            whole(torch.linalg.vector_norm(t, *args[1:])) for t in args[0]],
    })
