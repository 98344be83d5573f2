"""What MindSpore's compiler refuses to call from a graph: settings, logs, initializers, what a Cell holds;
and what it refuses to read of a Parameter."""

from __future__ import annotations

import types

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter

_MODULES = frozenset({"ms2torch.common.initializer", "ms2torch.context", "ms2torch.log"})
_OF_TENSORS = frozenset({"assign_value", "set_const_arg"})
_OF_PARAMETERS = frozenset({"init_data", "set_data", "set_dtype"})
_OF_CELLS = frozenset({
    "_apply", "buffers", "get_buffer", "get_parameters", "get_sub_cell", "load_state_dict", "named_buffers",
    "parameters_dict", "register_backward_hook", "register_backward_pre_hook", "register_buffer",
    "register_forward_hook", "register_forward_pre_hook", "register_load_state_dict_post_hook",
    "register_load_state_dict_pre_hook", "register_saved_tensors_hooks", "register_state_dict_post_hook",
    "register_state_dict_pre_hook", "state_dict", "to_empty", "trainable_params", "untrainable_params",
})
# what no graph reads of a Parameter
ATTRIBUTES = frozenset({
    "cache_enable", "cache_shape", "comm_fusion", "init_flag", "inited_param", "is_init", "key",
    "layerwise_parallel", "name", "param_info", "parallel_optimizer", "parallel_optimizer_comm_recompute",
    "requires_grad", "sliced",
})
METHODS = _OF_TENSORS | _OF_PARAMETERS | _OF_CELLS
# what is compiled, and calls one of the others first
_CALLS = {"parameters_dict": "get_parameters"}


def is_forbidden(target) -> bool:
    """Whether no graph calls this function or class."""
    return isinstance(target, (types.FunctionType, type)) and (
        target.__module__ in _MODULES or target is Parameter)


def function(target):
    """Refuse the call of ``target``."""
    if target is Parameter:
        made = "class 'mindspore.common.parameter.Parameter' instances"
        raise ValueError(
            f"Failed to compile in GRAPH_MODE because creating {made} is not supported in 'construct' or "
            f"@jit decorated function. Try to create {made} external such as initialized in the method "
            "'__init__' before assigning. For more details, please refer to https://www.mindspore.cn/tutorials/zh-CN/"
            "master/compile/static_graph.html"
        )
    kind = "class" if isinstance(target, type) else "method or function"
    module = target.__module__.removeprefix("ms2torch")
    raise _refused(f"the {kind} 'mindspore{module}.{target.__qualname__}'")


def method(owner, name: str):
    """``owner.name``, to be called; RuntimeError for what no graph calls."""
    from ms2torch.nn import Cell

    if isinstance(owner, Cell):
        if name in _OF_CELLS and getattr(type(owner), name, None) is getattr(Cell, name):
            raise _refused(f"the method or function 'mindspore.nn.cell.Cell.{_CALLS.get(name, name)}'")
    elif isinstance(owner, Parameter) and name in _OF_PARAMETERS:
        raise _of_an_object("Parameter", name)
    elif isinstance(owner, Tensor) and name in _OF_TENSORS:
        raise _of_an_object("Tensor", name)
    return getattr(owner, name)


def attribute(owner, name: str):
    """``owner.name``; RuntimeError for what no graph reads of a Parameter."""
    if isinstance(owner, Parameter):
        raise _of_an_object("Parameter", name)
    return getattr(owner, name)


def _refused(what: str, instead: str = "") -> RuntimeError:
    return RuntimeError(
        f"Failed to compile in GRAPH_MODE because {what} is not supported in 'construct' or function with "
        f"@jit decorator. Try to use {instead or what} externally such as initialized in the method "
        "'__init__' before assigning."
    )


def _of_an_object(kind: str, name: str) -> RuntimeError:
    error = _refused(f"the '{kind}' object's method '{name}'", f"the '{kind}.{name}'")
    return RuntimeError(f"{error}\nFor more details, please refer to https://www.mindspore.cn/tutorials/zh-CN/"
                        "master/compile/static_graph.html ")
