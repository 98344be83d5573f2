"""The methods and functions of which MindSpore has one form, and what it takes: python -m
scripts.sweep.single_forms, run by the real one; prints the engine's single_forms.tsv.

Each argument is given what nothing takes, then values of every class, beside an argument that there is not:
all are refused before anything is computed, and the errors tell what the argument is called, what it should
be, and which of the values it would have taken.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_STOPS = {"nothing_is_called_so": 1}
_ARGUMENT = re.compile(r"(\w+)\(\): argument '(\w+)' ?(?:\(position \d+\) )?must be (.*?)"
                       r"(?:, not Nothing| but found type of Nothing at pos \d+| but got Nothing)")
_COUNT = re.compile(r"(\w+)\(\) takes (\d+) positional arguments but 40 were given\.")
_MISSING = re.compile(r"\w+\(\) missing 1 required positional argument: (\w+)\.")


class Nothing:
    """What no argument takes."""


def values():
    """A value of each class by the name that the table has for it."""
    import mindspore as ms
    import numpy as np

    return {"Tensor": ms.Tensor(np.ones((2, 3), np.float32)), "int": 1, "float": 1.5, "bool": True,
            "str": "mean", "None": None, "tuple of int": (0,), "list of int": [0],
            "tuple of Tensor": (ms.Tensor([1.0]),), "numpy": np.ones(2), "mstype": ms.float32,
            "numpy number": np.int64(1)}


def told(function, *args, **kwargs) -> str:
    """The error's text."""
    try:
        function(*args, **kwargs)
    except Exception as err:
        return str(err)
    return ""


def line(public: str, function, keywords) -> str | None:
    """The table's line about a function, None where its errors are not the parser's of one form."""
    first = told(function, **_STOPS)
    name = re.match(r"(\w+)\(\) (?:missing 1 required positional argument: \w+\.|got an unexpected keyword "
                    r"argument '\w+'\.)", first)
    if name is None or told(function, *[Nothing()] * 40).startswith("Failed"):
        return None
    cells, args = [], []
    while found := _ARGUMENT.match(told(function, *args, Nothing(), **_STOPS)):
        argument, kind = found[2], found[3]
        if any(cell.startswith(f"{argument}=") for cell in cells):
            break
        taken = [n for n, v in values().items()
                 if f"'{argument}'" not in told(function, *args, v, **_STOPS).split("unexpected")[0]
                 and not told(function, *args, v, **_STOPS).endswith(f"missing 1 required positional "
                                                                      f"argument: {argument}.")]
        needed = _MISSING.match(told(function, *args, **_STOPS))
        cells.append(f"{argument}={kind}{'' if needed else '?'}+{'+'.join(taken)}")
        if not taken or len(args) > 12:
            break
        args.append(values()[next((n for n in taken if n != "None"), "None")])
    count = _COUNT.match(told(function, *[Nothing()] * 40))
    if count and int(count[2]) != len(cells):
        return None
    for keyword in keywords:
        found = _ARGUMENT.match(told(function, *args, **{keyword: Nothing()}, **_STOPS))
        if found and found[2] == keyword and not any(cell.startswith(f"{keyword}=") for cell in cells):
            cells += [] if "*" in cells else ["*"]
            taken = [n for n, v in values().items()
                     if f"'{keyword}'" not in told(function, *args, **{keyword: v}, **_STOPS)]
            cells.append(f"{keyword}={found[3]}?+{'+'.join(taken)}")
    return "\t".join((public, name[1] + ("" if count else "*"), *cells))


_APART = ("asnumpy", "init_data", "offload", "storage", "data_ptr", "register_hook", "backward", "wait",
          "pin_memory", "is_pinned", "save", "numpy", "tolist", "to")
_KEYWORDS = ("alpha", "beta", "value", "dtype", "device", "pin_memory", "memory_format", "approximate", "dim",
             "keepdim", "out", "generator", "rounding_mode", "reduce", "stable", "min", "max", "source",
             "src", "decimals", "descending", "correction")


def main() -> None:
    """Print the table; names that were seen before (given as a file) are passed over, for some crash."""
    from mindspore import Tensor, mint

    file = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    seen = set(file.read_text().split()) if file and file.exists() else set()
    for package, where in (("Tensor", values()["Tensor"]), ("mint", mint), ("mint.linalg", mint.linalg),
                           ("mint.nn.functional", mint.nn.functional), ("mint.special", mint.special)):
        for n in dir(Tensor if package == "Tensor" else where):
            public, function = f"{package}.{n}", getattr(where, n, None)
            if n.startswith("_") or n in _APART or not callable(function) or isinstance(function, type):
                continue
            if public not in seen:
                if file:
                    file.write_text("\n".join(seen := {*seen, public}))
                if row := line(public, function, _KEYWORDS):
                    print(row, flush=True)


if __name__ == "__main__":
    main()
