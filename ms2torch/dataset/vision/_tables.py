"""Runs of transforms that change each value by itself (Rescale, Normalize, casts), with HWC2CHW or ToTensor
among them, as one look-up: a byte has 256 values, so the transforms are asked once what they make of each.

The result is theirs to the bit, because they compute the tables.
"""

from __future__ import annotations

import numpy as np

from ..transforms.operation import OperationError
from ..transforms.transforms import TypeCast
from . import kernels
from ._values import HWC2CHW, Normalize, Rescale, ToTensor

_LEAST = 1024                        # values of an image from which on a table pays


def fused(operations: list) -> list:
    """The operations of a ``map``, each such run of two or more, or a Normalize, as one operation."""
    found, run = [], []
    for operation in [*operations, None]:
        if operation is not None and _fits(operation, run):
            run.append(operation)
            continue
        found += [_Run(run)] if len(run) > 1 or (run and type(run[0]) is Normalize) else run
        run = []
        if operation is not None and _fits(operation, run):
            run.append(operation)
        elif operation is not None:
            found.append(operation)
    return found


def _fits(operation, run: list) -> bool:
    kind = type(operation)
    turned = any(type(one) in (HWC2CHW, ToTensor) for one in run)
    if kind is Normalize:
        return operation.is_hwc is not turned
    if kind in (HWC2CHW, ToTensor):
        return not turned
    return kind is Rescale or (isinstance(operation, TypeCast) and operation._dtype is not None)


class _Run:
    """Such a run, for `step`: (H, W, C) bytes go through a table, all else from operation to operation."""

    def __init__(self, operations: list) -> None:
        self.operations, self._tables = operations, {}
        self._turned = any(type(one) in (HWC2CHW, ToTensor) for one in operations)

    def table(self, image: np.ndarray) -> np.ndarray | None:
        """(channels, 256) values; None where the operations have to see the image."""
        if image.dtype != np.uint8 or image.ndim != 3 or image.size < _LEAST or not 0 < image.shape[2] <= 4:
            return None
        channels = image.shape[2]
        if channels not in self._tables:
            values = np.repeat(np.arange(256, dtype=np.uint8)[:, None, None], channels, 2)
            try:
                for operation in self.operations:
                    values = operation._compute(values)
            except OperationError:
                values = None
            else:
                values = np.ascontiguousarray(values[..., 0] if self._turned else values[:, 0].T)
            self._tables[channels] = values
        return self._tables[channels]

    def by_table(self, table: np.ndarray, image: np.ndarray) -> np.ndarray:
        """What the operations make of the image."""
        if not self._turned:
            return kernels.looked_up(np.ascontiguousarray(table.T), image)
        found = np.empty((image.shape[2], *image.shape[:2]), table.dtype)
        with kernels.opencv("colour") as cv2:
            if cv2 and table.dtype.itemsize != 2:
                for values, plane, out in zip(table, cv2.split(image), found, strict=True):
                    cv2.LUT(plane, values, out)
                return found
        planes = np.ascontiguousarray(image.transpose(2, 0, 1))
        for values, plane, out in zip(table, planes, found, strict=True):
            np.take(values, plane, out=out, mode="clip")
        return found
