"""Names by rules alone, in both directions: leaves, Conv1d's weights, families of names, optimizer state."""

from __future__ import annotations

import re

from . import families
from .entries import OPTIMIZER, STATE, TORCH, Bad, Entry
from .making import Make

# MindSpore's name of a parameter within its layer, and PyTorch's.
LEAVES = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
    "embedding_table": "weight",
    "embedding_weight": "weight",
    "w": "weight",
}
# MindSpore's prefix of an optimizer's state, and what torch.optim calls the same number. The first of several
# is what PyTorch's becomes. What has no namesake keeps its own name.
STATES = {
    "moments": "momentum_buffer",
    "moment1": "exp_avg",
    "moment2": "exp_avg_sq",
    "adam_m": "exp_avg",
    "adam_v": "exp_avg_sq",
    "vhat": "max_exp_avg_sq",
    "accum": "sum",
    "mean_square": "square_avg",
    "mean_grad": "grad_avg",
    "exp_avg": "exp_avg",
    "exp_avg_sq": "exp_avg_sq",
    "ax_": "ax",
    "max_exp_avg_sq": "max_exp_avg_sq",
    "accum_update": "acc_delta",
    "prev": "prev",
    "step_size": "step_size",
    "moment": "moment",
    "stat": "stat",
    "linear": "linear",
    "accu_grads": "accu_grads",
}
# An optimizer's other Parameters, and a training's.
WHOLE = {
    "global_step",
    "learning_rate",
    "beta1_power",
    "beta2_power",
    "momentum",
    "fake_lr",
    "fake_param",
    "state_step",
    "epoch_num",
    "step_num",
    "loss_scale",
    "scale_sense",
    "current_iterator_step",
    "last_overflow_iterator_step",
}
_COUNTED = ("exp_avg",)  # with which torch.optim keeps the number of steps, for each parameter
_BACK = {}
for _ours, _theirs in STATES.items():
    _BACK.setdefault(_theirs, _ours)
# What torch counts for itself; MindSpore has nothing for it.
UNCOUNTED = "num_batches_tracked"
_EMBEDDING = re.compile(
    r"(^|[._])(\w*emb(ed|edding|eddings|eds)?(_?tokens)?|w[tp]e|shared|lut)(\.\d+)?$", re.I
)
_PRELU = re.compile(r"prelu", re.I)


def convert(entries: dict[str, Entry], target: str, family: str | None = None) -> list[Make]:
    """Makes of everything for which there is a rule; what is in none of them has no partner."""
    makes = _to_torch(entries, family) if target == TORCH else _to_mindspore(entries, family)
    return _unique(makes, entries)


def _unique(makes: list[Make], entries: dict[str, Entry]) -> list[Make]:
    """A name that two tensors would get is the first's; the other keeps its own."""
    found: dict[str, Make] = {}
    for one in makes:
        if one.name in found:
            if len(one.sources) > 1 or one.sources[0] in found:
                continue
            one = one._replace(name=one.sources[0], steps=(), how="its own name, for the other is taken")
        found[one.name] = one
    order = {name: i for i, name in enumerate(entries)}
    return sorted(found.values(), key=lambda one: order[one.sources[0]])


def _layers(names) -> dict[str, set[str]]:
    """The leaves of each layer."""
    found: dict[str, set[str]] = {}
    for name in names:
        layer, _, leaf = name.rpartition(".")
        found.setdefault(layer, set()).add(leaf)
    return found


def _named(layer: str, leaf: str) -> str:
    return f"{layer}.{leaf}" if layer else leaf


# ---- MindSpore to PyTorch ----------------------------------------------------------------------------------


def _to_torch(entries: dict[str, Entry], family: str | None) -> list[Make]:
    network, state, whole = split_mindspore(entries)
    key = family or families.family_of(network)
    chosen = families.FAMILIES.get(key)
    makes = families.joined_tensors(chosen, entries, True) if chosen else []
    joined = {source for one in makes for source in one.sources}
    table = families.name_patterns(chosen, True) if chosen else []
    layers = _layers(network)
    flat = is_one_dimensional([entries[n] for n in network])
    for name in network:
        if name in joined:
            continue
        other, how = families.renamed(name, table), f"{chosen.title}'s names" if chosen else ""
        if other is None:
            other, how = _leaf_to_torch(name, entries[name], layers)
        steps = ()
        if flat and _is_convolution(name, entries[name], 4):
            steps, how = ("squeeze 2",), f"{how}; Conv1d's height dropped".removeprefix("; ")
        makes.append(Make(other, (name,), steps, how))
    return makes + state_to_torch(makes, state, whole, entries)


def _leaf_to_torch(name: str, entry: Entry, layers: dict[str, set[str]]) -> tuple[str, str]:
    layer, _, leaf = name.rpartition(".")
    if leaf not in LEAVES or (leaf == "beta" and "gamma" not in layers[layer]):
        return name, ""
    if leaf == "w" and len(entry.shape) != 1:
        return name, ""
    other = LEAVES[leaf]
    return (name, "") if other in layers[layer] else (_named(layer, other), "rule")


def is_one_dimensional(tensors: list[Entry]) -> bool:
    """Whether the 4-d weights are Conv1d's: all of height 1, and one of them wider than 1.

    Weights of 1x7 beside 7x1 or 3x3 are Conv2d's.
    """
    shapes = [e.shape for e in tensors if len(e.shape) == 4]
    return any(s[3] > 1 for s in shapes) and all(s[2] == 1 for s in shapes)


def _is_convolution(name: str, entry: Entry, ndim: int) -> bool:
    return (
        name.rpartition(".")[2] == "weight"
        and len(entry.shape) == ndim
        and (ndim == 3 or entry.shape[2] == 1)
    )


def split_mindspore(names) -> tuple[list[str], dict[str, tuple[str, str]], list[str]]:
    """The network's names, those of state with (kind, parameter), and an optimizer's others."""
    every, network, state, whole = set(names), [], {}, []
    for name in names:
        kind, _, parameter = name.partition(".")
        under = re.match(r"(mu|eta)_(.+)", name)
        if kind in STATES and parameter in every:
            state[name] = kind, parameter
        elif under and under[2] in every:
            state[name] = under[1], under[2]
        elif name in WHOLE:
            whole.append(name)
        else:
            network.append(name)
    return network, state, whole


def state_to_torch(makes: list[Make], state, whole, entries: dict[str, Entry]) -> list[Make]:
    found = []
    of = {parameter: {} for _, parameter in state.values()}
    for name, (kind, parameter) in state.items():
        of[parameter][kind] = name
    for one in makes:
        for kind in of.get(one.sources[0], {}):
            sources = [of.get(source, {}).get(kind) for source in one.sources]
            steps = one.steps
            if None in sources:
                continue
            if len(entries[sources[0]].shape) != len(entries[one.sources[0]].shape):
                steps = ()
            found.append(Make(f"{STATE}{one.name}.{STATES.get(kind, kind)}", tuple(sources), steps, "state"))
            if STATES.get(kind) in _COUNTED and "global_step" in whole:
                found.append(Make(f"{STATE}{one.name}.step", ("global_step",), ("step",), "state"))
    return found + [Make(f"{OPTIMIZER}{name}", (name,), (), "state") for name in whole]


# ---- PyTorch to MindSpore ----------------------------------------------------------------------------------


def _to_mindspore(entries: dict[str, Entry], family: str | None) -> list[Make]:
    network = [n for n in entries if not n.startswith(OPTIMIZER) and n.rpartition(".")[2] != UNCOUNTED]
    prefix = "module." if network and all(n.startswith("module.") for n in network) else ""  # DDP's
    chosen = families.FAMILIES.get(family)
    short = {name.removeprefix(prefix): entries[name] for name in network}
    if chosen and not any(re.search(chosen.there, name) for name in short):
        raise Bad(f"--names {family}: these are not the names that Hugging Face has for it.")
    base = "transformer." if family == "gpt2" and any(n.startswith("transformer.h.") for n in short) else ""
    short = {name.removeprefix(base): entry for name, entry in short.items()}
    makes = families.joined_tensors(chosen, short, False) if chosen else []
    parted = {source for one in makes for source in one.sources}
    table = families.name_patterns(chosen, False) if chosen else []
    layers = _layers(short)
    for name, entry in short.items():
        if name in parted:
            continue
        other, how = families.renamed(name, table), f"{chosen.title}'s names" if chosen else ""
        if other is None:
            other, how = _leaf_to_mindspore(name, entry, layers, short)
        steps = ()
        if len(entry.shape) == 3 and _is_convolution(name, entry, 3):
            steps, how = ("unsqueeze 2",), f"{how}; as Conv1d's, with a height".removeprefix("; ")
        makes.append(Make(other, (name,), steps, how))
    real = {name.removeprefix(prefix).removeprefix(base): name for name in network}
    makes = [
        one._replace(
            sources=tuple(real[s] for s in one.sources),
            how=one.how or ("prefix dropped" if prefix or base else ""),
        )
        for one in makes
    ]
    return makes + state_to_mindspore(makes, entries)


def _leaf_to_mindspore(name, entry: Entry, layers, entries) -> tuple[str, str]:
    layer, _, leaf = name.rpartition(".")
    beside = layers[layer]
    other = leaf
    if leaf in ("running_mean", "running_var"):
        other = {"running_mean": "moving_mean", "running_var": "moving_variance"}[leaf]
    elif leaf in ("weight", "bias") and _is_norm(layer, beside, entries):
        other = {"weight": "gamma", "bias": "beta"}[leaf]
    elif leaf == "weight" and "bias" not in beside:
        if len(entry.shape) == 2 and _EMBEDDING.search(layer):
            other = "embedding_table"
        elif entry.shape == (1,) or (len(entry.shape) == 1 and _PRELU.search(layer)):
            other = "w"
    return (name, "") if other == leaf or other in beside else (_named(layer, other), "rule")


def _is_norm(layer: str, beside: set[str], entries) -> bool:
    """BatchNorm by its statistics; LayerNorm and GroupNorm by a weight and a bias of one shape."""
    if "running_mean" in beside:
        return True
    weight, bias = entries.get(_named(layer, "weight")), entries.get(_named(layer, "bias"))
    return weight is not None and bias is not None and weight.shape == bias.shape


def state_to_mindspore(makes: list[Make], entries: dict[str, Entry]) -> list[Make]:
    found, counted = [], None
    of: dict[str, dict[str, str]] = {}
    for name in entries:
        if name.startswith(STATE):
            parameter, _, kind = name.removeprefix(STATE).rpartition(".")
            of.setdefault(parameter, {})[kind] = name
        elif name.startswith(OPTIMIZER):
            found.append(Make(name.removeprefix(OPTIMIZER), (name,), (), "state"))
    for one in makes:
        for kind, name in of.get(one.sources[0], {}).items():
            if kind == "step":
                counted = counted or name
                continue
            sources = [of.get(source, {}).get(kind) for source in one.sources]
            if None not in sources:
                steps = one.steps if entries[name].shape == entries[one.sources[0]].shape else ()
                ours = _BACK.get(kind, kind)
                joint = "_" if ours in ("mu", "eta") else "."
                found.append(Make(f"{ours}{joint}{one.name}", tuple(sources), steps, "state"))
    if counted and not any(one.name == "global_step" for one in found):
        found.append(Make("global_step", (counted,), ("count",), "state"))
    return found


def is_counter(name: str) -> bool:
    """Whether a name without partner is one that the other side counts for itself."""
    return name.rpartition(".")[2] == UNCOUNTED or (name.startswith(STATE) and name.endswith(".step"))
