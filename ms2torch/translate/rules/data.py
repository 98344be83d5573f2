"""Datasets stay on ``ms2torch.dataset``, whose order and random numbers are MindSpore's; torch tensors come out."""

from __future__ import annotations

import libcst as cst

from ..rewriting.templates import code
from .dtypes import TORCH
from .table import rule

REASON = "its order and its random numbers are MindSpore's"


@rule(
    "dataset.Dataset.create_tuple_iterator dataset.Dataset.create_dict_iterator DatasetHelper",
    "a loop over torch.utils.data.DataLoader, or ms2torch.to_torch(data)",
    "an iterator of ms2torch's gives torch tensors",
    "ms2torch 的迭代器给出 torch 张量",
)
def iterator(call):
    numpy = any(
        a.keyword is not None and a.keyword.value == "output_numpy" and code(a.value) == "True"
        for a in call.updated.args
    )
    if call.name.endswith("DatasetHelper"):
        return "ms2torch.to_torch({dataset})"
    if numpy:
        return call.updated
    return cst.parse_expression(f"ms2torch.to_torch({code(call.updated)})")


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
