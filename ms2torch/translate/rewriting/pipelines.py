"""Data pipelines: whether a program's can be ``torch.utils.data``, and in what order they give their rows.

They move together or not at all, for a half of a pipeline is of no use to the other half.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from ..translation import site_of
from .inferred import BUFFER, RENAMED, Const, Function, Of, Ref, is_a
from .reading import Reading

DATASET = "mindspore.dataset.Dataset"
BATCHED = "mindspore.dataset.BatchDataset"
# Where pipelines begin: the names of their first arguments.
SOURCES = {
    "GeneratorDataset": ("source", "column_names"),
    "NumpySlicesDataset": ("data", "column_names"),
    "MnistDataset": ("dataset_dir", "usage"),
    "Cifar10Dataset": ("dataset_dir", "usage"),
}
_NAMED = "TypeCast Rescale Normalize HWC2CHW ToTensor Resize CenterCrop Compose PadEnd"
TRANSFORMS = frozenset(_NAMED.split())
SETTINGS = ("set_prefetch_size", "set_num_parallel_workers", "set_enable_shared_mem", "set_auto_num_workers")
# A generator of numbers that begins alike whenever it is made.
_SEEDED = re.compile(r"np\.random\.(RandomState|default_rng)\(\d+\)|random\.Random\(\d+\)")
# What changes no row, only who reads it.
_WORKERS = {"num_parallel_workers", "python_multiprocessing", "max_rowsize", "num_epochs", "do_copy"}
_SOURCE_TAKES = {"shuffle", "num_shards", "shard_id"} | _WORKERS
_LINEAR = {"mindspore.dataset.vision.Inter.LINEAR", "mindspore.dataset.vision.Inter.BILINEAR"}
_METHODS = {
    "map": {"operations", "input_columns", "output_columns"} | _WORKERS,
    "batch": {"batch_size", "drop_remainder"} | _WORKERS,
    "shuffle": {"buffer_size"},
    "repeat": {"count"},
    "create_tuple_iterator": _WORKERS | {"output_numpy"},
    "create_dict_iterator": _WORKERS | {"output_numpy"},
    "reset": set(),
    "split": {"sizes", "randomize"},
    "output_shapes": set(),
    "output_types": set(),
    "get_dataset_size": set(),
    "get_batch_size": set(),
    "get_col_names": set(),
}
# What a run alone settles of a pipeline that another file made.
_TOLD = ("create_tuple_iterator", "get_dataset_size")
_DATA_ALONE = ("create_tuple_iterator", "create_dict_iterator", "get_dataset_size")


class Pipelines(NamedTuple):
    """What is known of a program's pipelines: whether it has any, why they stay (nothing where they move),
    whether it sets a seed, which then tells the order of rows."""

    any: bool = False
    reason: str = ""
    seeded: bool = False

    def __or__(self, other: Pipelines) -> Pipelines:
        return Pipelines(
            self.any or other.any, self.reason or other.reason, self.seeded or other.seeded
        )

    @property
    def moved(self) -> bool:
        return self.any and not self.reason


def pipelines_of(tree: ast.Module, reading: Reading) -> Pipelines:
    """A file's."""
    found = Pipelines()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found |= _of_call(tree, reading, node)
    return found


def is_data(inferred) -> bool:
    return isinstance(inferred, Of) and is_a(inferred.cls, DATASET)


def arguments_by_name(call: ast.Call | None, names: tuple[str, ...]) -> dict[str, ast.expr]:
    """A call's arguments by name."""
    if call is None:
        return {}
    return dict(zip(names, call.args, strict=False)) | {k.arg: k.value for k in call.keywords if k.arg}


def source_of(inferred) -> dict[str, ast.expr] | None:
    """The arguments of the call that began a pipeline, by name; None where that is not told."""
    call = inferred.call if isinstance(inferred, Of) else None
    if call is None:
        return None
    leaf = ast.unparse(call.func).rpartition(".")[2]
    return arguments_by_name(call, SOURCES.get(leaf, ("source", "column_names")))


def columns(inferred) -> list[str] | None:
    """The names of a pipeline's columns; None where they are not told."""
    return column_names(source_of(inferred) or {})


def column_names(source: dict[str, ast.expr]) -> list[str] | None:
    """The names of columns, by the arguments of their source; None where they are not told."""
    names = _source_names(source)
    for call in source[RENAMED].elts if RENAMED in source else ():
        names = _renamed(names, arguments_by_name(call, ("operations", "input_columns", "output_columns")))
    return names


def _renamed(names: list[str] | None, args: dict[str, ast.expr]) -> list[str] | None:
    """The names after a ``map``: as many stand in their places, more or fewer before the others."""
    taken, made = (_names(args.get(name)) for name in ("input_columns", "output_columns"))
    if names is None or made is None or (taken is None and "input_columns" in args):
        return None
    taken = taken or names[:1]
    if len(taken) == len(made):
        places = dict(zip(taken, made, strict=True))
        return [places.get(name, name) for name in names]
    return [*made, *(name for name in names if name not in taken)]


def _names(node: ast.expr | None) -> list[str] | None:
    try:
        names = ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError):
        return None
    return [names] if isinstance(names, str) else list(names) if names else None


def _source_names(source: dict[str, ast.expr]) -> list[str] | None:
    if "dataset_dir" in source:
        return ["image", "label"]
    node, data = source.get("column_names"), source.get("data")
    if node is None and isinstance(data, ast.Tuple):
        return [f"column_{i}" for i in range(len(data.elts))]
    if node is None and isinstance(data, ast.Dict) and all(isinstance(k, ast.Constant) for k in data.keys):
        return [k.value for k in data.keys]
    return _names(node)


def _of_call(tree: ast.Module, reading: Reading, node: ast.Call) -> Pipelines:
    callee = reading.inferred(node.func)
    name = getattr(node.func, "attr", "")
    if isinstance(callee, Ref) and callee.rpartition(".")[2] == "set_seed":
        return Pipelines(callee.startswith("mindspore.dataset."), "", True)
    if isinstance(callee, Ref) and callee.startswith("mindspore.dataset."):
        return Pipelines(True, _of_ref(reading, callee, node))
    if not isinstance(node.func, ast.Attribute):
        return Pipelines()
    owner = reading.inferred(node.func.value)
    if owner is None and name in _DATA_ALONE:
        if _is_batched(reading, node) and not ({k.arg for k in node.keywords} - _WORKERS) and name in _TOLD:
            return Pipelines(True)
        return Pipelines(True, f"what {name} is called on is not told")
    if owner is None and _is_of_pipeline(reading, node):  # another file's function was given it
        return Pipelines(True, f"where the pipeline that {name} belongs to begins is not told")
    if not is_data(owner):
        return Pipelines()
    return Pipelines(True, _of_method(tree, reading, name, owner, node))


def _is_batched(reading: Reading, node: ast.Call) -> bool:
    """Whether a run told that a method's object is a pipeline of batches, wherever that was made."""
    fact = reading.facts.at(*site_of(node))
    owner = fact.arguments[0] if fact is not None and fact.arguments else None
    return owner is not None and owner.value == BATCHED


def _is_of_pipeline(reading: Reading, node: ast.Call) -> bool:
    """Whether a run told that a call is of a pipeline's method."""
    fact = reading.facts.at(*site_of(node))
    home, _, _ = fact.name.rpartition(".") if fact is not None else ("", "", "")
    return home.startswith("mindspore.dataset.") and is_a(home, DATASET)


def _of_ref(reading: Reading, path: Ref, node: ast.Call) -> str:
    """Why a source, a transform or a setting keeps the pipelines where they are."""
    leaf = path.rpartition(".")[2]
    if leaf in SOURCES:
        return _of_source(reading, leaf, node)
    if leaf in TRANSFORMS:
        return _of_transform(reading, leaf, node)
    if leaf in SETTINGS:
        return ""
    return f"{leaf} has no counterpart in torch.utils.data"


def _of_source(reading: Reading, leaf: str, node: ast.Call) -> str:
    args = arguments_by_name(node, SOURCES[leaf])
    other = args.keys() - _SOURCE_TAKES - {*SOURCES[leaf]}
    if leaf == "GeneratorDataset" and in_order(reading, args):
        other -= {"num_samples"}
    if other or len(node.args) > 2 or any(isinstance(a, ast.Starred) for a in node.args):
        return f"{leaf}: its {min(other, default='arguments')} have no rule"
    inferred = reading.inferred(args.get("source")) if "source" in args else None
    if isinstance(inferred, Function):
        text = _SEEDED.sub("", ast.unparse(inferred.node))
        if "random" in text or not isinstance(args["source"], (ast.Name, ast.Lambda)):
            return f"{leaf}: its rows are drawn anew for each epoch"
    return ""


def in_order(reading: Reading, args: dict[str, ast.expr]) -> bool:
    """Whether a GeneratorDataset gives its rows as they come, the first where it gives fewer."""
    if "num_shards" in args or "sampler" in args:
        return False
    function = isinstance(reading.inferred(args["source"]), Function) if "source" in args else False
    return function or getattr(args.get("shuffle"), "value", None) is False


def _of_transform(reading: Reading, leaf: str, node: ast.Call) -> str:
    if leaf == "Resize":
        args = arguments_by_name(node, ("size", "interpolation"))
        if not isinstance(args.get("size"), (ast.Tuple, ast.List)):
            return "Resize: only a size of both sides has a rule"
        if "interpolation" in args and reading.inferred(args["interpolation"]) not in _LINEAR:
            return "Resize: only linear interpolation has a rule"
    if leaf == "PadEnd" and (text := _pads_text(node)):
        return text
    if leaf == "ToTensor" and (node.args or node.keywords):
        return "ToTensor: its output_type= has no rule"
    return ""


def _pads_text(node: ast.Call) -> str:
    """Why a padding stays: it has a shape and a value of numbers alone, or else it is none that moves."""
    args = arguments_by_name(node, ("pad_shape", "pad_value"))
    shape = args.get("pad_shape") or node.func
    if any(isinstance(n, ast.Constant) and n.value is None for n in ast.walk(shape)):
        return "PadEnd: a shape with None has no rule"
    value = args.get("pad_value")
    if isinstance(value, ast.Constant) and isinstance(value.value, (str, bytes)):
        return "PadEnd: text has no rule"
    return ""


def _of_method(tree: ast.Module, reading: Reading, name: str, owner: Of, node: ast.Call) -> str:
    takes = _METHODS.get(name)
    if takes is None:
        return f"{name} has no counterpart in torch.utils.data"
    other = {k.arg for k in node.keywords} - takes
    if other or any(isinstance(a, ast.Starred) for a in node.args) or len(node.args) > 2 + (name == "map"):
        return f"{name}: its {min(map(str, other), default='arguments')} have no rule"
    source, batched = source_of(owner), owner.cls == BATCHED
    if source is None:
        return f"where the pipeline that {name} belongs to begins is not told"
    if name == "split":
        return _of_split(reading, node, source, batched)
    if name in ("map", "shuffle", "batch") and batched:
        return f"{name} after batch has no rule"
    if name == "map" and "NumpySlicesDataset" in owner.cls and columns(owner) is None:
        return "the names of its columns are not told"
    if name == "shuffle" and BUFFER in source:
        return "it shuffles twice"
    if name == "repeat":
        count = node.args[0] if node.args else node.keywords[0].value if node.keywords else None
        if reading.inferred(count) == Const(1):
            return ""
        if not batched or count is None or reading.inferred(count) == Const(-1):
            return "repeat has no counterpart in torch.utils.data"
    if name.startswith("output_") and (node.args or not batched):
        return f"{name}: its estimate= and rows that are not batched have no rule"
    if name.startswith("create_") and not batched:
        return "rows that are not batched have no rule"
    if name in ("create_dict_iterator", "get_col_names") and columns(owner) is None:
        return "the names of its columns are not told"
    if name == "batch":
        shuffle = source.get("shuffle")
        if not isinstance(shuffle, (ast.Constant, type(None))) and _function(tree, shuffle) is not _function(
            tree, node
        ):
            return "whether it shuffles is told elsewhere"
    return ""


def _of_split(reading: Reading, node: ast.Call, source: dict[str, ast.expr], batched: bool) -> str:
    """Why parts of a pipeline stay."""
    args = arguments_by_name(node, ("sizes", "randomize"))
    if "randomize" in args and not isinstance(reading.inferred(args["randomize"]), Const):
        return "whether split randomizes is not told"
    if batched or "num_shards" in source:
        return "split after batch, or of shards, has no rule"
    if BUFFER in source or not in_order(reading, source):
        return "split of what is shuffled has other rows in a part in each epoch"
    return ""


def _function(tree: ast.Module, node: ast.expr):
    """The innermost function around an expression."""
    found = None
    for one in ast.walk(tree):
        if isinstance(one, (ast.FunctionDef, ast.Lambda)) and any(n is node for n in ast.walk(one)):
            found = one
    return found
