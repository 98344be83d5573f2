"""The base of all operator classes."""

from __future__ import annotations

from typing import Any

# What `Primitive.shard` does; set by ``ms2torch.parallel``.
strategic = None
# What computes for a Primitive that a program made, as MindSpore's core does by its name alone (or None); set
# by ``ms2torch.ops.primitive``.
by_name = None


def _check_name(method: str, name) -> None:
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"{method}(): incompatible function arguments. The following argument types are "
                        f"supported:\n    1. ({method}: str, ...)")


_UNSHOWN = ("input_names", "output_names")


class Primitive:
    """Base of all operator classes (``mindspore.ops.Primitive``): made with attributes, then called."""

    kernel = None
    _init: dict[str, Any] = {}
    _fixed: dict[str, Any]

    def __init__(self, name: str | None = None) -> None:
        self.name = name or type(self).__name__
        self.attrs: dict[str, Any] = {}
        self.init_attrs: dict[str, Any] = {"name": name}
        self._fixed = {}

    def __call__(self, *args):
        compute = by_name and by_name(self)
        if compute:
            return compute(*args)
        raise NotImplementedError(f"Primitive {self.name} has no computation here; override __call__.")

    def __repr__(self) -> str:
        shown = ", ".join(f"{k}={v}" for k, v in self.attrs.items() if k not in _UNSHOWN)
        return f"Prim[{self.name}]" + (f"<{shown}>" if shown else "")

    def add_prim_attr(self, name: str, value) -> Primitive:
        _check_name("add_attr", name)
        self.__dict__[name] = value
        self.attrs[name] = value
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        self.__dict__.pop(name, None)
        self.attrs.pop(name, None)
        return self

    def set_prim_instance_name(self, name: str) -> Primitive:
        _check_name("set_instance_name", name)
        self.instance_name = name
        return self

    def init_prim_io_names(self, inputs, outputs) -> None:
        """Name inputs and outputs, as Primitives of users do; the names carry no meaning here."""
        self.add_prim_attr("input_names", inputs)
        self.add_prim_attr("output_names", outputs)

    def shard(self, in_strategy=None, out_strategy=None) -> Primitive:
        """Split its inputs, and where given its outputs, over the processes (``mindspore.parallel``)."""
        return strategic(self, in_strategy, out_strategy)

    # Placement and scheduling hints: they change where or when MindSpore computes, never what.

    def set_stage(self, stage) -> Primitive:
        return self.add_prim_attr("stage", stage)

    def set_device(self, device_target) -> Primitive:
        if device_target not in ("CPU", "GPU", "Ascend"):
            raise RuntimeError(
                f"Call 'add_attr' to add attribute to primitive '{self.name}' failed, value of attribute "
                f"'primitive_target' must be CPU|GPU|Ascend but got {device_target}")
        return self.add_prim_attr("primitive_target", device_target)

    def recompute(self, mode=True) -> Primitive:
        return self

    def set_user_data(self, key: str, value) -> None:
        """Keeps an object with the operator."""
        self.__dict__.setdefault("_user_data", {})[key] = value

    def get_user_data(self, key: str):
        """The object that `set_user_data` kept, or None."""
        return self.__dict__.get("_user_data", {}).get(key)

    def place(self, role, rank_id, *args) -> Primitive:
        return self

    @property
    def update_parameter(self) -> bool:
        return False
