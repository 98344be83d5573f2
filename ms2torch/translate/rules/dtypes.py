"""dtypes and constants: ``mindspore.float32`` is ``torch.float32``, ``mindspore.numpy.pi`` is ``torch.pi``."""

from __future__ import annotations

from .table import VALUES, Rule, add

for _name in [
    "float16",
    "float32",
    "float64",
    "bfloat16",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "complex64",
    "complex128",
]:
    add(Rule(f"mindspore.{_name}", f"torch.{_name}"), VALUES)
for _name, _torch in {
    "bool_": "bool",
    "half": "half",
    "single": "float",
    "double": "double",
    "float_": "float",
    "int_": "int",
}.items():
    add(Rule(f"mindspore.{_name}", f"torch.{_torch}"), VALUES)


def _aliases() -> None:
    from ms2torch._naming import surface

    known = surface.names("mindspore.common.dtype")
    for name in ("bool", "float", "int"):
        if name in known and f"mindspore.common.dtype.{name}" not in VALUES:
            add(Rule(f"mindspore.common.dtype.{name}", f"torch.{name}"), VALUES)


_aliases()


# MindSpore's names by torch's.
TORCH = {
    rule.form: name.rpartition(".")[2]
    for name, rule in reversed(VALUES.items())
    if rule.form.startswith("torch.")
}

for _name, _torch in {"pi": "pi", "inf": "inf", "PINF": "inf", "nan": "nan"}.items():
    add(Rule(f"mindspore.numpy.{_name}", f"torch.{_torch}"), VALUES)
