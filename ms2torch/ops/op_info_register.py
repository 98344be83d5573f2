"""Descriptions of kernels that a program brings (``mindspore.ops.op_info_register``).

Programs build them when they are imported. Nothing here runs such kernels: ``ops.Custom`` refuses them.
"""

from __future__ import annotations

__all__ = [
    "AiCPURegOp",
    "AkgAscendRegOp",
    "AkgGpuRegOp",
    "CpuRegOp",
    "CustomRegOp",
    "DataType",
    "TBERegOp",
    "custom_info_register",
    "op_info_register",
]

_KINDS = {"None": "", "BOOL": "bool", "BF16": "bfloat16"}
_KINDS |= {
    f"{letter}{bits}": f"{word}{bits}"
    for letter, word, sizes in (
        ("I", "int", (8, 16, 32, 64)),
        ("U", "uint", (8, 16, 32, 64)),
        ("F", "float", (16, 32, 64)),
        ("C", "complex", (64, 128)),
    )
    for bits in sizes
}
_FORMATS = {
    "None": "",
    "Default": "DefaultFormat",
    "5HD": "NC1HWC0",
    "FracZ": "FRACTAL_Z",
    "FracNZ": "FRACTAL_NZ",
    "FracZNLSTM": "FRACTAL_ZN_LSTM",
    "FracZNRNN": "FRACTAL_ZN_RNN",
    "ND_RNNBIAS": "ND_RNN_BIAS",
}
_FORMATS |= {
    name: name
    for name in (
        "C1HWNCoC0",
        "ChannelLast",
        "DHWCN",
        "FRACTAL_Z_3D",
        "HWCN",
        "NC1HWC0",
        "NCDHW",
        "NCHW",
        "NDC1HWC0",
        "NDHWC",
        "NHWC",
    )
}


class _Pairs(type):
    def __getattr__(cls, name: str) -> tuple[str, ...]:
        kind, _, layout = name.partition("_")
        for ending in ("Tuple", "List"):
            if kind in _KINDS and layout == f"Default_{ending}":
                return _KINDS[kind], "DefaultFormat", ending.lower()
        if kind in _KINDS and layout in _FORMATS:
            return _KINDS[kind], _FORMATS[layout]
        raise AttributeError(f"type object 'DataType' has no attribute '{name}'")


class DataType(metaclass=_Pairs):
    """Pairs of names, of a dtype and a format: ``DataType.F32_Default`` is ("float32", "DefaultFormat")."""


class _RegOp:
    """A description that grows call by call; any call but `get_op_info` adds what it is given."""

    def __init__(self, op_name: str) -> None:
        if not isinstance(op_name, str):
            raise ValueError(f"op name value must be string, but got {op_name}.")
        self.op_name = op_name
        self.inputs, self.outputs, self.attr_, self.dtype_format_ = [], [], [], []
        self._settings: dict[str, object] = {"fusion_type": ""}

    def _described(self, index, name, kind, more) -> dict:
        found = {"index": index, "name": name, "paramType": kind or "required"}
        return found | {key: value for key, value in more.items() if value is not None}

    def input(self, index=None, name=None, param_type="required", **kwargs):
        self.inputs.append(self._described(index, name, param_type, kwargs))
        return self

    def output(self, index=None, name=None, param_type="required", **kwargs):
        self.outputs.append(self._described(index, name, param_type, kwargs))
        return self

    def attr(self, name=None, param_type=None, value_type=None, default_value=None, **kwargs):
        given = {
            "name": name,
            "paramType": param_type,
            "type": value_type,
            "defaultValue": default_value,
            **kwargs,
        }
        self.attr_.append({key: value for key, value in given.items() if value is not None})
        return self

    def dtype_format(self, *args):
        self.dtype_format_.append(args)
        return self

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)

        def setting(value=None):
            self._settings[name] = value
            return self

        return setting

    def get_op_info(self) -> dict:
        """All that was given, under MindSpore's keys."""
        return {
            "op_name": self.op_name,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "attr": self.attr_,
            **{k: v for k, v in self._settings.items() if k != "target"},
            "dtype_format": self.dtype_format_,
            **{k: v for k, v in self._settings.items() if k == "target"},
        }


class CustomRegOp(_RegOp):
    """Describes a kernel of ``ops.Custom`` (``mindspore.ops.CustomRegOp``)."""

    def __init__(self, op_name: str = "Custom") -> None:
        super().__init__(op_name)


class AiCPURegOp(_RegOp):
    """Describes an operator of Ascend's own CPU."""


class AkgAscendRegOp(_RegOp):
    """Describes an operator that AKG compiles for Ascend."""


class AkgGpuRegOp(_RegOp):
    """Describes an operator that AKG compiles for CUDA."""


class CpuRegOp(_RegOp):
    """Describes an operator of the CPU."""


class TBERegOp(_RegOp):
    """Describes an operator of Ascend's tensor engine."""


def op_info_register(op_info):
    """A decorator that leaves the function as it is: no kernel is registered."""

    def register(function):
        return function

    return register


def custom_info_register(*reg_info):
    """A decorator that keeps descriptions at the function, for ``ops.Custom`` to read."""

    def register(function):
        function.reg_info = list(reg_info)
        return function

    return register
