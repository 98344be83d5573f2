"""How .pt files are nested: a state_dict alone, or beside an optimizer's and whatever else was saved.

Inside, all tensors have one flat name each: the network's as they are, an optimizer's as
``optimizer.state.<parameter>.<kind>`` and ``optimizer.<other>``.
"""

from __future__ import annotations

from collections import OrderedDict

import torch

from .entries import KEY, OPTIMIZER, STATE, Checkpoint

# Under which keys programs keep the network's and the optimizer's state; the first is what is written.
NETWORKS = (
    "model_state_dict",
    "state_dict",
    "model",
    "net",
    "network",
    "module",
    "params_ema",
    "params",
    "weights",
    "generator",
)
OPTIMIZERS = ("optimizer_state_dict", "optimizer", "optim", "optimizer_states")
_NO_PARAMETER = ("running_mean", "running_var", "num_batches_tracked")


def flatten(found, opened: Checkpoint) -> tuple[dict[str, torch.Tensor], str | None]:
    """The tensors of what was loaded by their flat names, and what the file remembers.

    Tells ``opened`` how it was nested and what else was there.
    """
    if not isinstance(found, dict):
        opened.left.append(f"a {type(found).__name__}")
        return {}, None
    key = _network_key(found)
    network = found if key is None else found[key]
    tensors: dict[str, torch.Tensor] = {}
    _walk(network, "", tensors, opened.left)
    container = opened.container
    if key is not None:
        container["network"] = key
        for other, value in found.items():
            listed = other in OPTIMIZERS and isinstance(value, list) and len(value) == 1
            state = value[0] if listed else value
            if other in OPTIMIZERS and isinstance(state, dict) and "state" in state:
                tensors |= _optimizer(other, state, _parameters(tensors), container, opened.left)
                if listed and "optimizer" in container:
                    container["optimizer"]["listed"] = True
            elif isinstance(value, (int, float, str, bool, type(None))):
                container.setdefault("others", {})[str(other)] = value
            elif other != key:
                beside = " (tensors beside the network's)" if _has_tensors(value) else ""
                opened.left.append(f"{other}{beside}")
    else:
        container |= _paths(tensors, found)
    metadata = getattr(network, "_metadata", None)
    kept = metadata.get(KEY) if isinstance(metadata, dict) else None
    return tensors, kept.get("memory") if isinstance(kept, dict) else None


def _network_key(found: dict):
    if any(isinstance(v, torch.Tensor) for v in found.values()):
        return None
    return next((k for k in NETWORKS if isinstance(found.get(k), dict)), None)


def _has_tensors(value) -> bool:
    if isinstance(value, dict):
        return any(map(_has_tensors, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_tensors, value))
    return isinstance(value, torch.Tensor)


def _paths(tensors: dict[str, torch.Tensor], found: dict) -> dict:
    """The keys that lead to each tensor, where several networks are in a file, each in a dict of its own."""
    paths: dict[str, list] = {}

    def walk(value: dict, keys: list, name: str) -> None:
        for key, one in value.items():
            flat = f"{name}{key}"
            if isinstance(one, dict):
                walk(one, [*keys, key], f"{flat}.")
            elif flat in tensors and isinstance(key, (int, str)):
                paths[flat] = [*keys, key]

    if any(isinstance(one, dict) for one in found.values()):
        walk(found, [], "")
    return {"paths": paths} if paths else {}


def _walk(value: dict, prefix: str, tensors: dict, left: list[str]) -> None:
    for key, one in value.items():
        name = f"{prefix}{key}"
        if isinstance(one, torch.Tensor):
            tensors[name] = one
        elif isinstance(one, dict) and prefix.count(".") < 8:
            _walk(one, f"{name}.", tensors, left)
        else:
            left.append(name)


def _optimizer(key: str, value: dict, names: list[str], container: dict, left: list[str]) -> dict:
    """An optimizer's state_dict: torch's own, by numbers, or one that was written here, by names."""
    state, groups = value["state"], value.get("param_groups")
    described: dict = {"key": key}
    if groups is not None:
        numbered = _numbered(groups, names)
        if not isinstance(state, dict) or not state.keys() <= numbered.keys():
            left.append(key)
            return {}
        described["index"] = {str(number): name for number, name in numbered.items()}
        described["groups"] = _plain(groups)
        described["tuples"] = sorted({k for g in groups for k, v in g.items() if isinstance(v, tuple)})
        state = {numbered[number]: kinds for number, kinds in state.items()}
    container["optimizer"] = described
    found = {}
    for name, kinds in state.items():
        for kind, t in kinds.items() if isinstance(kinds, dict) else ():
            if isinstance(t, torch.Tensor):
                found[f"{STATE}{name}.{kind}"] = t
            elif isinstance(t, (int, float, bool, type(None))):
                described.setdefault("numbers", []).append([name, kind, t])
            else:
                left.append(f"{key}: {kind} of {name}")
    if groups is not None:
        found |= _settings(groups, found)
    else:
        found |= {f"{OPTIMIZER}{k}": t for k, t in value.items() if isinstance(t, torch.Tensor)}
    return found


def _numbered(groups, names: list[str]) -> dict[int, str]:
    """Which parameter each number of torch's optimizer means: in the order of the network's."""
    try:
        numbers = [n for group in groups for n in group["params"]]
        given = [name for group in groups for name in group.get("param_names", ())]
    except (TypeError, KeyError, AttributeError):
        return {}
    own = given or names
    return dict(zip(numbers, own, strict=True)) if len(own) == len(numbers) else {}


def _parameters(tensors: dict[str, torch.Tensor]) -> list[str]:
    """The names of what an optimizer may have numbered: no buffers, and each tied weight once."""
    seen, found = set(), []
    for name, t in tensors.items():
        place = (t.data_ptr(), t.shape, t.stride()) if t.numel() else name
        if place not in seen and name.rpartition(".")[2] not in _NO_PARAMETER:
            found.append(name)
        seen.add(place)
    return found


def _settings(groups, state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """What MindSpore keeps in Parameters and torch in its groups: the learning rate, Adam's powers."""
    first = groups[0] if groups else {}
    numbers = {}
    if isinstance(first.get("lr"), (int, float)) and all(g.get("lr") == first["lr"] for g in groups):
        numbers["learning_rate"] = first["lr"]
    steps = next((t for name, t in state.items() if name.endswith(".step") and t.numel() == 1), None)
    betas = first.get("betas")
    if (
        steps is not None
        and isinstance(betas, (list, tuple))
        and all(g.get("betas") == betas for g in groups)
    ):
        numbers |= {f"beta{i + 1}_power": beta ** float(steps) for i, beta in enumerate(betas)}
    return {f"{OPTIMIZER}{k}": torch.tensor(v, dtype=torch.float32) for k, v in numbers.items()}


def _plain(value):
    """Settings of an optimizer as JSON can hold them."""
    if isinstance(value, torch.Tensor):
        return value.item() if value.numel() == 1 else None
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value if isinstance(value, (int, float, str, bool, type(None))) else None


def nest(slots: dict[str, object], container: dict, memory: str) -> dict:
    """The object of a .pt file: a state_dict, or one beside the optimizer's."""
    network = OrderedDict((n, slot) for n, slot in slots.items() if not n.startswith(OPTIMIZER))
    if memory:
        network._metadata = OrderedDict({KEY: {"memory": memory}})
    state = {n: slot for n, slot in slots.items() if n.startswith(OPTIMIZER)}
    if not state and not container.get("network"):
        return _by_paths(network, container["paths"]) if container.get("paths") else network
    whole = {container.get("network") or NETWORKS[0]: network}
    described = container.get("optimizer", {})
    if state or described:
        kept = _nested_state(state, described)
        whole[described.get("key", OPTIMIZERS[0])] = [kept] if described.get("listed") else kept
    return {**whole, **container.get("others", {})}


def _by_paths(network: OrderedDict, paths: dict[str, list]) -> OrderedDict:
    """Several networks, each in its dict."""
    whole = OrderedDict()
    if hasattr(network, "_metadata"):
        whole._metadata = network._metadata
    for name, slot in network.items():
        *keys, last = paths.get(name, [name])
        place = whole
        for key in keys:
            place = place.setdefault(key, OrderedDict())
        place[last] = slot
    return whole


def _nested_state(state: dict[str, object], described: dict) -> dict:
    numbers = {name: int(number) for number, name in described.get("index", {}).items()}
    found: dict = {"state": {}}
    for name, slot in state.items():
        if not name.startswith(STATE):
            if "groups" not in described:  # else it is in them
                found[name.removeprefix(OPTIMIZER)] = slot
            continue
        parameter, _, kind = name.removeprefix(STATE).rpartition(".")
        found["state"].setdefault(numbers.get(parameter, parameter), {})[kind] = slot
    for name, kind, value in described.get("numbers", ()):
        found["state"].setdefault(numbers.get(name, name), {})[kind] = value
    if "groups" in described:
        tuples = described.get("tuples", ())        # JSON has lists alone
        found["param_groups"] = [
            {k: tuple(v) if k in tuples and isinstance(v, list) else v for k, v in group.items()}
            for group in described["groups"]
        ]
    return found
