"""Pipelines as MindSpore's JSON, and back: the tree that `dataset.serialize` writes."""

from __future__ import annotations

import importlib

from ms2torch._core.errors import unsupported

from ..core import config
from ..core.errors import pipeline_error
from ..transforms._json import given, operation_from, operations_json
from . import samplers

# What C++ writes of a source: its keys are the arguments' names, or "key=argument". "sampler" is the sampler
# as it is now; "shuffle" how far a source that reads from beginning to end shuffles.
_FOLDER = "dataset_dir usage sampler"
_STREAM = "num_samples num_shards shard_id shuffle"
_SOURCES = {
    "MnistDataset": _FOLDER,
    "FashionMnistDataset": _FOLDER,
    "KMnistDataset": _FOLDER,
    "Cifar10Dataset": _FOLDER,
    "Cifar100Dataset": _FOLDER,
    "ImageFolderDataset": "dataset_dir class_indexing decode extensions recursive sampler",
    "CelebADataset": "dataset_dir usage decode extensions sampler",
    "CocoDataset": "dataset_dir annotation_file task decode extra_metadata sampler",
    "VOCDataset": "dataset_dir task usage class_indexing decode extra_metadata sampler",
    "ManifestDataset": "dataset_file usage class_indexing decode sampler",
    "TextFileDataset": f"dataset_files {_STREAM}",
    "CSVDataset": f"dataset_files field_delim column_names {_STREAM}",
    "CLUEDataset": f"dataset_dir=dataset_files task usage {_STREAM}",
    "TFRecordDataset": "dataset_files columns_list compression_type schema_file_path=schema "
    f"shard_equal_rows {_STREAM}",
    "FakeImageDataset": "num_images image_size num_classes base_seed sampler",
    "RandomDataset": "",
    "MindDataset": "",
    "GeneratorDataset": "",
    "NumpySlicesDataset": "",
    "PaddedDataset": "",
}
_NAMES = {
    "FakeImageDataset": "FakeImageNode",
    "MindDataset": "MindDataDataset",
    "NumpySlicesDataset": "GeneratorDataset",
    "PaddedDataset": "GeneratorDataset",
}
_EMPTY = {
    "class_indexing": {},
    "extensions": [],
    "num_samples": 0,
    "num_shards": 1,
    "shard_id": 0,
    "columns_list": [],
    "compression_type": "",
    "schema_file_path": "",
    "usage": "all",
    "column_names": [],
    "base_seed": 0,
}
_DECODED = {"recursive": False}
_FLOWS = {
    "Shuffle": "buffer_size",
    "Repeat": "count",
    "Skip": "count",
    "Take": "count",
    "Project": "columns",
    "Rename": "input_columns output_columns",
    "Filter": "input_columns",
    "Zip": "",
    "Concat": "",
    "SyncWait": "",
    "Transfer": "queue_name device_type device_id send_epoch_end create_data_info_queue",
    "BucketBatchByLength": "",
    "Batch": "batch_size drop_remainder input_columns output_columns",
    "PaddedBatch": "batch_size drop_remainder",
    "Map": "input_columns output_columns",
}
_WITHOUT_WORKERS = ("Shuffle", "Repeat", "Skip", "Take", "Project", "Rename", "Concat", "Filter",
                    "Transfer")


def node_json(node) -> dict:
    """A node with all under it."""
    if type(node).__name__ == "DeserializedDataset":
        return node_json(node.children[0])
    name = next(
        (c.__name__ for c in type(node).__mro__ if c.__name__ in _SOURCES or c.__name__[:-7] in _FLOWS), ""
    )
    if name in _SOURCES:
        return _sorted(_source(node, name))
    if not name:
        raise unsupported(
            f"mindspore.dataset.serialize of {type(node).__name__}",
            "it is not among the sources that can be written down here.",
            "build the pipeline in the program.",
        )
    return _sorted(_flow(node, name[:-7]))


def _source(node, name: str) -> dict:
    values = {**given(node), "dataset_files": getattr(node, "dataset_files", None)}
    written = _frame(node, _NAMES.get(name, name))
    for entry in _SOURCES[name].split():
        key, _, argument = entry.partition("=")
        if key == "sampler":
            written[key] = sampler_json(node.sampler)
        elif key == "shuffle":
            written |= _shuffled(values["shuffle"], name)
        else:
            value = values.get(argument or key)
            value = _DECODED.get(key, _EMPTY.get(key)) if value is None else value
            written[key] = list(value) if isinstance(value, tuple) else value
    if name == "ManifestDataset" and values["usage"] is None:
        written["usage"] = "train"
    if name == "ImageFolderDataset":
        written["recursive"] = False
    return written


def _frame(node, name: str) -> dict:
    workers = getattr(node, "num_parallel_workers", None) or (
        1 if name == "GeneratorDataset" else config.get_num_parallel_workers()
    )
    return {
        "children": [],
        "connector_queue_size": config.get_prefetch_size(),
        "num_parallel_workers": workers,
        "op_type": name,
    }


def _shuffled(shuffle, name: str) -> dict:
    kinds = {
        False: 0,
        True: 2,
        samplers.Shuffle.FALSE: 0,
        samplers.Shuffle.FILES: 1,
        samplers.Shuffle.GLOBAL: 2,
    }
    mode = 2 if shuffle is None else kinds.get(shuffle, 2)
    told = {"shuffle": mode}
    if name == "TFRecordDataset":
        told |= {"shuffle_files": mode > 0, "shuffle_global": mode == 2}
    return told


def sampler_json(sampler) -> dict:
    """A sampler with the one under it."""
    name = type(sampler).__name__
    written = {"num_samples": sampler.num_samples or 0}
    if name in _SAMPLERS:
        written["sampler_name"] = name
        written |= {key: _SAMPLER_VALUES.get(key, getattr)(sampler, key) for key in _SAMPLERS[name].split()}
    if sampler.child_sampler is not None:
        written["child_sampler"] = [sampler_json(sampler.child_sampler)]
    return _sorted(written)


_SAMPLERS = {
    "SequentialSampler": "start_index",
    "RandomSampler": "replacement reshuffle_each_epoch shuffle_mode",
    "PKSampler": "num_val shuffle",
    "SubsetRandomSampler": "indices",
    "SubsetSampler": "indices",
    "WeightedRandomSampler": "weights replacement",
    "DistributedSampler": "num_shards shard_id offset seed even_dist shuffle_mode",
}
_SAMPLER_VALUES = {
    "start_index": lambda one, key: one.start_index or 0,
    "reshuffle_each_epoch": lambda one, key: True,
    "even_dist": lambda one, key: True,
    "seed": lambda one, key: config.get_seed() + 1,
    "indices": lambda one, key: [int(k) for k in one.indices],
    "weights": lambda one, key: list(map(float, one.weights)),
    "shuffle_mode": lambda one, key: 0 if given(one).get("shuffle") in (False, samplers.Shuffle.FALSE) else 2,
    "shuffle": lambda one, key: bool(one.shuffle),
}


def _flow(node, name: str) -> dict:
    values = {**given(node), **vars(node)}
    written = _frame(node, "Batch" if name == "PaddedBatch" else name)
    written["children"] = [node_json(child) for child in node.children]
    if name in _WITHOUT_WORKERS:
        del written["connector_queue_size"]
        if name != "Filter":
            del written["num_parallel_workers"]
    for key in _FLOWS[name].split():
        value = values.get(key)
        written[key] = list(value) if isinstance(value, (tuple, list)) else [] if value is None else value
    if name in ("Filter", "Batch", "PaddedBatch"):
        written["input_columns"] = list(values.get("input_columns") or [])
    if name == "Shuffle":
        written["reset_each_epoch"] = bool(node.reshuffle_each_epoch)
    elif name == "Filter":
        written["predicate"] = "pyfunc"
    elif name in ("Batch", "PaddedBatch"):
        written |= {
            "output_columns": written.get("output_columns", []),
            **({"per_batch_map": "pyfunc"} if values.get("per_batch_map") else {}),
        }
        written["batch_size"] = 1 if callable(written["batch_size"]) else written["batch_size"]
    elif name == "Map":
        written |= {
            "callback": list(map(str, node.callbacks)),
            "operations": operations_json(node.operations),
        }
    elif name == "Concat":
        written |= _concat(node)
    elif name == "Transfer":
        written["total_batch"] = 0      # (of all, as MindSpore has it)
    return written


def _concat(node) -> dict:
    sizes = [child.get_dataset_size() for child in node.children]
    return {
        "children_sizes": sizes,
        "children_flag_and_nums": [[0, size] for size in sizes],
        "children_start_end_index": [[-1, -1] for _ in sizes],
        "sampler": {"num_samples": 0, "sampler_name": "SequentialSampler", "start_index": 0},
    }


def _sorted(written: dict) -> dict:
    return dict(sorted(written.items()))


# ---- and back ----------------------------------------------------------------------------------------------


def node_from(written: dict):
    """The pipeline that was written; RuntimeError in MindSpore's words where it cannot be."""
    name, children = written.get("op_type"), [node_from(child) for child in written.get("children", [])]
    own = next((own for own, theirs in _NAMES.items() if theirs == name), f"{name}")
    if _SOURCES.get(own) and own not in _NAMES:
        return _source_from(written, own)
    if not children or name not in _FLOWS or name in ("Filter", "SyncWait", "BucketBatchByLength"):
        raise pipeline_error(f"Invalid data, unsupported operation type: {name}")
    first = children[0]
    if name in ("Zip", "Concat"):
        from ._flow import ConcatDataset, ZipDataset

        return (ZipDataset if name == "Zip" else ConcatDataset)(
            tuple(children) if name == "Zip" else children
        )
    if name == "Transfer":
        return first.device_que(written["send_epoch_end"], written["create_data_info_queue"],
                                written["queue_name"])
    keys = _FLOWS[name].split()
    workers = {"num_parallel_workers": written["num_parallel_workers"]} if name in ("Batch", "Map") else {}
    arguments = {key: written[key] for key in keys if written[key] != []}
    if name == "Map":
        operations = [operation_from(one) for one in written["operations"]]
        return first.map(operations, **arguments, **workers)
    if name == "Batch" and "per_batch_map" in written:
        raise pipeline_error("Invalid data, unsupported operation type: pyfunc")
    return getattr(first, name.lower())(**arguments, **workers)


def _source_from(written: dict, name: str):
    arguments = {}
    for entry in _SOURCES[name].split():
        key, _, argument = entry.partition("=")
        value = written.get(key)
        if key == "sampler":
            arguments[key] = sampler_from(value)
        elif key == "shuffle":
            arguments[key] = [False, samplers.Shuffle.FILES, samplers.Shuffle.GLOBAL][value]
        elif value != _EMPTY.get(key, ...) and key != "recursive":
            arguments[argument or key] = tuple(value) if key == "image_size" else value
    if arguments.get("num_shards") is None:
        arguments.pop("shard_id", None)
    if workers := written.get("num_parallel_workers"):
        arguments["num_parallel_workers"] = workers
    return getattr(importlib.import_module(__package__), name)(**arguments)


def sampler_from(written: dict | None):
    """The sampler that was written."""
    if not written or "sampler_name" not in written:
        return None
    kind = getattr(samplers, written["sampler_name"])
    keys = {
        "SequentialSampler": "start_index",
        "RandomSampler": "replacement",
        "DistributedSampler": "num_shards shard_id offset shuffle",
    }.get(written["sampler_name"], _SAMPLERS[written["sampler_name"]])
    values = {"shuffle": written.get("shuffle_mode", 0) > 0, **written}
    made = kind(
        **{key: values[key] for key in keys.split() if key in values},
        num_samples=written["num_samples"] or None,
    )
    for child in written.get("child_sampler", ()):
        made.add_child(sampler_from(child))
    return made
