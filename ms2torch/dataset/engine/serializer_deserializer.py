"""Pipelines written down and read again (``mindspore.dataset.engine.serializer_deserializer``)."""

from __future__ import annotations

import json
import os

from ..core.errors import pipeline_error
from ._nodes import node_from
from .datasets import UnionBaseDataset

__all__ = ["compare", "deserialize", "serialize", "show"]


def serialize(dataset, json_filepath: str = "") -> dict:
    """The pipeline as a dict, and as a JSON file where a path is given (``mindspore.dataset.serialize``).

    Functions of the program are written by their names alone, so that such a pipeline cannot be read again;
    sources in Python (``GeneratorDataset``) neither.
    """
    return dataset.to_json(json_filepath)


def deserialize(input_dict: dict | None = None, json_filepath: str | None = None):
    """The pipeline that `serialize` wrote (``mindspore.dataset.deserialize``); None where nothing is given.

    Raises:
        RuntimeError: there is no such file, or it holds what cannot be made again.
    """
    data = DeserializedDataset(input_dict) if input_dict else None
    return DeserializedDataset(json_filepath) if json_filepath else data


def expand_path(node_repr: dict, key, val) -> None:
    """Put the whole path, or paths, of ``val`` under ``key``."""
    node_repr[key] = list(map(os.path.realpath, val)) if isinstance(val, list) else os.path.realpath(val)


def show(dataset, indentation: int | None = 2) -> None:
    """Write the pipeline to MindSpore's log, as INFO (``mindspore.dataset.show``)."""
    from ms2torch import log

    log.info(json.dumps(dataset.to_json(), indent=indentation))


def compare(pipeline1, pipeline2) -> bool:
    """Whether two pipelines are written down alike (``mindspore.dataset.compare``)."""
    return pipeline1.to_json() == pipeline2.to_json()


class _Unmade(UnionBaseDataset):
    """A pipeline that could not be made again; every use says why."""

    def __init__(self, err: Exception) -> None:
        super().__init__()
        self._why = err

    def _refuse(self, *args, **kwargs):
        raise self._why

    _open = _size = _columns = to_json = get_dataset_size = output_shapes = output_types = _refuse


class DeserializedDataset(UnionBaseDataset):
    """The pipeline of a dict or of a JSON file (``...engine.datasets.DeserializedDataset``)."""

    def __init__(self, input_obj):
        if not isinstance(input_obj, dict):
            try:
                with open(input_obj, encoding="utf-8") as file:
                    input_obj = json.load(file)
            except OSError:
                raise pipeline_error(f"Invalid file, failed to open json file: {input_obj}") from None
            input_obj = input_obj.get("tree", input_obj)
        try:
            made = node_from(input_obj)
        except (RuntimeError, NotImplementedError) as err:      # MindSpore tells it when the pipeline is used
            made = _Unmade(err)
        super().__init__(children=made)

    def _open(self, run):
        return self.children[0]._open(run)

    def to_json(self, filename: str = "") -> dict:
        return self.children[0].to_json(filename)


def write(written: dict, path: str) -> None:
    """The tree as a file, in MindSpore's layout."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise pipeline_error(f"Invalid file, get real path failed, path={path}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(written, separators=(",", ":"), ensure_ascii=False) + "\n")
