"""``RandomDataset``: rows of random bytes."""

from __future__ import annotations

import json
from itertools import islice

import numpy as np

from ms2torch._core.random.engines import MT19937

from ..core import config
from ..core.errors import pipeline_error, syntax_error
from ..core.validator_helpers import check_sampler_shuffle_shard_options, check_source_arguments, type_check
from ._schema import Schema
from ._sources import SourceDataset
from .datasets import VisionBaseDataset

_KINDS = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
          "float32", "float64")
_ROWS, _COLUMNS, _RANK, _LENGTH = 1024, 4, 4, 32                 # at most, where nobody says


class RandomDataset(SourceDataset, VisionBaseDataset):
    """Rows of random bytes, for tries (``mindspore.dataset.RandomDataset``): each value repeats one byte,
    drawn with the pipeline's seed, as MindSpore's does. All epochs are the same.

    Without a ``schema`` the columns are drawn too, without ``total_rows`` the number of rows.
    ``num_samples`` is the number of rows without a ``schema``, has no effect with one; ``shuffle`` and shards
    are taken and have none, as in MindSpore. RuntimeError for columns of text.
    """

    def __init__(self, total_rows=None, schema=None, columns_list=None, num_samples=None,
                 num_parallel_workers=None, cache=None, shuffle=None, num_shards=None, shard_id=None):
        check_source_arguments(num_samples, num_parallel_workers, shuffle, num_shards, shard_id)
        if total_rows is not None:
            type_check(total_rows, (int,), "total_rows")
        if columns_list is not None:
            type_check(columns_list, (list,), "columns_list")
        check_sampler_shuffle_shard_options(shuffle, None, num_shards, shard_id, num_samples)
        super().__init__(num_parallel_workers, num_samples, shuffle, num_shards, shard_id, cache)
        self.total_rows, self.columns_list = total_rows or 0, columns_list or []
        if schema is not None and not isinstance(schema, Schema):
            if not isinstance(schema, str):
                raise TypeError(f"path: {schema} is not string")
            schema = Schema._of_dataset(schema)
        self.schema = schema
        if schema is None and num_samples:
            self.total_rows = num_samples

    def _begun(self):
        """The stream after the draws of what is not given, the number of rows, and (name, dtype, shape) of
        each column.
        """
        if self.total_rows < 0:
            raise syntax_error("RandomDataset: 'total_rows' must be greater than or equal to 0, got: "
                               f"{self.total_rows}")
        draw = MT19937(config.drawing_seed())
        rows = self.total_rows or draw.integer(1, _ROWS)
        if self.schema is not None:
            known = self.schema._fields()
            for name in self.columns_list:
                if name not in known:
                    content = json.loads(self.schema.to_json()) | {"datasetType": "Random", "numRows": rows}
                    raise pipeline_error(f"Invalid data, failed to find column: {name} in JSON schema file. "
                                         f"file content: {json.dumps(content, indent=2, sort_keys=True)}")
            return draw, rows, [(name, *known[name]) for name in self.columns_list or known]
        columns = []
        for number in range(draw.integer(1, _COLUMNS)):
            kind = _KINDS[draw.integer(1, len(_KINDS)) - 1]
            shape = [draw.integer(0, _LENGTH) or -1 for _ in range(draw.integer(1, _RANK))]
            columns.append((f"c{number}", np.dtype(kind), shape))
        return draw, rows, columns

    def _columns(self):
        return [name for name, _, _ in self._begun()[2]]

    def _size(self):
        return self._begun()[1]

    def _open(self, run):
        if self.cache is not None:
            return self._open_cached(run)
        draw, rows, columns = self._begun()
        made = self._made(draw, rows, columns)
        kept: list = []

        def epoch():
            for number in range(rows):
                if number == len(kept):
                    kept.extend(islice(made, 1))
                yield [value.copy() for value in kept[number]]

        return epoch

    @staticmethod
    def _made(draw, rows, columns):
        for _ in range(rows):
            row = []
            for _, kind, shape in columns:
                if kind.kind in "US":
                    raise pipeline_error("Failed to create empty tensor, number of elements should be 0 when "
                                         "data type is string.")
                shape = [draw.integer(1, _LENGTH) if size < 0 else size for size in shape or ()]
                byte = draw.integer(0, 255)
                memory = np.full(int(np.prod(shape)) * kind.itemsize, byte, np.uint8)
                row.append((memory > 0 if kind.kind == "b" else memory.view(kind)).reshape(shape))
            yield row
