"""Transforms as MindSpore's JSON, and back: what `dataset.serialize` writes of the operations of a ``map``.

An operation is its C++ name and its arguments as C++ holds them: sizes as pairs, colours as three numbers,
modes by their numbers, in single precision. Transforms of PIL images are their class and its arguments.
"""

from __future__ import annotations

import importlib
import inspect
from enum import Enum

import numpy as np

from ..core.errors import pipeline_error
from .operation import Compose, PyTensorOperation, TensorOperation
from .py_transforms_util import Implementation

_NAMES = {"HWC2CHW": "HwcToChw", "ToType": "TypeCast"}
# C++ writes nothing of these but their names.
_BARE_NAMES = """HWC2CHW Duplicate Slice Unique Lookup Ngram SlidingWindow TruncateSequencePair
    UnicodeCharTokenizer WordpieceTokenizer BasicTokenizer CaseFold FilterWikipediaXML NormalizeUTF8
    RegexReplace RegexTokenizer UnicodeScriptTokenizer WhitespaceTokenizer Concatenate JiebaTokenizer
    Angle DecodeVideo"""
_BARE = frozenset(_BARE_NAMES.split())
_DEVICE_NAMES = """AdjustBrightness AdjustContrast AdjustHue AdjustSaturation AdjustSharpness Affine
    AutoContrast ConvertColor Crop Decode Equalize Erase GaussianBlur HorizontalFlip Invert Normalize Pad
    Perspective Posterize Resize ResizedCrop Rotate Solarize VerticalFlip"""
_ON_A_DEVICE = frozenset(_DEVICE_NAMES.split())
# C++ reads no others.
_READ_NAMES = """AdjustGamma Affine AutoContrast BoundingBoxAugment CenterCrop Crop CutMixBatch CutOut Decode
    Equalize Fill GaussianBlur HorizontalFlip HwcToChw Invert MixUpBatch Normalize NormalizePad OneHot Pad
    RandomAffine RandomColor RandomColorAdjust RandomCrop RandomCropDecodeResize RandomCropWithBBox
    RandomHorizontalFlip RandomHorizontalFlipWithBBox RandomPosterize RandomResize RandomResizeWithBBox
    RandomResizedCrop RandomResizedCropWithBBox RandomRotation RandomSelectSubpolicy RandomSharpness
    RandomSolarize RandomVerticalFlip RandomVerticalFlipWithBBox Rescale Resize ResizeWithBBox Rotate
    SlicePatches ToNumber ToTensor TypeCast UniformAugment VerticalFlip"""
_READ = frozenset(_READ_NAMES.split())
_RENAMED = {
    "Rotate": {"degrees": "degree"},
    "BertTokenizer": {"normalization_form": "normalize_form"},
    "FrequencyMasking": {"freq_mask_param": "frequency_mask_param"},
}
_CODES = {
    "Inter": {0: 1, 1: 0, 2: 0, 3: 2, 4: 3, 5: 4},
    "Border": {"constant": 0, "edge": 1, "reflect": 2, "symmetric": 3},
    "AutoAugmentPolicy": {"imagenet": 0, "cifar10": 1, "svhn": 2},
    "NormType": {"none": 0, "slaney": 1},
    "NormMode": {"none": 0, "ortho": 1},
    "ScaleType": {"magnitude": 0, "power": 1},
    "FadeShape": {"linear": 0, "exponential": 1, "logarithmic": 2, "quarter_sine": 3, "half_sine": 4},
}
_MODES = {
    "interpolation": "Inter",
    "resample": "Inter",
    "padding_mode": "Border",
    "policy": "AutoAugmentPolicy",
    "convert_mode": "ConvertMode",
    "image_batch_format": "ImageBatchFormat",
    "slice_mode": "SliceMode",
}


def given(one) -> dict:
    """The arguments that an object was made with, defaults included."""
    args, keywords = one._made_with
    # (Of a class, Python 3.10 gives the signature of an inherited `__new__` first.)
    takes = inspect.signature(type(one).__init__).bind(one, *args, **keywords)
    takes.apply_defaults()
    values = {}
    for name, value in list(takes.arguments.items())[1:]:
        kind = takes.signature.parameters[name].kind
        if kind is not inspect.Parameter.VAR_POSITIONAL or value:
            values.update(value if kind is inspect.Parameter.VAR_KEYWORD else {name: value})
    return values


def operation_json(operation, python: bool = False) -> dict:
    """One operation of a ``map``; ``python``: it takes what Python gives."""
    name = type(operation).__name__
    if not isinstance(operation, (TensorOperation, PyTensorOperation)) or name == "PythonTokenizer":
        return {
            "python_module": "mindspore.dataset.transforms.py_transforms_util",
            "tensor_op_name": getattr(operation, "__name__", name),
        }
    if python or is_python(operation):
        return {
            "python_module": type(operation).__module__.replace("ms2torch.", "mindspore.", 1),
            "tensor_op_name": name,
            "tensor_op_params": _python_parameters(operation),
        }
    values = {
        key: getattr(operation, key, None) if value is None else value
        for key, value in given(operation).items()
    }
    parameters = None if name in _BARE else _parameters(name, values)
    return {"tensor_op_name": _NAMES.get(name, name), "tensor_op_params": parameters}


def operations_json(operations) -> list[dict]:
    """Those of a ``map``: neighbours that are Python's are one Compose, as MindSpore runs them."""
    written, run = [], []

    def close():
        if len(run) > 1 and any(isinstance(one, (TensorOperation, PyTensorOperation)) for one in run):
            written.append(
                {
                    "python_module": "mindspore.dataset.transforms.transforms",
                    "tensor_op_name": "Compose",
                    "tensor_op_params": {
                        "device_target": "CPU",
                        "implementation": 1,
                        "output_type": "float64",
                        "transforms": [operation_json(one, True) for one in run],
                    },
                }
            )
        else:
            written.extend(map(operation_json, run))
        run.clear()

    for operation in Compose.decompose(operations):
        # what takes PIL images too takes them where they come from Python
        if is_python(operation) or (
            run and getattr(operation, "_execute_py", None) and type(operation).__name__ != "ToTensor"
        ):
            run.append(operation)
            continue
        close()
        written.append(operation_json(operation))
    close()
    return written


def is_python(operation) -> bool:
    """Whether it is a function of the program, or a transform that only Python has."""
    if not isinstance(operation, TensorOperation):
        return True
    return operation.implementation is Implementation.PY


def _python_parameters(operation) -> dict:
    values = given(operation)
    if nested := values.get("transforms"):
        values["transforms"] = operations_json(nested)
    own = {"transforms": [], "implementation": 1, "output_type": "float64"}
    if type(operation).implementation is not Implementation.PY:
        own["device_target"] = "CPU"
    elif not type(operation).__name__.startswith("Random"):
        own["random"] = False
    values = {
        name: value.value if isinstance(value, Enum) else _plain(value, float)
        for name, value in values.items()
    }
    return dict(sorted((own | values).items()))


def _parameters(name: str, values: dict) -> dict:
    for key in ("melkwargs", "speckwargs"):
        values |= {f"{one}_mel" if one == "norm" else one: _enum(one, value)
                   for one, value in values.pop(key, {}).items()}
    values = {key: _parameter(name, key, value) for key, value in values.items()}
    if name in _ON_A_DEVICE:
        values["device_target"] = values["contrast_factor"] if name == "AdjustContrast" else "CPU"  # theirs
    for own, theirs in _RENAMED.get(name, {}).items():
        values[theirs] = values.pop(own)
    if name == "Decode":
        values["rgb"] = True
        del values["to_pil"]
    if name == "Mask":
        values = {"op": values["operator"], "constant": values["constant"], "dtype": values["dtype"]}
    if name == "Fill":
        values = values["fill_value"]
    return dict(sorted(values.items()))


def _parameter(operation: str, key: str, value):
    """A value as C++ holds it."""
    if key in ("fill_value", "constant", "pad_value") and operation in ("Fill", "Mask", "PadEnd"):
        return _scalar(value)
    if key == "pad_shape":
        return [-1 if size is None else size for size in value]
    if key in ("transforms", "transform"):
        return operation_json(value) if key == "transform" else list(map(operation_json, value))
    if operation == "RandomSelectSubpolicy":
        return [
            [{"prob": float(prob), "tensor_op": operation_json(one)} for one, prob in group]
            for group in value
        ]
    if key == "operator":
        return _RELATIONS.index(value.name)
    if key in ("data_type", "output_type", "dtype"):
        return _dtype(operation, value)
    if key == "size":
        return _listed(value, 1 if operation in _LONE else 2)
    if key == "padding":
        return _sides(value)
    if key == "coordinates":
        return [value[1], value[0]]
    if key == "fill_value" and operation != "SlicePatches":
        return list(value) if isinstance(value, (tuple, list)) else [value] * 3
    if key in _SPANS.get(operation, ()):
        return _span(key, value)
    if key == "translate" and value:
        return _plain([float(one) for one in value])
    if key == "shear":
        both = [float(one) for one in value or [0.0] * 4]
        return _plain(both + [0.0] * (4 - len(both)) if operation == "RandomAffine" else both)
    if operation == "RandomAffine" and value is None:
        return {"translate": [0.0] * 4, "scale": [1.0, 1.0]}[key]
    if key == "value":
        return [float(one) for one in _listed(value, 1)]
    if key in ("kernel_size", "sigma", "ignore"):
        return [
            _plain(float(one) if key == "sigma" else one)
            for one in _listed(value or [0.0] if key == "sigma" else value, 1)
        ]
    if key in ("bits", "threshold") and operation != "Posterize":
        return [_plain(float(one) if operation == "Solarize" else one) for one in _listed(value, 2)]
    if (key == "center" and type(value) is not bool) or (value is None and key == "offset"):
        return [float(one) for one in value or ()]
    if operation == "RandomApply" or key == "smoothing_rate":
        return float(value)
    if key == "vocab":
        return dict(value.vocab())
    if operation == "PhaseVocoder" and isinstance(value, np.ndarray):
        return {"data": value.ravel().tolist(), "shape": list(value.shape), "type": value.dtype.name}
    plain = _plain(value)
    real = key.endswith("_factor") or key in _REAL or (operation, key) == ("TimeStretch", "hop_length")
    return float(plain) if real and not isinstance(plain, list) else plain


def _enum(key: str, word):
    """The member of an enumeration that a spectrogram's argument means by a word."""
    kinds = {"pad_mode": "BorderType", "window": "WindowType", "mel_scale": "MelType", "norm": "NormType"}
    kind = kinds.get(key)
    if kind is None or not isinstance(word, str):
        return word
    from ..audio import utils

    return getattr(utils, kind)(word)


_REAL = ("degrees", "degree", "cutoff", "f_max", "f_min", "gain", "gamma", "scale", "prob", "central_freq",
         "fixed_rate", "new_freq", "orig_freq")


# By C++'s numbers.
_KINDS = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
          "float32", "float64")
_RELATIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")
_LONE = ("Resize", "ResizeWithBBox", "RandomResize", "RandomResizeWithBBox")
_SPANS = {
    "RandomAffine": ("degrees",),
    "RandomRotation": ("degrees",),
    "RandomColorAdjust": ("brightness", "contrast", "saturation", "hue"),
}


def _plain(value, real=np.float32):
    """A value that JSON has; numbers with a fraction as ``real``."""
    if isinstance(value, Enum):
        codes = _CODES.get(type(value).__name__)
        if codes is not None:
            return codes[value.value]
        return int(value) if isinstance(value, int) else list(type(value)).index(value)
    if isinstance(value, np.ndarray):
        raise TypeError("Object of type ndarray is not JSON serializable")
    if isinstance(value, (list, tuple)):
        return [_plain(one, real) for one in value]
    if isinstance(value, (float, np.floating)):
        return float(real(value))
    if isinstance(value, dict):
        return {key: _plain(one, real) for key, one in value.items()}
    if isinstance(value, (bool, int, str, type(None))):
        return value
    return str(value)


def _listed(value, count: int) -> list:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value] * count


def _sides(value) -> list:
    if value is None or isinstance(value, int):
        return [value or 0] * 4
    return list(value) * (2 if len(value) == 2 else 1)


def _span(key: str, value) -> list:
    """From where to where a random amount is drawn."""
    if isinstance(value, (list, tuple)):
        return _plain([float(one) for one in value])
    return _plain(
        [max(1.0 - value, 0.0), 1.0 + value]
        if key not in ("degrees", "hue")
        else [-float(value), float(value)]
    )


def _scalar(value) -> dict | None:
    if value is None:
        return None
    kind = "string" if isinstance(value, (str, bytes)) else np.asarray(value).dtype.name
    return {"data": [value], "shape": [], "type": kind}


def _dtype(operation: str, value):
    if operation == "Mask":
        return _KINDS.index(np.dtype(str(value).lower()).name) + 1
    from .validators import numpy_dtype

    found = numpy_dtype(value)
    return "string" if found is None else found.name


# ---- and back ----------------------------------------------------------------------------------------------

_ROOMS = ("vision.transforms", "transforms.transforms", "text.transforms")
_CLASSES = {name: own for own, name in _NAMES.items()} | {"TypeCast": "TypeCast"}
_ABSENT = {
    "center": [],
    "offset": [],
    "ignore": [],
    "sigma": [0.0],
    "shear": [0.0] * 4,
    "translate": [0.0] * 4,
}


def operation_from(written: dict):
    """The operation that was written."""
    name = written["tensor_op_name"]
    if "tensor_op_params" not in written:
        raise pipeline_error(
            "Failed to find key 'tensor_op_params' in PyFuncOp' JSON file or input dict, check "
            "input content of deserialize().\n"
        )
    python = "python_module" in written
    if not python and name not in _READ:
        raise pipeline_error(f"Invalid data, unsupported operation: {name}")
    own, package = _CLASSES.get(name, name), __package__.rpartition(".")[0]
    rooms = [written["python_module"].replace("mindspore.dataset.", "", 1)] if python else _ROOMS
    found = (getattr(importlib.import_module(f"{package}.{room}"), own, None) for room in rooms)
    cls = next(one for one in found if one is not None)
    return cls(**_arguments(cls, own, written["tensor_op_params"] or {}, python))


def _arguments(cls, name: str, written: dict, python: bool) -> dict:
    written = dict(written)
    if name == "Decode" and not python:
        written = {}
    if name == "Fill":
        written = {"fill_value": written}
    if name == "Mask":
        written["operator"] = written.pop("op")
    for own, theirs in _RENAMED.get(name, {}).items():
        written[own] = written.pop(theirs)
    takes = inspect.signature(cls.__init__).parameters
    read = _python_argument if python else _argument
    return {
        key: read(name, key, value)
        for key, value in written.items()
        if key in takes and value != _ABSENT.get(key, _ABSENT)
    }


def _python_argument(operation: str, key: str, value):
    from ..vision import utils

    if key in _MODES:
        return getattr(utils, _MODES[key])(value)
    if key == "transforms":
        return list(map(operation_from, value))
    return tuple(value) if isinstance(value, list) else value


def _argument(operation: str, key: str, value):
    from ..vision import utils

    if key in _MODES and isinstance(value, int):
        kind = getattr(utils, _MODES[key])
        codes = _CODES.get(_MODES[key])
        return (
            kind(value)
            if codes is None
            else next(one for one in kind if codes[one.value] == value and one.name != "ANTIALIAS")
        )
    if key == "operator":
        from .transforms import Relational

        return Relational[_RELATIONS[value]]
    if isinstance(value, dict) and "data" in value:
        return value["data"][0]
    if (key == "dtype" and isinstance(value, int)) or operation == "ToNumber":
        from ms2torch.common import dtype

        name = value if isinstance(value, str) else _KINDS[value - 1]
        return getattr(dtype, "bool_" if name == "bool" else name)
    if key == "transform":
        return operation_from(value)
    if key == "transforms":
        return list(map(operation_from, value))
    if operation == "RandomSelectSubpolicy":
        return [[(operation_from(one["tensor_op"]), one["prob"]) for one in group] for group in value]
    if key == "coordinates":
        return (value[1], value[0])
    if key == "pad_shape":
        return [None if size == -1 else size for size in value]
    if key == "kernel_size" or (key == "value" and len(value) == 1):
        return value if len(value) > 1 else value[0]
    if key in ("size", "sigma") and len(value) == 1:
        return value[0]
    if key in (
        "fill_value",
        "size",
        "degrees",
        "threshold",
        "bits",
        "scale",
        "ratio",
        "center",
        "value",
        "brightness",
        "contrast",
        "saturation",
        "hue",
        "offset",
    ) and isinstance(value, list):
        return tuple(value)
    return value
