"""Both models, with the same weights, on the same input."""

from __future__ import annotations

import re

import torch

from ms2torch._core.tensor.tensor import Tensor, wrap

from .entries import MINDSPORE, Bad, Checkpoint
from .making import build

# How far apart outputs may be, as a part of their norm; LayerNorm's epsilons alone make 1e-5.
_AGREE = 1e-4
_SIZES = (32, 224, 64, 28, 299, 128)
_WORDS = 8


def check(source: Checkpoint, here, there, result, inputs: list[str]) -> tuple[str, bool]:
    """What to say of both models' outputs, and whether they agree."""
    given = [_parsed(text) for text in inputs]
    _fill(here, {n: source.entries[n].get() for n in here.tensors if n in source.entries})
    _fill(there, {one.name: build(one, source.entries) for one in result.makes if one.name in there.tensors})
    ours, port = (here, there) if here.side == MINDSPORE else (there, here)
    ours.network.set_train(False)
    port.network.eval()
    last = ""
    for described in [given] if given else _guesses(port):
        values = [_values(*one, _rows(port)) for one in described]
        shown = ", ".join(f"{list(shape)} {str(dtype).removeprefix('torch.')}" for shape, dtype in described)
        try:
            with torch.no_grad():
                theirs = _flat(port.network(*(v.clone() for v in values)))
            mine = _flat(ours.network(*(_ours(v) for v in values)))
        except Exception as err:
            last = f"{type(err).__name__}: {(str(err).splitlines() or [''])[0][:120]}"
            continue
        return _compared(mine, theirs, shown)
    if given:
        raise Bad(f"the models do not run on this --input: {last}")
    return f"not run: no guess of the input fits ({last}); give --input SHAPE", True


def _parsed(text: str) -> tuple[tuple[int, ...], torch.dtype]:
    found = re.fullmatch(r"(\d+(?:[,x]\d+)*)(?::(\w+))?", text.strip())
    dtype = getattr(torch, found[2] or "float32", None) if found else None
    if not isinstance(dtype, torch.dtype):
        raise Bad(f"--input {text}: an input is 2,3,32,32 or 2,16:int64.")
    return tuple(int(n) for n in re.split("[,x]", found[1])), dtype


def _fill(model, values: dict[str, torch.Tensor]) -> None:
    with torch.no_grad():
        for name, value in values.items():
            if model.tensors[name].shape == value.shape:
                model.tensors[name].copy_(value)


def _rows(model) -> int:
    """The least number of rows of an embedding: integers below it are words for all."""
    rows = [m.num_embeddings for m in model.network.modules() if isinstance(m, torch.nn.Embedding)]
    return min(rows, default=2)


def _guesses(port):
    """Inputs that a model may take, by its first layer with weights."""
    for module in port.network.modules():
        if isinstance(module, torch.nn.Embedding):
            yield [((2, _WORDS), torch.int64)]
            return
        weight = getattr(module, "weight", None)
        channels = getattr(module, "in_channels", None)
        if isinstance(weight, torch.Tensor) and channels and weight.ndim > 2:
            for size in _SIZES:
                yield [((2, channels, *[size] * (weight.ndim - 2)), torch.float32)]
            return
        if isinstance(module, torch.nn.Linear):
            yield [((2, module.in_features), torch.float32)]
            yield [((2, 5, module.in_features), torch.float32)]
            return
        if isinstance(module, torch.nn.RNNBase):
            yield [((2, 5, module.input_size), torch.float32)]
            return


def _values(shape, dtype: torch.dtype, rows: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator).to(dtype)
    return torch.randint(0, rows if dtype is not torch.bool else 2, shape, generator=generator).to(dtype)


def _ours(value: torch.Tensor) -> Tensor:
    return wrap(value.to(torch.int32) if value.dtype is torch.int64 else value.clone())


def _flat(value) -> list[torch.Tensor]:
    """All tensors of an output, in order."""
    if isinstance(value, Tensor):
        return [value._t.detach()]
    if isinstance(value, torch.Tensor):
        return [value.detach()]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    return [t for one in value for t in _flat(one)]


def _compared(mine: list[torch.Tensor], theirs: list[torch.Tensor], shown: str) -> tuple[str, bool]:
    if not mine or not theirs:
        return "not compared: the models give no tensors", True
    worst = 0.0
    for one, two in zip(mine, theirs, strict=False):
        if one.numel() != two.numel():
            return f"differ on {shown}: {list(one.shape)} and {list(two.shape)} come out", False
        a, b = one.double().reshape(-1), two.double().reshape(-1)
        gap = float((a - b).norm())
        worst = max(worst, gap / (float(b.norm()) or 1.0) if gap == gap else float("inf"))
    agree = worst <= _AGREE
    return (
        f"both ran on {shown}: the outputs {'agree' if agree else 'DIFFER'}, by {worst:.1e} of their norm",
        agree,
    )
