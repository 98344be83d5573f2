"""Descriptions of kernels that a program brings (``mindspore.ops.op_info_register``).

Programs build them when they are imported. Nothing here runs such kernels: ``ops.Custom`` refuses them.
"""

from __future__ import annotations

__all__ = [
    "AiCPURegOp",
    "AkgAscendRegOp",
    "AkgGpuRegOp",
    "AkgRegOp",
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


def _checked(value, kind: type):
    if not isinstance(value, kind):
        raise TypeError(f"{value} value must be {kind.__name__}")
    return value


def _given(words: dict[str, object], more: dict[str, object], **kinds: type) -> dict[str, object]:
    """What was given, of its kind: names are words unless ``kinds`` says otherwise."""
    given = {name: value for name, value in words.items() if value is not None}
    return {name: _checked(value, kinds.get(name, str)) for name, value in given.items()} | more


class _RegOp:
    """A description that grows call by call."""

    _ends: dict[str, object] = {}       # what stands behind the dtypes in `get_op_info`

    def __init__(self, op_name: str) -> None:
        if not isinstance(op_name, str):
            raise ValueError("op name value must be string")
        self.op_name = op_name
        self.inputs, self.outputs, self.attr_, self.dtype_format_ = [], [], [], []
        self.fusion_type_ = ""
        self._settings = dict(self._ends)

    def input(self, index=None, name=None, param_type=None, **kwargs):
        words = {"index": index, "name": name, "paramType": param_type}
        self.inputs.append(_given(words, kwargs, index=int))
        return self

    def output(self, index=None, name=None, param_type=None, **kwargs):
        words = {"index": index, "name": name, "paramType": param_type}
        self.outputs.append(_given(words, kwargs, index=int))
        return self

    def attr(self, name=None, value_type=None, value=None, **kwargs):
        self.attr_.append(_given({"name": name, "type": value_type, "value": value}, kwargs))
        return self

    def fusion_type(self, fusion_type):
        self.fusion_type_ = _checked(fusion_type, str)
        return self

    def dtype_format(self, *args):
        if len(self.inputs) + len(self.outputs) != len(args):
            raise ValueError("input size add output size must be equal to dtype format size")
        self.dtype_format_.append(args)
        return self

    def get_op_info(self) -> dict:
        """All that was given, under MindSpore's keys."""
        return {
            "op_name": self.op_name,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "attr": self.attr_,
            "fusion_type": self.fusion_type_,
            "dtype_format": self.dtype_format_,
            **self._settings,
        }


class CpuRegOp(_RegOp):
    """Describes an operator of the CPU."""

    _ends = {"imply_type": "CPU"}


class AiCPURegOp(CpuRegOp):
    """Describes an operator of Ascend's own CPU."""

    _ends = {"imply_type": "AiCPU"}


class AkgRegOp(_RegOp):
    """Describes an operator that AKG compiles for one kind of processor."""

    def __init__(self, op_name, processor) -> None:
        super().__init__(op_name)
        self._settings |= {"imply_type": "AKG", "processor": processor}

    def output(self, index=None, name=None, **kwargs):
        return super().output(index, name, **kwargs)

    def attr(self, name=None, param_type=None, value_type=None, **kwargs):
        self.attr_.append(_given({"name": name, "paramType": param_type, "type": value_type}, kwargs))
        return self


class AkgAscendRegOp(AkgRegOp):
    """Describes an operator that AKG compiles for Ascend."""

    def __init__(self, op_name) -> None:
        super().__init__(op_name, "AiCore")


class AkgGpuRegOp(AkgRegOp):
    """Describes an operator that AKG compiles for CUDA."""

    def __init__(self, op_name) -> None:
        super().__init__(op_name, "CUDA")


class CustomRegOp(_RegOp):
    """Describes a kernel of ``ops.Custom`` (``mindspore.ops.CustomRegOp``)."""

    _ends = {"target": "UnKnown"}

    def __init__(self, op_name: str = "Custom") -> None:
        super().__init__(op_name)

    def input(self, index=None, name=None, param_type="required", **kwargs):
        return super().input(index, name, param_type, **kwargs)

    def output(self, index=None, name=None, param_type="required", **kwargs):
        return super().output(index, name, param_type, **kwargs)

    def attr(self, name=None, param_type=None, value_type=None, default_value=None, **kwargs):
        words = {"name": name, "paramType": param_type, "type": value_type, "defaultValue": default_value}
        self.attr_.append(_given(words, kwargs))
        return self

    def dtype_format(self, *args):
        if (tensors := len(self.inputs) + len(self.outputs)) != len(args):
            raise ValueError("The size of 'args' must be equal to the sum of input tensors and output "
                             f"tensors, but got {len(args)} vs {tensors}")
        return super().dtype_format(*args)

    def target(self, target=None):
        self._settings["target"] = target
        return self


class TBERegOp(_RegOp):
    """Describes an operator of Ascend's tensor engine."""

    _ends = {"imply_type": "TBE", "async_flag": False, "binfile": "", "compute_cost": 10, "kernel": "",
             "partial_flag": False, "reshape_type": "", "dynamicRankSupport": False,
             "dynamicShapeSupport": False, "dynamicCompileStatic": False, "needCheckSupport": False,
             "dynamicFormat": False, "op_pattern": "", "real_input_index": [], "input_to_attr_index": [],
             "unknown_shape_formats": []}

    def input(self, index=None, name=None, need_compile=None, param_type=None, shape=None, value_depend=None,
              **kwargs):
        words = {"index": index, "name": name, "needCompile": need_compile, "paramType": param_type,
                 "shape": shape, "valueDepend": value_depend}
        self.inputs.append(_given(words, kwargs, index=int, needCompile=bool))
        return self

    def output(self, index=None, name=None, need_compile=None, param_type=None, shape=None, **kwargs):
        words = {"index": index, "name": name, "need_compile": need_compile, "paramType": param_type,
                 "shape": shape}
        self.outputs.append(_given(words, kwargs, index=int, need_compile=bool))
        return self

    def attr(self, name=None, param_type=None, value_type=None, value=None, default_value=None, **kwargs):
        words = {"name": name, "paramType": param_type, "type": value_type, "value": value,
                 "defaultValue": default_value}
        self.attr_.append(_given(words, kwargs))
        return self

    def _set(self, key: str, value, kind: type, whole: bool = False):
        _checked(value, kind)
        self._settings[key] = [value] if whole else value
        return self

    def async_flag(self, async_flag=False):
        return self._set("async_flag", async_flag, bool)

    def binfile_name(self, binfile_name):
        return self._set("binfile", binfile_name, str)

    def compute_cost(self, compute_cost=10):
        return self._set("compute_cost", compute_cost, int)

    def kernel_name(self, kernel_name):
        return self._set("kernel", kernel_name, str)

    def partial_flag(self, partial_flag=True):
        return self._set("partial_flag", partial_flag, bool)

    def reshape_type(self, reshape_type):
        return self._set("reshape_type", reshape_type, str)

    def dynamic_shape(self, dynamic_shape=False):
        return self._set("dynamicShapeSupport", dynamic_shape, bool)

    def dynamic_rank_support(self, dynamic_rank_support):
        return self._set("dynamicRankSupport", dynamic_rank_support, bool)

    def dynamic_compile_static(self, dynamic_compile_static=False):
        return self._set("dynamicCompileStatic", dynamic_compile_static, bool)

    def need_check_supported(self, need_check_supported=False):
        return self._set("needCheckSupport", need_check_supported, bool)

    def is_dynamic_format(self, is_dynamic_format=False):
        return self._set("dynamicFormat", is_dynamic_format, bool)

    def op_pattern(self, pattern=None):
        return self if pattern is None else self._set("op_pattern", pattern, str)

    def real_input_index(self, real_input_index):
        return self._set("real_input_index", real_input_index, list)

    def input_to_attr_index(self, input_to_attr_index):
        return self._set("input_to_attr_index", input_to_attr_index, list)

    def unknown_shape_formats(self, unknown_shape_formats):
        return self._set("unknown_shape_formats", unknown_shape_formats, list, whole=True)


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
