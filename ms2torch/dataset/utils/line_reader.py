"""`LineReader`: the lines of a text file by number (``mindspore.dataset.utils.line_reader``)."""

from __future__ import annotations

import os

from ... import log as logger
from ..core.validator_helpers import UINT64_MAX, check_filename, check_value, type_check

__all__ = ["LineReader"]


class LineReader:
    """Lines of a text file by their number, from 1, without reading the others
    (``mindspore.dataset.LineReader``).

    RuntimeError for a file that is not there or not a file.
    """

    def __init__(self, filename):
        check_filename(filename)
        self.filename = os.path.realpath(filename)
        if not os.path.exists(self.filename):
            raise RuntimeError(f"The input file [{filename}] does not exist.")
        if not os.path.isfile(self.filename):
            raise RuntimeError(f"The input file [{filename}] is not a regular file.")
        self.offsets, end = [], 0
        with open(self.filename, "rb") as file:
            for line in file:
                self.offsets.append(end)
                end += len(line)
        if not self.offsets:
            logger.warning(f"The input file [{filename}] is empty.")
        self.fo_handle = None

    def __getitem__(self, line):
        return self.readline(line)

    def __len__(self):
        return len(self.offsets)

    def __del__(self):
        self.close()

    def len(self):
        """The number of lines."""
        return len(self.offsets)

    def readline(self, line):
        """The line with this number, without its end.

        TypeError, or ValueError for a number that is not there.
        """
        type_check(line, (int,), "line")
        check_value(line, [0, UINT64_MAX], "line")
        check_value(line, [1, self.len()], "line")
        if self.fo_handle is None:
            self.fo_handle = open(self.filename, encoding="utf-8")  # noqa: SIM115  `close` closes it
        self.fo_handle.seek(self.offsets[line - 1])
        return self.fo_handle.readline().rstrip("\n")

    def close(self):
        """Close the file; reading opens it again."""
        if getattr(self, "fo_handle", None) is not None:
            self.fo_handle.close()
            self.fo_handle = None
