"""The forms of the real one's overloaded methods and functions, read off its errors.

    python -m scripts.sweep.forms > ms2torch/_core/checks/overloads.tsv      (by the real one's Python)
"""

from __future__ import annotations

import re

HEAD = "name\tcalled\tforms of valid calls"
_FAILED = re.compile(r"Failed calling (\w+) with")
_KINDS = {"number": "Number", "any": "Any", "str": "string", "Tuple": "tuple", "List": "list"}
# More arguments than any form takes: of fewer it may tell of the one form that takes as many.
_NONE_SUCH = tuple(f"unknown_argument_{i}" for i in range(12))
# Of its forms the one that is left is told of alone, in other words.
_OTHERWISE = ("Tensor.take",)


def form(text: str) -> str:
    """``Tensor.f(x=<Tensor,number>)`` as ``x=Number|Tensor``."""
    def kinds(found):
        named = {_KINDS.get(k, k) for k in re.split(r",\s*", found[1])}
        return "=" + "|".join(sorted(named))

    return re.sub(r"=<([^>]*)>", kinds, text[text.index("(") + 1 : -1])


def forms(function) -> list[str] | None:
    """What the errors of a function call it, and its forms; None where it has but one."""
    try:
        function(**dict.fromkeys(_NONE_SUCH, 1))
    except Exception as err:
        if named := _FAILED.match(str(err)):
            found = re.findall(r'^"([\w.]+\(.*\))"$', str(err), re.MULTILINE)
            return [named[1], *dict.fromkeys(map(form, found))]
    return None


def main() -> None:
    import mindspore as ms
    from mindspore import Tensor, mint, ops
    from mindspore.mint.nn import functional

    x = Tensor([[1.0, 2.0]], ms.float32)
    places = {"Tensor": (Tensor, x), "mint": (mint, mint), "ops": (ops, ops),
              "mint.nn.functional": (functional, functional)}
    print(HEAD)
    for package, (owner, bound) in places.items():
        for name in dir(owner):
            plain = name[0].islower() and f"{package}.{name}" not in _OTHERWISE
            if plain and callable(getattr(owner, name)) and (found := forms(getattr(bound, name))):
                print(f"{package}.{name}", *found, sep="\t")


if __name__ == "__main__":
    main()
