"""Cell, the base of every network (``mindspore.nn.Cell``), as a torch.nn.Module.

Two facts shape this file. A call must cost next to nothing: ``__call__`` goes straight to ``construct``
unless something (a hook, ``set_grad``, ``to_float``, ``bprop``, recomputation) marked the Cell ``_slow``. And
torch's ``_parameters`` hold real torch.nn.Parameters while ``cell.weight`` gives MindSpore's Parameter around
the same tensor.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from types import FunctionType

import torch

from ms2torch import language
from ms2torch._core import mode as _mode
from ms2torch._core.checks.error_wrappers import layer_error, wrap_class
from ms2torch._core.checks.words import with_public_classes
from ms2torch._core.errors import unsupported
from ms2torch._core.gradient import recording, threads
from ms2torch._core.module import Guarded, guard, guard_overrides
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch._naming import generations
from ms2torch.common._read_narrow import Narrow
from ms2torch.common.parameter import Parameter, ParameterTuple
from ms2torch.language.differentiating import is_gradient, names_a_gradient

from ._cell_call import CellCall
from ._cell_earlier import CellEarlier
from ._cell_hooks import CellHooks, HookHandle  # noqa: F401 - MindSpore has HookHandle here too
from ._cell_settings import CellSettings
from ._cell_state import CellState, register_cell_buffer_registration_hook
from ._cell_tree import CellTree, Params
from ._held_operators import held

__all__ = ["Cell", "GraphCell", "register_cell_buffer_registration_hook"]

_Module = torch.nn.Module


class Cell(CellTree, CellState, CellCall, CellHooks, CellSettings, CellEarlier, _Module):
    """Base class of networks and layers: parameters and child Cells as attributes, the computation in
    ``construct``.

    ``auto_prefix`` puts the attribute name of a child before its parameters' names; ``flags`` go to
    ``add_flags``. Unlike a torch Module, a new Cell is not in training mode (``set_train()``), its forward
    pass records no graph, and calling it runs ``construct``. For torch's autograd-facing tools (optimizers,
    DDP) use ``ms2torch.to_torch(cell)``.
    """

    IGNORE_LIST = ()
    _slow = False
    _float = None
    _in_slow_construct = False
    _never_recorded = False
    _trainer = False
    _children_marked = False
    has_bprop = False
    requires_grad = False
    is_top_cell = False
    cell_type = None
    _param_prefix = ""
    _phase = "train"
    _scope = None
    _next_id = 1
    _recompute = False
    mixed_precision_type = None
    bprop_debug = False
    parameter_layout_dict: dict = {}
    jit_config_dict: dict = {}
    cell_init_args = ""

    def __init__(self, auto_prefix: bool = True, flags=None) -> None:
        _Module.__init__(self)
        own = self.__dict__
        if isinstance(own.get("construct"), _Uninitialised):
            del own["construct"]
        own["training"] = False
        own["_params"] = Params(own["_parameters"])
        own["_ms_buffers"] = {}
        own["_primitives"] = OrderedDict()
        own["_auto_prefix"] = auto_prefix
        if flags:
            self.add_flags(**flags)
        if hasattr(self, "bprop"):
            own["has_bprop"] = own["_slow"] = True

    def __init_subclass__(cls, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        guard_overrides(cls, Cell)
        wrap_class(cls, calls=False)
        if names_a_gradient(cls.__dict__.get("construct")):
            # Its construct differentiates: in graph mode it shares one forward pass with the loss (see
            # _cell_call).
            cls._slow = cls._trainer = True
        language.first_call(cls)

    # ---- the call --------------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        if threads.guarded:
            threads.wait()
        # (An optimizer draws nothing; what sinks a dataset calls a graph for each step.)
        if _mode.graph and graph_streams.here.call is None and not self._never_recorded:
            value = graph_streams.call(self, self, args, kwargs)
            if value.__class__ is Tensor:
                return value
            return language.handed_out(value, self.construct, (self, *args), kwargs)
        if _mode.spreading is not None and not self._never_recorded:     # (an optimizer is given no batch)
            return _mode.spreading.call(self, args, kwargs)
        try:
            if self._slow:
                return self._slow_call(args, kwargs)
            return self.construct(*args, **kwargs)
        except Exception as error:
            told = layer_error(error, self, self.construct, args, kwargs)
            if _mode.graph and told is error:
                told = language.explained(error, self.construct, args, kwargs, "Cell")
            if told is error:
                raise
            raise told.with_traceback(error.__traceback__) from None

    def construct(self, *args, **kwargs):
        """The computation; every Cell defines its own."""
        raise AttributeError("For 'Cell', the method 'construct' is not defined.")

    def forward(self, *args, **kwargs):
        """torch's name for ``construct``."""
        return self(*args, **kwargs)

    # ---- attributes ------------------------------------------------------------------------------------

    def __getattr__(self, name: str):
        own = self.__dict__
        params = own.get("_params")
        if params is not None:
            if name in params:
                param = params[name]            # (`tied` is called where it has something to do)
                if param is None or params.raw.get(name) is not param._rest:
                    param = params.tied(name)
                return self._in_its_precision(param) if self._in_slow_construct else param
            modules = own["_modules"]
            if name in modules:
                return modules[name]
            if name in own["_buffers"]:
                return self._in_its_precision(self._tied_buffer(name))
        return held(self, name)

    def _in_its_precision(self, tensor: Tensor | None):
        """A parameter or buffer as ``construct`` reads it: cast where ``to_float`` chose a dtype."""
        if self._in_slow_construct and tensor is not None and self._float is not None:
            t = tensor._t
            if t.dtype is not self._float and t.is_floating_point():
                return Narrow(tensor, self._float)
        return tensor

    def __setattr__(self, name: str, value) -> None:
        _mode.changes += 1
        if isinstance(value, Parameter):
            self.__dict__.pop(name, None)
            self.insert_param_to_cell(name, value)
        elif isinstance(value, _Module):
            if "_params" not in self.__dict__:
                raise AttributeError(f"The '{type(self).__name__}' object has no attribute '_auto_prefix'.")
            self._set_child(name, value)
        elif isinstance(value, ParameterTuple):
            self._set_parameter_tuple(name, value)
        elif isinstance(value, Tensor) and "_is_buffer" in value.__dict__:
            self.__dict__.pop(name, None)
            self.register_buffer(name, value, value.__dict__.get("persistent", True))
        elif isinstance(value, torch.nn.Parameter):
            self.insert_param_to_cell(name, Parameter(value.detach(), requires_grad=value.requires_grad))
        else:
            self._set_plain(name, value)

    def _set_plain(self, name: str, value) -> None:
        own = self.__dict__
        if "_params" in own:
            if name in own["_params"]:
                self._replace_parameter(name, value)
                return
            if name in own["_modules"]:
                if value is not None:
                    raise TypeError(
                        f"Sub cell '{name}' already exists in network, "
                        f"can not assign this type: '{type(value)}' as a cell."
                    )
                own["_modules"][name] = None
                return
            if name in own["_buffers"]:
                if value is None:
                    self._keep_buffer(name, None)
                    return
                raise TypeError(
                    f"Buffer '{name}' already exists in network, "
                    f"can not assign this type: '{type(value)}' as a buffer."
                )
            if value.__class__ in (list, tuple) and value and all(isinstance(v, Parameter) for v in value):
                self._note_listed(value)
        elif "construct" not in own:
            own["construct"] = _Uninitialised(type(self).__name__)
        if _mode.differentiation is not None and not name.startswith("__"):
            _mode.differentiation.remember(value)
        # (Not `hasattr`: a program's own `__getattr__` may raise anything.)
        if is_gradient(value):
            own["_slow"] = own["_trainer"] = True
        if name in _TRACED:
            _TRACED[name](self, value)
        object.__setattr__(self, name, value)

    def _replace_parameter(self, name: str, value) -> None:
        if value is None:
            self._params[name] = None
        elif isinstance(value, Tensor) and self._params[name] is not None:
            self._params[name].set_data(value)
        else:
            raise TypeError(
                f"Parameter '{name}' already exists in network, "
                f"can not assign this type: '{type(value)}' as a parameter."
            )

    def __delattr__(self, name: str) -> None:
        _mode.changes += 1
        for store in (self._params, self._modules, self._buffers):
            if name in store:
                del store[name]
                self._ms_buffers.pop(name, None)
                return
        object.__delattr__(self, name)

    def __bool__(self) -> bool:
        return True

    def __setstate__(self, state) -> None:
        self.__dict__.update(state)

    def __dir__(self):
        own = self.__dict__
        return sorted({*object.__dir__(self), *own.get("_params", ()), *own.get("_modules", ())})

    @property
    def _cells(self) -> dict:
        return self._modules

    @property
    def cls_name(self) -> str:
        return type(self).__name__

    @property
    def phase(self) -> str:
        return self._phase

    @phase.setter
    def phase(self, value: str) -> None:
        self.__dict__["_phase"] = value

    @property
    def _recorder(self) -> recording.Recorder:
        found = self.__dict__.get("_records")
        if found is None:
            found = self.__dict__["_records"] = recording.Recorder()
        return found

    # ---- printing --------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extend_repr(self) -> str:
        """What ``repr`` shows of this Cell besides its children; override it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extend_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = []
        for name, cell in self._modules.items():
            first, *rest = repr(cell).split("\n")
            child_lines.append("\n".join([f"({name}): {first}", *("  " + line for line in rest)]))
        old = generations.has_old_meaning("mindspore.nn.Cell.__repr__")
        opened, last, closed = ("<", "\n  ", ">") if old else ("(", "\n", ")")
        text = self._get_name() + opened
        if len(extra_lines) == 1 and not child_lines:
            text += extra_lines[0]
        elif extra_lines or child_lines:
            text += "\n  " + "\n  ".join([*extra_lines, *child_lines]) + last
        return text + closed

    def __str__(self) -> str:
        return self.__repr__()

    # ---- modes -----------------------------------------------------------------------------------------

    def set_train(self, mode: bool = True) -> Cell:
        """Training mode on or off for this Cell and all below it; off drops recorded forwards."""
        self.__dict__["_phase"] = "train" if mode else "predict"
        if not mode and (_mode.graphs == "compile" or (_mode.graph and _mode.graphs == "auto")):
            self._mark_evaluated()
        changed = False         # (loops set it at each epoch: compiled steps need not look again)
        for _, cell in self.cells_and_names():
            records = cell.__dict__.get("_records")
            if records is not None:
                records.resume() if mode else records.stop()
            if cell.__dict__.get("training") is not mode or cell.get_flags().get("training") is not mode:
                changed = True
            for child in cell._modules.values():
                if child is not None and not isinstance(child, Cell):
                    child.train(mode)
                    changed = True
        if changed:
            _mode.changes += 1
            self.add_flags_recursive(training=mode)
        return self

    def set_grad(self, requires_grad: bool = True) -> Cell:
        """Record this Cell's forward passes, so that the gradient call that follows need not run it again."""
        self.__dict__["requires_grad"] = requires_grad
        self._mark_slow()
        return self

    def to_float(self, dst_type) -> Cell:
        """Compute this Cell and all below in float16, bfloat16 or float32: casts inputs and parameters."""
        if dst_type not in (_dtype.float16, _dtype.float32, _dtype.bfloat16):
            raise with_public_classes(ValueError(
                "For 'to_float', the argument 'dst_type' must be mstype.float32, mstype.float16 or "
                f"mstype.bfloat16, but got type: {type(dst_type)} and value: {dst_type}."
            ))
        return self.add_flags_recursive(
            fp16=dst_type == _dtype.float16, fp32=dst_type == _dtype.float32, bf16=dst_type == _dtype.bfloat16
        )

    def _precision_from_flags(self, flags: dict) -> None:
        for key, dtype in (("fp16", torch.float16), ("fp32", torch.float32), ("bf16", torch.bfloat16)):
            if flags.get(key):
                self.__dict__["_float"] = dtype
                self._mark_slow()

    # ---- torch's names that MindSpore has too
    # ---------------------------------------------------------------

    def apply(self, fn) -> Cell:
        """Call ``fn`` on every Cell below and then on this one."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    def parameters(self, recurse: bool = True):
        """All raw torch parameters. They do not require grad: an optimizer of torch's is refused and sent to
        to_torch."""
        return _ForReading(_Module.parameters(self, recurse))

    def named_parameters(self, *args, **kwargs):
        """As ``parameters``, with torch's dotted names."""
        return _ForReading(_Module.named_parameters(self, *args, **kwargs))

class _Uninitialised:
    """Stands for ``construct`` in a Cell until its ``__init__`` has run."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *args, **kwargs):
        raise AttributeError(
            f"The '{self.name}' object does not inherit attribute from 'cell'. "
            "Please use 'super().__init__()'."
        )


class _ForReading:
    """An iterator that torch's optimizers may not consume: they would train nothing, in silence."""

    def __init__(self, items) -> None:
        self._items = iter(items)

    def __iter__(self) -> _ForReading:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.startswith("torch.optim"):
            raise TypeError(
                "A MindSpore Cell's parameters do not require grad, so torch.optim would train nothing. "
                "Use ms2torch.to_torch(cell).parameters(), or an optimizer of mindspore.nn."
            )
        return self

    def __next__(self):
        return next(self._items)


class GraphKernel(Cell):
    """A network whose operators MindSpore fused into one kernel, in r1.0 to r1.5; here a Cell like others."""

    def __init__(self, auto_prefix: bool = True, pips=None) -> None:
        super().__init__(auto_prefix=auto_prefix)


class GraphCell(Cell):
    """The network of a MindIR file (``mindspore.nn.GraphCell``), for evaluation.

    ``graph`` is what ``mindspore.load`` gave; ``params_init`` values by the names of Parameters, in place of
    the file's. TypeError for other arguments, RuntimeError for another number of inputs than it takes.
    """

    def __init__(self, graph, params_init=None, obf_random_seed=None) -> None:
        super().__init__(auto_prefix=True)
        from ms2torch.mindir import network

        if obf_random_seed is not None:
            raise unsupported("mindspore.nn.GraphCell(obf_random_seed=...)", "obfuscated graphs are not run.",
                              "export the network without obfuscation.")
        for name, param in network.parameters(graph, params_init):
            self.insert_param_to_cell(name, param, check_name_contain_dot=False)
        self.graph = graph

    def construct(self, *inputs):
        from ms2torch.mindir import network

        return network.run(self.graph, self._params, inputs)


def _on_training(cell: Cell, value) -> None:
    records = cell.__dict__.get("_records")
    if records is not None:
        records.resume() if value else records.stop()


_TRACED = {"requires_grad": lambda cell, value: cell._mark_slow(), "training": _on_training}

# Every public method of torch's Module: MindSpore programs own these names, torch's own code still finds
# them.
_MINDSPORE_OWN = {
    "construct",
    "forward",
    "compile",
    "extra_repr",
    "register_forward_hook",
    "register_forward_pre_hook",
    "register_buffer",
}
Cell.forward = Guarded("forward", Cell.forward)
guard(
    Cell,
    [
        n
        for n in dir(_Module)
        if not n.startswith("_") and callable(getattr(_Module, n)) and n not in _MINDSPORE_OWN
    ],
)

# What Python's errors call the methods of its parts.
for _part in (CellTree, CellState, CellCall, CellHooks, CellSettings):
    for _name, _method in vars(_part).items():
        if isinstance(_method, FunctionType):
            _method.__qualname__ = f"Cell.{_name}"


threads.cell_calls.add(Cell.__call__.__code__)
