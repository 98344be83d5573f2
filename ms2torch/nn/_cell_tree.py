"""The tree of a Cell: parameters, children, their names, flags that spread over it. Mixed into Cell."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

import torch

from ms2torch import log as logger
from ms2torch._core.module import is_torchs, speak_tensor
from ms2torch.common.parameter import Parameter, ParameterTuple

# Names that Cells have from 2.7 on: programs of before call a child by them.
_YOUNG = {"buffers", "named_buffers", "get_buffer", "register_buffer", "state_dict", "load_state_dict"}


class Params(dict):
    """``cell._params``: name -> Parameter, with the torch side (``_parameters``) kept in step."""

    __slots__ = ("raw",)

    def __init__(self, raw: dict) -> None:
        self.raw = raw

    def __setitem__(self, name: str, param: Parameter | None) -> None:
        dict.__setitem__(self, name, param)
        self.raw[name] = None if param is None else param._rest

    def __delitem__(self, name: str) -> None:
        dict.__delitem__(self, name)
        self.raw.pop(name, None)

    def pop(self, name: str, *default):
        self.raw.pop(name, None)
        return dict.pop(self, name, *default)

    def tied(self, name: str) -> Parameter | None:
        """The Parameter of ``name``, over whatever tensor torch has put into ``_parameters`` meanwhile."""
        param = dict.__getitem__(self, name)
        if param is None:
            return None
        entry = self.raw.get(name)
        if entry is not param._rest:
            if entry is None:
                return None
            if getattr(entry, "_moved_to", None) is param._rest:      # into shares (`processes.zero`)
                self.raw[name] = param._rest
                return param
            param._rest = param._t = entry
        return param

    def __reduce__(self):
        return (_params, (self.raw, dict(self)))

    def __deepcopy__(self, memo):
        import copy

        return _params(copy.deepcopy(self.raw, memo), {k: copy.deepcopy(v, memo) for k, v in self.items()})


def _params(raw: dict, items: dict) -> Params:
    new = Params(raw)
    dict.update(new, items)
    return new


def _gathered(top) -> dict:
    """The parameters of ``top`` and of all below it, by their ids. (Each step of a train cell asks.)"""
    found: dict[int, Parameter] = {}
    seen: set[int] = set()
    waiting = [top]
    while waiting:
        cell = waiting.pop()
        if id(cell) in seen:
            continue
        seen.add(id(cell))
        own = cell.__dict__
        params, children = own["_params"], own["_modules"]
        for name, param in params.items():
            if param is not None and params.raw.get(name) is not param._rest:
                param = params.tied(name)
            if param is not None:
                found[id(param)] = param
        for child in reversed(children.values()) if children else ():
            if isinstance(child, CellTree):
                waiting.append(child)
            elif child is not None:
                found.update((id(param), param) for _, param in cell._adopted())
    return found


class CellTree:
    """Names, children and parameters of a Cell."""

    # ---- putting things in -----------------------------------------------------------------------------

    def insert_param_to_cell(self, param_name: str, param, check_name_contain_dot: bool = True) -> None:
        """Add a Parameter under a name; KeyError for a bad or taken name, TypeError for anything but a
        Parameter."""
        if not param_name:
            raise KeyError("For 'insert_param_to_cell', the argument 'param_name' should not be None.")
        if check_name_contain_dot and "." in param_name:
            raise KeyError("For 'insert_param_to_cell', the argument 'param_name' should not contain'.' ")
        if "_params" not in self.__dict__:
            raise AttributeError("For 'insert_param_to_cell', please call Cell.__init__() firstly.")
        if param_name not in self._params and hasattr(self, param_name):
            raise KeyError(
                f"For 'insert_param_to_cell', the {param_name} parameter already exists in the network."
                "Cannot insert another parameter with the same name."
            )
        if not isinstance(param, Parameter) and param is not None:
            raise TypeError(
                "For 'insert_param_to_cell', the argument 'param' must be 'Parameter' if not None, "
                f"but got {type(param)}."
            )
        if param is not None and param.name.startswith("Parameter#"):
            param.name = param_name
        self._params[param_name] = param

    def insert_child_to_cell(self, child_name: str, child_cell) -> None:
        """Add a child Cell; KeyError for a bad or taken name, TypeError for anything but a Cell."""
        if not isinstance(child_name, str):
            raise TypeError(
                "For 'insert_child_to_cell', the type of parameter 'child_name' must be str, "
                f"but got {type(child_name)}."
            )
        if not child_name or "." in child_name:
            raise KeyError(
                "For 'insert_child_to_cell', the parameter 'child_name' can not be None and "
                "can not contain '.' "
            )
        self._refuse_taken(child_name)
        if not isinstance(child_cell, torch.nn.Module) and child_cell is not None:
            raise TypeError(
                "For 'insert_child_to_cell', the argument 'child_cell' must be 'Cell' if not None, "
                f"but got type {type(child_cell)}."
            )
        self._modules[child_name] = child_cell

    def _set_child(self, name: str, value: torch.nn.Module) -> None:
        self.__dict__.pop(name, None)
        if isinstance(value, CellTree):
            if self._auto_prefix:
                value.update_parameters_name(name + ".")
        else:
            speak_tensor(value)
        self._refuse_taken(name)
        self._modules[name] = value

    def _refuse_taken(self, name: str) -> None:
        """KeyError where a new child Cell would have the name of anything else, of the class's too."""
        if name not in self._modules and (name in self._params or (
                hasattr(self, name) and not is_torchs(type(self), name) and name not in _YOUNG)):
            raise KeyError(
                f"For 'insert_child_to_cell', the {name} child cell already exists in the network."
                "Cannot insert another child cell with the same name."
            )

    def _set_parameter_tuple(self, name: str, value: ParameterTuple) -> None:
        seen: set[int] = set()
        names: set[str] = set()
        for item in value:
            if id(item) in seen:
                continue
            seen.add(id(item))
            if item.name.startswith("Parameter#"):
                item.name = f"Parameter${self._next_id}"
                self.__dict__["_next_id"] = self._next_id + 1
            if item.name in names:
                raise ValueError(
                    f"The value {item} , its name '{item.name}' already exists. "
                    "Please set a unique name for the parameter."
                )
            names.add(item.name)
            self.insert_param_to_cell(item.name, item, check_name_contain_dot=False)
        self.__dict__[name] = value

    def _note_listed(self, value) -> None:
        """ValueError where a list or tuple of Parameters has a name that another one of this Cell's has."""
        known = self.__dict__.setdefault("_listed", {})
        for item in value:
            if known.setdefault(item.name, item) is not item:
                raise ValueError(
                    f"The value {value} , its name '{item.name}' already exists. "
                    "Please set a unique name for the parameter."
                )

    # ---- walking ---------------------------------------------------------------------------------------

    def cells_and_names(self, cells=None, name_prefix: str = "") -> Iterator[tuple[str, CellTree]]:
        """This Cell and all below it with their dotted names, each once."""
        seen = cells if cells else set()
        if self in seen:
            return
        seen.add(self)
        yield name_prefix, self
        for name, cell in self._modules.items():
            if isinstance(cell, CellTree):
                yield from cell.cells_and_names(seen, f"{name_prefix}.{name}" if name_prefix else name)

    def cells(self):
        """The immediate children."""
        return self.name_cells().values()

    def name_cells(self) -> OrderedDict:
        """The immediate children by name, each once."""
        seen: set[int] = set()
        found = OrderedDict()
        for name, cell in self._modules.items():
            if cell is not None and id(cell) not in seen:
                seen.add(id(cell))
                found[name] = cell
        return found

    def parameters_and_names(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Parameters with their names in the tree, each once; ``expand=False``: this Cell's own alone."""
        cells = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        seen: set[int] = set()
        for cell_name, cell in cells:
            for name in cell._params:
                param = cell._params.tied(name)
                if param is not None and id(param) not in seen:
                    seen.add(id(param))
                    yield (f"{cell_name}.{name}" if cell_name else name), param
            if expand:
                for name, param in cell._adopted():
                    if id(param) not in seen:
                        seen.add(id(param))
                        yield (f"{cell_name}.{name}" if cell_name else name), param

    def _all_parameters(self) -> list[Parameter]:
        """What `parameters_and_names` gives, without the names: several times as fast."""
        return list(_gathered(self).values())

    def _adopted(self) -> Iterator[tuple[str, Parameter]]:
        """Parameters of plain torch modules among the children, as MindSpore Parameters over the same
        tensors."""
        for child_name, child in self._modules.items():
            if child is None or isinstance(child, CellTree):
                continue
            known = self.__dict__.setdefault("_torch_parameters", {})
            for prefix, module in child.named_modules():
                for name, raw in module._parameters.items():
                    if raw is None:
                        continue
                    path = ".".join(x for x in (child_name, prefix, name) if x)
                    param = known.get(path)
                    if param is None:
                        trains = raw.requires_grad
                        raw.requires_grad_(False)
                        known[path] = param = Parameter(0, name=path, requires_grad=trains)
                        param._home = (module._parameters, name)
                        param._adopt(raw)
                    elif param._rest is not raw:
                        param._adopt(raw)
                    yield path, param

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """All parameters, this Cell's first, then the children's."""
        for _, param in self.parameters_and_names(expand=expand):
            yield param

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters whose ``requires_grad`` is True."""
        return [p for p in self.get_parameters(expand=recurse) if p.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters whose ``requires_grad`` is False."""
        return [p for p in self.get_parameters(expand=recurse) if not p.requires_grad]

    def parameters_dict(self, recurse: bool = True) -> OrderedDict:
        """Parameters by their names (``param.name``)."""
        return OrderedDict((p.name, p) for p in self.get_parameters(expand=recurse))

    def parameters_broadcast_dict(self, recurse: bool = True) -> OrderedDict | None:
        """The parameters without ``layerwise_parallel`` by name; None where there are none."""
        found = OrderedDict(
            (p.name, p) for p in self.get_parameters(expand=recurse) if not p.layerwise_parallel
        )
        return found or None

    def get_sub_cell(self, target: str):
        """The Cell at a dotted path; AttributeError where there is none."""
        found = self
        for name in target.split(".") if target != "" else ():
            if not hasattr(found, name):
                raise AttributeError(f"{found._get_name()} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, CellTree):
                raise AttributeError(f"`{name}` is not an nn.Cell")
        return found

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name every parameter ``prefix`` + its name in the tree."""
        for name, param in self.parameters_and_names(expand=recurse):
            param.name = prefix + name

    def _update_local_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        users = self.__dict__.get("_user_parameters", ())
        for name, param in self.parameters_and_names(expand=recurse):
            if name not in users:
                param.name = prefix + name

    def update_cell_prefix(self) -> None:
        """Tell every Cell its dotted name (``param_prefix``)."""
        for name, cell in self.cells_and_names():
            cell._param_prefix = name

    @property
    def param_prefix(self) -> str:
        return self._param_prefix

    def generate_scope(self) -> None:
        """Tell every Cell inside its place (`get_scope`): attribute and class of each Cell on the way."""
        def name(cell, scope):
            for key, child in cell.name_cells().items():
                child._scope = f"{scope}/{key}-{type(child).__name__}"
                name(child, child._scope)

        name(self, "Default")

    def get_scope(self) -> str | None:
        """Where the Cell is in the network whose ``generate_scope`` was called last; None before."""
        return self._scope

    def update_cell_type(self, cell_type) -> None:
        """Set ``cell_type``: "quant" or "second-order" by MindSpore's custom."""
        self.cell_type = cell_type

    def check_names(self) -> None:
        """ValueError where two parameters have one name."""
        names: set[str] = set()
        for place, param in self.parameters_and_names():
            if param.name in names:
                raise ValueError(
                    f"The value of {place} is {param}, its name '{param.name}' already exists. "
                    "Please set a unique name for the parameter."
                )
            names.add(param.name)

    def check_names_and_refresh_name(self) -> None:
        """Name parameters by their place in the tree where two share a name."""
        names = [p.name for p in self.get_parameters()]
        if len(set(names)) < len(names):
            self.update_parameters_name()
            self.check_names()

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict:
        """Parameters already hold their data here; returns each with itself, as MindSpore does."""
        found = {p: p for p in self.get_parameters()}
        if found:
            bool(auto_parallel_mode)            # (a Tensor of several has no answer)
        return found

    def remove_redundant_parameters(self) -> None:
        """Nothing, as in MindSpore, which means to drop it."""
        logger.warning("'remove_redundant_parameters' will be deprecated in future versions.")

    def cast_inputs(self, inputs, dst_type) -> None:
        """Nothing, as in MindSpore, which means to drop it."""
        logger.warning("'cast_inputs' will be deprecated in future versions.")

    def register_saved_tensors_hooks(self, pack_hook, unpack_hook) -> None:
        """Put `mindspore.saved_tensors_hooks` around ``construct``."""
        from ms2torch.common.recompute import register_saved_tensors_hooks

        self.__dict__["construct"] = register_saved_tensors_hooks(pack_hook, unpack_hook)(self.construct)

    # ---- flags -----------------------------------------------------------------------------------------

    def add_flags(self, **flags):
        """Set attributes, remembered by ``get_flags``; ``fp16``, ``bf16`` and ``fp32`` choose the Cell's
        precision."""
        known = self.__dict__.setdefault("_func_graph_flags", {})
        known.update(flags)
        self.__dict__.update(flags)
        self._precision_from_flags(flags)
        return self

    def add_flags_recursive(self, **flags):
        """``add_flags`` of this Cell and of all under it."""
        self.add_flags(**flags)
        for cell in self.cells():
            if isinstance(cell, CellTree):
                cell.add_flags_recursive(**flags)
        return self

    def get_flags(self) -> dict:
        """The flags that ``add_flags`` set."""
        return self.__dict__.get("_func_graph_flags", {})

    def cell_apply(self, fn):
        for cell in self.cells():
            if isinstance(cell, CellTree):
                cell.cell_apply(fn)
        fn(self)
        return self
