"""Pairs by a model's code on either side: names and shapes from the code, structure and order for the rest.

What rules pair with a name and shape that the code has stands. The rest is paired as ``diff --torch``
pairs: layer by layer, in order, by shape. Where both sides' code is given, both run on one input.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import os
import sys
from dataclasses import dataclass

import torch

from ms2torch._core.torch_private import NormBase
from ms2torch.difftest import pairing

from . import rules, running
from .entries import MINDSPORE, OPTIMIZER, TORCH, Bad, Checkpoint
from .making import Make, describe


@dataclass
class Model:
    """One side's code: the network, its tensors by name, and names that are another's memory."""

    side: str
    network: object
    tensors: dict[str, torch.Tensor]
    shares: dict[str, str]


def load(text: str, side: str) -> Model:
    """The model of ``module:factory`` or ``file.py:factory``. Raises `Bad`."""
    module, colon, factory = text.rpartition(":")
    if not colon or not module or not factory:
        raise Bad(f"{text}: a model is MODULE:FACTORY or FILE.py:FACTORY.")
    if side == MINDSPORE:
        import ms2torch

        ms2torch.install()
    try:
        network = _factory(module, factory)()
    except Bad:
        raise
    except BaseException as err:
        if isinstance(err, KeyboardInterrupt):
            raise
        line = (str(err).splitlines() or [""])[0][:160]
        raise Bad(f"{text} gave no model: {type(err).__name__}: {line}") from None
    return model_of(network, side, text)


def _factory(module: str, factory: str):
    if module.endswith(".py"):
        if not os.path.isfile(module):
            raise Bad(f"no such file: {module}")
        sys.path.insert(0, os.path.dirname(os.path.abspath(module)))
        spec = importlib.util.spec_from_file_location(os.path.basename(module)[:-3], module)
        found = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(spec.name, found)
        spec.loader.exec_module(found)
    else:
        sys.path.insert(0, os.getcwd())
        found = importlib.import_module(module)
    for name in factory.split("."):
        found = getattr(found, name)
    return found


def model_of(network, side: str, text: str = "the model") -> Model:
    """A network that is there."""
    from ms2torch.nn.cell import Cell

    if side == MINDSPORE:
        if not isinstance(network, Cell):
            raise Bad(f"{text} gave {type(network).__name__}, not a mindspore.nn.Cell.")
        tensors = {p.name: p._t for _, p in network.parameters_and_names()}
    else:
        if not isinstance(network, torch.nn.Module) or isinstance(network, Cell):
            raise Bad(f"{text} gave {type(network).__name__}, not a torch.nn.Module.")
        tensors = {n: t for n, t in network.state_dict().items() if n.rpartition(".")[2] != rules.UNCOUNTED}
    owners, shares = {}, {}
    for name, t in tensors.items():
        owner = owners.setdefault((t.data_ptr(), tuple(t.shape)) if t.numel() else name, name)
        if owner != name:
            shares[name] = owner
    return Model(side, network, tensors, shares)


def plan(source: Checkpoint, target: str, options, makes: list[Make]):
    """The `Plan` by the code of one or both sides; ``makes`` are what rules alone would do."""
    from .command import Plan

    here, there = _both(source, options)
    if here:
        makes = _by_layers(here, makes, source)
    result = Plan(makes, f"{'rules and ' if makes else ''}code")
    if there:
        _pair(source, here, there, result)
    elif missing := [n for n in here.tensors if n not in source.entries]:
        print(
            f"ms2torch: the model has {len(missing)} tensors that IN lacks: {', '.join(missing[:3])}",
            file=sys.stderr,
        )
    if here and there:
        result.checked, result.agree = running.check(source, here, there, result, options.inputs)
        if result.checked and result.agree and not result.checked.startswith("not run"):
            result.unsure = []
    return result


def check(source: Checkpoint, result, options) -> None:
    """Run both models with what a `Plan` makes."""
    here, there = _both(source, options)
    result.checked, result.agree = running.check(source, here, there, result, options.inputs)


def _both(source: Checkpoint, options) -> list[Model | None]:
    """The models of IN's and of OUT's side, where their code is given."""
    given = ((options.model, MINDSPORE), (options.torch_model, TORCH))
    ordered = sorted(given, key=lambda pair: pair[1] != source.side)
    return [load(text, side) if text else None for text, side in ordered]


def _by_layers(model: Model, makes: list[Make], source: Checkpoint) -> list[Make]:
    """Makes whose leaf names and Conv1d's steps are those of the layers' classes, not guesses."""
    exact: dict[str, tuple[str, tuple]] = {}
    if model.side == MINDSPORE:
        for _, cell in model.network.cells_and_names():
            height = type(cell).__name__ in ("Conv1d", "Conv1dTranspose")
            for name, p in cell._parameters.items():
                if p is not None and name == "weight":
                    exact[getattr(cell, name).name] = "", ("squeeze 2",) if height and p.ndim == 4 else ()
    else:
        for path, module in model.network.named_modules():
            for leaf, ours, steps in _leaves(module):
                exact[f"{path}.{leaf}" if path else leaf] = ours, steps
    found = []
    for one in makes:
        if one.sources[0] in exact and len(one.sources) == 1 and not one.name.startswith(OPTIMIZER):
            ours, steps = exact[one.sources[0]]
            layer, dot, leaf = one.name.rpartition(".")
            by_names = "names" in one.how
            one = one._replace(
                name=one.name if by_names else f"{layer}{dot}{ours or leaf}",
                steps=steps,
                how="the layer's class",
            )
        found.append(one)
    return found


def _leaves(module: torch.nn.Module):
    """(PyTorch's leaf, MindSpore's, steps) of a layer."""
    norms = (NormBase, torch.nn.LayerNorm, torch.nn.GroupNorm)
    one = isinstance(module, (torch.nn.Conv1d, torch.nn.ConvTranspose1d))
    embedding = isinstance(module, (torch.nn.Embedding, torch.nn.EmbeddingBag))
    for leaf in (*module._parameters, *module._buffers):
        ours = leaf
        if isinstance(module, norms):
            ours = {
                "weight": "gamma",
                "bias": "beta",
                "running_mean": "moving_mean",
                "running_var": "moving_variance",
            }.get(leaf, leaf)
        elif leaf == "weight" and embedding:
            ours = "embedding_table"
        elif isinstance(module, torch.nn.PReLU):
            ours = "w"
        yield leaf, ours, ("unsqueeze 2",) if one and leaf == "weight" else ()


# ---- pairing -----------------------------------------------------------------------------------------------


def _pair(source: Checkpoint, here: Model | None, there: Model, result) -> None:
    """Replace the makes by those that fit the model's names; tell what is left on both sides, and which pairs
    nothing but the order of a file tells that has none."""
    makes, state = [], []
    taken: set[str] = set()
    used: set[str] = set()
    for one in result.makes:
        if one.how == "state":
            state.append(one)
        elif one.name in there.tensors and one.name not in taken and _fits(one, source, there):
            makes.append(one)
            taken.add(one.name)
            used |= set(one.sources)
    network = _network(source)
    ordered = here is not None or network != sorted(network)
    if here is not None:
        places = {name: i for i, name in enumerate(here.tensors)}
        network.sort(key=lambda name: places.get(name, len(places)))
    left = [
        _listed(name, source.entries[name].shape)
        for name in network
        if name not in used and source.entries[name].shares not in used
    ]
    right = [
        _listed(name, t.shape)
        for name, t in there.tensors.items()
        if name not in taken and there.shares.get(name) not in taken
    ]
    for a, b, how in pairing.by_shape(left, right):
        steps = _steps(source.entries[a].shape, tuple(there.tensors[b].shape))
        if steps is not None:
            makes.append(Make(b, (a,), steps, how))
            if how != pairing.ALONE and not (ordered and how.endswith("and order")):
                result.unsure.append(a)
            taken.add(b)
            used.add(a)
    by_name = {one.name: one for one in makes}
    for name, owner in there.shares.items():
        if name not in taken and owner in by_name:
            makes.append(by_name[owner]._replace(name=name, how=f"tied to {owner}"))
            result.shares[name] = owner
            taken.add(name)
    order = {name: i for i, name in enumerate(there.tensors)}
    makes.sort(key=lambda one: order[one.name])
    tied = here.shares if here else {}
    result.dropped |= {n for n in network if source.entries[n].shares in used or tied.get(n) in used}
    result.wanted = [name for name in there.tensors if name not in taken]
    result.makes = makes + _state(state, makes, source)


def _network(source: Checkpoint) -> list[str]:
    if source.side == MINDSPORE:
        return rules.split_mindspore(source.entries)[0]
    return [n for n in source.entries if not n.startswith(OPTIMIZER) and not rules.is_counter(n)]


def _listed(name: str, shape) -> dict:
    return {"name": name, "shape": list(shape)}


def _fits(one: Make, source: Checkpoint, there: Model) -> bool:
    return describe(one, source.entries)[1] == tuple(there.tensors[one.name].shape)


def _steps(shape: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[str, ...] | None:
    """The steps from one shape to the other, which differ by axes of 1 at most."""
    if shape == wanted:
        return ()
    for what, more, less in (("squeeze", shape, wanted), ("unsqueeze", wanted, shape)):
        places = [i for i, n in enumerate(more) if n == 1]
        for chosen in itertools.combinations(places, len(more) - len(less)) if len(more) > len(less) else ():
            if tuple(n for i, n in enumerate(more) if i not in chosen) == tuple(less):
                ordered = chosen[::-1] if what == "squeeze" else chosen
                return tuple(f"{what} {i}" for i in ordered)
    return None


def _state(state: list[Make], makes: list[Make], source: Checkpoint) -> list[Make]:
    """Optimizer state under the names that the code gave to its parameters."""
    if source.side == MINDSPORE:
        _, kinds, whole = rules.split_mindspore(source.entries)
        return rules.state_to_torch(makes, kinds, whole, source.entries)
    return rules.state_to_mindspore(makes, source.entries)
