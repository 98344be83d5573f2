"""What torch has under private names, or only in some of the supported releases, and the ways round.

The rest of the package asks here, so that a change in torch is met in one place.
"""

from __future__ import annotations

import inspect

import torch
from torch.utils._pytree import register_pytree_node, tree_leaves, tree_map  # noqa: F401
from torch.utils.hooks import RemovableHandle


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
    "no sharding rule": ("sharding strategy",),             # DTensor's table of rules is private
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

RELEASE = tuple(int(part) for part in torch.__version__.split(".")[:2])


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
