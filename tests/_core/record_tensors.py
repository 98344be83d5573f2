"""Record what the real MindSpore does: python -m tests._core.record_tensors, in an environment that has it.

Each question has a process of its own, for an exception in MindSpore leaves its process unsound.
"""

import json
import operator
import os
import signal
from pathlib import Path

import numpy as np

from tests._core.tensor_cases import (
    DTYPES,
    NUMBERS,
    OPERATORS,
    index_cases,
    parse,
    printed_arrays,
    start,
)


def alone(question):
    """The answer of a forked process: a value, or {"error": [type, text]}."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        quiet = os.open(os.devnull, os.O_RDWR)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        try:
            answer = question()
        except Exception as error:
            answer = {"error": [type(error).__name__, str(error).split("\n\n---")[0][:400]]}
        with os.fdopen(writer, "w") as out:
            json.dump(answer, out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as come:
        text = come.read()
    os.waitpid(child, 0)
    return json.loads(text)


def main():
    import mindspore as ms

    dtype = {name: getattr(ms, name) for name in DTYPES}

    def numbers(x):
        x = x.astype(ms.float32) if x.dtype == ms.bfloat16 else x
        return [str(v) for v in x.asnumpy().ravel().tolist()]

    def promoted(a, b):
        return str((ms.Tensor([1, 1], dtype[a]) + ms.Tensor([1, 1] if a != b else 1, dtype[b])).dtype)

    def with_number(name, a, number, left):
        x, compute = ms.Tensor([1, 3], dtype[a]), getattr(operator, name)
        try:
            out = compute(NUMBERS[number], x) if left else compute(x, NUMBERS[number])
            return [str(out.dtype), numbers(out)]
        except TypeError as error:
            return {"error": ["TypeError", str(error).strip().split("\n")[0][:90]]}

    def printed(kind, array):
        x = ms.Tensor(array, dtype[kind]) if kind == "bfloat16" and array.size else ms.Tensor(array)
        return [str(x), repr(x)]

    def indexed(case):
        kind, index, value = parse(case, dtype | {"T": ms.Tensor})
        x = ms.Tensor(start(kind), ms.bfloat16) if kind == "bf" else ms.Tensor(start(kind))
        if value:
            x[index] = value[0]
            return numbers(x)
        out = x[index]
        before = out.asnumpy().copy()
        x[0:2] = -5.0
        return [list(out.shape), numbers(ms.Tensor(before)), bool((out.asnumpy() != before).any())]

    promotion = {f"{a} {b}": alone(lambda: promoted(a, b)) for a in DTYPES for b in DTYPES}  # noqa: B023
    scalars = {f"{name} {a} {number}{' left' if left else ''}":
               alone(lambda: with_number(name, a, number, left))  # noqa: B023
               for name in OPERATORS for a in DTYPES for number in NUMBERS for left in (False, True)}
    texts = {name: alone(lambda: printed(kind, array)) for name, kind, array in printed_arrays()}  # noqa: B023
    indices = {case: alone(lambda: indexed(case)) for case in index_cases()}  # noqa: B023
    for name, answers in (("promotion", promotion | scalars), ("printing", texts), ("indexing", indices)):
        lines = [f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in answers.items()]
        text = f'{{"mindspore": "{ms.__version__}", "numpy": "{np.__version__}", "cases": {{\n'
        text += ",\n".join(lines)
        Path(__file__).with_name(f"{name}_record.json").write_text(text + "\n}}\n")


if __name__ == "__main__":
    main()
