"""Datasets: ``torch.utils.data`` where the whole pipeline has rules, else ``ms2torch.dataset``.

Without a seed MindSpore's order of rows is new in every run, and ``DataLoader(..., shuffle=True)`` is as good. With
one the order is part of what the program computes: a sampler at the head gives the same.
"""

from __future__ import annotations

import ast
import json
import re

import libcst as cst

from ..rewriting import pipelines
from ..rewriting.inferred import BUFFER
from ..rewriting.templates import code
from .dtypes import TORCH
from .table import VALUES, Rule, add, rule

_ORDER = "a seed's order is MindSpore's: SeededOrder, at the head, gives it; shuffle=True where it need not be the same"
_ORDER_ZH = "设了种子时顺序与 MindSpore 相同：文件头的 SeededOrder；无需相同时用 shuffle=True"


@rule("dataset.GeneratorDataset", "Samples(rows, names), a torch.utils.data.Dataset at the head", _ORDER, _ORDER_ZH)
def generator(call):
    _note_shards(call)
    call.helper("Samples")
    names = call.args["column_names"]
    if isinstance(names, cst.SimpleString):
        call.put("column_names", f"[{code(names)}]")
    few = "num_samples" in call and call.value("num_samples") is not None
    if hasattr(call.inferred("source"), "returns"):
        source = call.args["source"]
        rows = code(source.body) if isinstance(source, cst.Lambda) else f"{code(source)}()"
        rows = f"list(islice({rows}, {{num_samples}}))" if few else f"list({rows})"
    else:
        rows = "first({source}, {num_samples})" if few else "{source}"
        if few:
            call.helper("first")
    return f"Samples({rows}, {{column_names}})"


@rule("dataset.NumpySlicesDataset", "TensorDataset(...), by slices(columns) at the head", _ORDER, _ORDER_ZH)
def numpy_slices(call):
    _note_shards(call)
    call.helper("slices")
    if not any(
        isinstance(n, ast.Attribute) and n.attr == "map" and pipelines.is_data(call.rewriter.reading.inferred(n.value))
        for n in ast.walk(call.rewriter.tree)
    ):
        return "slices({data})"
    call.helper("Samples")
    names = call.args.get("column_names")
    told = pipelines.column_names(call.nodes) if names is None else None
    if told:
        call.put("column_names", json.dumps(told, ensure_ascii=False))
    if isinstance(names, cst.SimpleString):
        call.put("column_names", f"[{code(names)}]")
    return "Samples(slices({data}), {column_names})"


def _of_files(leaf: str, helper: str) -> None:
    """A rule for a dataset that is read from files of its own."""

    @rule(f"dataset.{leaf}", f"{helper}(folder, usage), at the head, or torchvision's", _ORDER, _ORDER_ZH)
    def write(call):
        _note_shards(call)
        call.helper("Samples")
        call.helper(helper)
        return f'Samples({helper}({{dataset_dir}}, {{usage?}}), ["image", "label"])'


_of_files("MnistDataset", "mnist")
_of_files("Cifar10Dataset", "cifar10")


def _method(name: str, form: str, en: str = "", zh: str = ""):
    """A rule for a dataset's method, in pipelines that move."""
    return rule(f"dataset.Dataset.{name}", form, en, zh)


@_method("map", "samples.map(functions, names)")
def mapped(call):
    taken, made = (_as_list(call, name) for name in ("input_columns", "output_columns"))
    if made and made != taken:
        return "{self}.map({operations}, {input_columns?}, new_names={output_columns})"
    return "{self}.map({operations}, {input_columns})" if taken else "{self}.map({operations})"


def _as_list(call, name: str) -> str:
    """The text of the names of columns, one in a list of its own; nothing where they are not given."""
    if call.value(name, None) is None and (name not in call or code(call.args[name]) == "None"):
        return ""
    if isinstance(call.args[name], cst.SimpleString) or isinstance(call.value(name, None), str):
        call.put(name, f"[{code(call.args[name])}]")
    return code(call.args[name])


@_method(
    "split",
    "split(samples, sizes, shuffled_once), at the head",
    "a part of rows that are shuffled has other rows in each epoch: it stays",
    "打乱的数据集划分出的部分在每个 epoch 中行不同：保留原样",
)
def split(call):
    call.helper("split")
    if call.value("randomize", True) is False:
        return "split({self}, {sizes})"
    return f"split({{self}}, {{sizes}}, {call.helper('shuffled_once')})"


@_method("shuffle", "DataLoader(samples, shuffle=True)", _ORDER, _ORDER_ZH)
def shuffled(call):
    return "{self}"


@_method("repeat", "a loop over epochs; Repeated(loader, count), at the head")
def repeat(call):
    if call.value("count", None) == 1:
        return "{self}"
    call.helper("Repeated")
    return "Repeated({self}, {count})"


@_method("batch", "DataLoader(samples, batch_size=n, shuffle=..., drop_last=...)", _ORDER, _ORDER_ZH)
def batch(call):
    source = pipelines.source_of(call.inferred("self")) or {}
    rows = code(call.args["self"])
    size = "batch_size={batch_size}"
    order = _order(call, source, rows)
    if callable(order):
        if not rows.isidentifier():
            used = {n.id for n in ast.walk(call.rewriter.tree) if isinstance(n, ast.Name)}
            made = next(n for n in ("samples", "rows", "all_samples", "every_sample") if n not in used)
            call.beforehand(f"{made} = {rows}")
            rows = made
        order = order(rows)
    last = call.value("drop_remainder", False)
    drop = "" if last is False else ", drop_last={drop_remainder}"
    call.put("self", rows)
    return f"DataLoader({{self}}, {size}{order}{drop})"


# A device that is told, and is not the CPU.
_DEVICE = re.compile(r"(device_target\s*=|set_device\()\s*(?![\"']CPU[\"'])")


def _order(call, source, rows: str):
    """The argument that says in what order rows come; a function of their name where it needs one."""
    rewriter = call.rewriter
    shuffle, buffer = source.get("shuffle"), source.get(BUFFER)
    shown = "True" if shuffle is None or getattr(shuffle, "value", 0) is None else ast.unparse(shuffle)
    if hasattr(rewriter.reading.inferred(source.get("source", call.node)), "returns"):
        shown = "False"  # what a function gives comes in its own order
    shards = _rewritten(rewriter, source["num_shards"]) if "num_shards" in source else ""
    part = _rewritten(rewriter, source["shard_id"]) if shards else ""
    if shards and rewriter.data.seeded and shown == "True" and buffer is None:
        call.helper("SeededOrder")
        return lambda name: f", sampler=SeededOrder({name}, {shards}, {part})"
    if shards and (shown not in ("True", "False") or buffer is not None):
        call.refuse("whether shards are shuffled is not told")
    if shards:
        return lambda name: f", sampler=DistributedSampler({name}, {shards}, {part}, shuffle={shown})"
    if not rewriter.data.seeded:
        shown = "True" if buffer is not None else shown
        if shown == "False":
            return ""
        device = any(map(_DEVICE.search, rewriter.texts))
        where = ", generator=torch.Generator(torch.get_default_device())" if device else ""
        return f", shuffle={shown}{where}"
    if buffer is not None:
        call.helper("BufferedOrder")
        call.helper("SeededOrder")
        size = ast.unparse(buffer)
        inner = {"True": "SeededOrder({0})", "False": "range(len({0}))"}.get(
            shown, f"SeededOrder({{0}}) if {shown} else range(len({{0}}))"
        )
        return lambda name: f", sampler=BufferedOrder({inner.format(name)}, {size})"
    if shown == "False":
        return ""
    call.helper("SeededOrder")
    if shown == "True":
        return lambda name: f", sampler=SeededOrder({name})"
    return lambda name: f", sampler=SeededOrder({name}) if {shown} else None"


def _note_shards(call) -> None:
    """Keep what a source's shards are told by as it is rewritten, for the sampler that takes them."""
    for name in ("num_shards", "shard_id"):
        if name in call.args:
            call.rewriter.rewritten[id(call.nodes[name])] = code(call.args[name])


def _rewritten(rewriter, node: ast.expr) -> str:
    return rewriter.rewritten.get(id(node)) or ast.unparse(node)


@_method("get_dataset_size", "len(loader)")
def size(call):
    return "len({self})"


@_method("output_shapes", "[list(x.shape) for x in next(iter(loader))]")
def shapes(call):
    return "[list(x.shape) for x in next(iter({self}))]"


@_method("output_types", "[x.numpy(force=True).dtype for x in next(iter(loader))]")
def types(call):
    return "[x.numpy(force=True).dtype for x in next(iter({self}))]"


@_method("get_batch_size", "loader.batch_size")
def batch_size(call):
    return "{self}.batch_size"


@_method("get_col_names", "the names that the program gives")
def column_names(call):
    return repr(pipelines.columns(call.inferred("self")))


@rule(
    "dataset.Dataset.create_tuple_iterator dataset.Dataset.create_dict_iterator DatasetHelper",
    "the DataLoader itself, or ms2torch.to_torch(data)",
    "an iterator that is made once goes on to the next epoch: Epochs, at the head, does",
    "只创建一次的迭代器会进入下一个 epoch：文件头的 Epochs 也这样做",
)
def iterator(call):
    if call.rewriter.data.moved:
        return _over(call)
    if call.name.endswith("DatasetHelper"):
        return "ms2torch.to_torch({dataset})"
    if _asks_numpy(call):
        return call.updated
    return cst.parse_expression(f"ms2torch.to_torch({code(call.updated)})")


def _asks_numpy(call) -> bool:
    return any(
        a.keyword is not None and a.keyword.value == "output_numpy" and code(a.value) == "True"
        for a in call.updated.args
    )


def _over(call):
    """What a loop goes over instead of an iterator."""
    helper = call.name.endswith("DatasetHelper")
    text = "{dataset}" if helper else "{self}"
    inferred = call.inferred("dataset" if helper else "self")
    if call.name.endswith("create_dict_iterator"):
        call.helper("by_name")
        arrays = ", arrays=True" if _asks_numpy(call) else ""
        names = json.dumps(pipelines.columns(inferred), ensure_ascii=False)
        return f"by_name({text}, {names}{arrays})"
    if _asks_numpy(call):
        call.helper("Arrays")
        text = f"Arrays({text})"
    parent = call.rewriter.parents.get(id(call.node))
    called = getattr(getattr(parent, "func", None), "id", "")
    if called == "next":
        return f"iter({text})"
    if isinstance(parent, ast.Assign) or helper:
        uses = _uses(call.rewriter.tree, call.target())
        if uses and all(getattr(getattr(u, "func", None), "id", "") == "next" for u in uses):
            return f"iter({text})"
        call.helper("Epochs")
        return f"Epochs({text})"
    return text


def _uses(tree: ast.Module, name: str | None) -> list[ast.AST]:
    """What a name is used in."""
    return [
        parent
        for parent in ast.walk(tree)
        for child in ast.iter_child_nodes(parent)
        if isinstance(child, ast.Name) and child.id == name and isinstance(child.ctx, ast.Load)
    ]


@rule("dataset.set_seed dataset.config.set_seed", "torch.manual_seed(seed)")
def seed(call):
    call.afterwards(f"np.random.seed({call.text('seed')})")
    return "torch.manual_seed({seed})"


@rule(" ".join(f"dataset.{name}" for name in pipelines.SETTINGS), "num_workers= of a DataLoader")
def setting(call):
    return cst.Name("_gone_")


# ---- what maps -----------------------------------------------------------------------------------------------


@rule("dataset.transforms.TypeCast dataset.vision.TypeCast", "astype(dtype), at the head")
def type_cast(call):
    text = code(call.args.get("data_type") or call.updated.args[0].value)
    if text.startswith("torch."):
        text = "np." + text.removeprefix("torch.").replace("bool", "bool_")
    call.helper("astype")
    return cst.parse_expression(f"astype({text})")


def _transform(leaf: str, helper: str, called: bool = True) -> None:
    @rule(f"dataset.vision.{leaf}", f"{helper}, at the head")
    def write(call):
        call.helper(helper)
        return call.updated.with_changes(func=cst.Name(helper)) if called else cst.Name(helper)


@rule("dataset.transforms.Compose", "a list of functions")
def compose(call):
    return call.updated.args[0].value


@_method("reset", "nothing: each loop begins anew")
def reset(call):
    return cst.Name("_gone_")


_transform("CenterCrop", "center_crop")
_transform("Rescale", "rescale")
_transform("Normalize", "normalize")

for _name in ("LINEAR", "BILINEAR"):
    add(Rule(f"mindspore.dataset.vision.Inter.{_name}", '"bilinear"'), VALUES)


@rule("dataset.transforms.PadEnd", "pad_end(shape, value), at the head")
def padded(call):
    call.helper("pad_end")
    told = "pad_value" in call and call.value("pad_value") is not None
    return "pad_end({pad_shape}, {pad_value})" if told else "pad_end({pad_shape})"


@rule("dataset.vision.Resize", "resize(size), at the head")
def resized(call):
    call.helper("resize")
    return "resize({size})"


_transform("HWC2CHW", "channels_first", False)
_transform("ToTensor", "to_tensor", False)


class _Dtypes(cst.CSTTransformer):
    """Gives a dataset's operations ms2torch's dtypes again."""

    def leave_Attribute(self, original_node, updated_node):
        text = code(updated_node)
        return cst.parse_expression(f"ms2torch.{TORCH[text]}") if text in TORCH else updated_node


def kept(path: str, updated: cst.Call) -> cst.Call:
    """A dataset or an operation of one, by its name in ms2torch."""
    return updated.visit(_Dtypes()).with_changes(
        func=cst.parse_expression(path.replace("mindspore.", "ms2torch.", 1))
    )
