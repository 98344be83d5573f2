"""What a program printed, as numbers to compare: lines of one wording form a table.

Each column is a vector.
"""

import re

import numpy as np

from ms2torch.translate.printed import NUMBER, join_lines

SCALAR = re.compile(r"np\.\w+\(([^()]*)\)")


def quantities(lines):
    """``(words, {wording: array})``: the text without numbers and blanks, line by line, and for each
    wording the numbers of its lines, (lines, numbers in a line). numpy 1 and 2 print scalars differently,
    hence SCALAR.
    """
    words, found = [], {}
    for line in join_lines(lines):
        line = SCALAR.sub(r"\1", line)
        wording = re.sub(r"\s+", "", NUMBER.sub("#", line))
        words.append(wording)
        found.setdefault(wording, []).append([float(n) for n in NUMBER.findall(line)])
    return words, {wording: np.array(rows) for wording, rows in found.items()}


def distance(one, other):
    """Norm-wise relative distance of two arrays: 0 where equal."""
    scale = np.linalg.norm(other)
    apart = np.linalg.norm(one - other)
    return float(apart / scale) if scale else float(apart)


def whole_numbers(table):
    """Columns that count: whole in every line."""
    return np.all(table == np.round(table), axis=0) if table.size else np.zeros(table.shape[1:], bool)
