"""Cosine similarity (``mindspore.train.CosineSimilarity``)."""

from __future__ import annotations

import numpy as np

from ms2torch import _checkparam as validator

from .metric import Metric, _needs_update, rearrange_inputs

__all__ = ["CosineSimilarity"]


class CosineSimilarity(Metric):
    """Similarity of every row of the last ``update(rows)`` with every other: (N, D) gives (N, N).

    ``similarity``: "cosine" or "dot"; ``reduction`` over the last axis: "none", "sum" or "mean";
    ``zero_diagonal`` leaves a row's similarity with itself out.
    """

    def __init__(self, similarity="cosine", reduction="none", zero_diagonal=True) -> None:
        super().__init__()
        similarity = validator.check_value_type("similarity", similarity, [str])
        self.similarity = validator.check_string(similarity, ["dot", "cosine"], "similarity")
        reduction = validator.check_value_type("reduction", reduction, [str])
        self.reduction = validator.check_string(reduction, ["none", "sum", "mean"], "reduction")
        self.zero_diagonal = validator.check_value_type("zero_diagonal", zero_diagonal, [bool])
        self.clear()

    def clear(self) -> None:
        self.sqr_mtx_res = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, inputs) -> None:
        rows = self._convert_data(inputs)
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, ord=2, axis=1, keepdims=True)
        self.sqr_mtx_res = rows @ rows.T
        self._is_update = True

    def eval(self):
        if not self._is_update:
            raise _needs_update()
        if self.zero_diagonal:
            np.fill_diagonal(self.sqr_mtx_res, 0)
        if self.reduction != "none":
            self.sqr_mtx_res = getattr(np, self.reduction)(self.sqr_mtx_res, axis=-1)
        return self.sqr_mtx_res
