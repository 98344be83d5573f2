"""``ms2torch convert-checkpoint``."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from dataclasses import dataclass, field

from ms2torch._core.errors import check_reports, exit_code
from ms2torch.cli import Parser

from . import mapping, memory, report, rules, sources, targets
from .entries import MINDSPORE, SHOWN, TORCH, Bad, Checkpoint
from .families import FAMILIES
from .making import Make, describe, known_dtype, pieces

_TEXT = """\
Weights and optimizer state, both ways: MindSpore's .ckpt and .safetensors, PyTorch's .pt, .pth, .bin and
.safetensors, by the files' endings; shards by their *.index.json or the folder that holds it; folders of
torch.distributed.checkpoint (-o OUT.dcp), which any number of processes load.

Names go by rules (gamma is weight, moving_mean is running_mean, ...), by a model's code on either side (both
are then run on one input), or by a mapping file. A converted file remembers where it came from, and converts
back to the same names and bits without any of these."""
_EPILOG = """\
An optimizer's state: a .pt file is then {"model_state_dict": ..., "optimizer_state_dict": ...}, for
  state = torch.load(OUT, weights_only=True)["optimizer_state_dict"]["state"]
  for name, p in net.named_parameters(): optimizer.state[p].update(state[name])
and in safetensors optimizer.state.<parameter>.<kind>. --no-optimizer leaves it out.

exit code: 0 all was converted, 1 something had no partner, or which one is not sure, or the outputs differ,
2 bad input"""


def parser() -> argparse.ArgumentParser:
    """The options."""
    p = Parser(
        "ms2torch convert-checkpoint",
        usage="ms2torch convert-checkpoint IN -o OUT [options]",
        description=_TEXT,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = p.add_argument
    add("source", metavar="IN", help="a file, an index of shards, or a folder that holds one of them")
    add(
        "-o",
        "--output",
        metavar="OUT",
        help="the file to write; with --shard-size its shards and their index",
    )
    add("--to", choices=(MINDSPORE, TORCH), help="where two .safetensors do not tell: whose names OUT gets")
    add(
        "--model", metavar="MODULE:FACTORY", help="the MindSpore model's code: a function that gives the Cell"
    )
    add("--torch-model", metavar="MODULE:FACTORY", help="the PyTorch model's code")
    add(
        "--input",
        metavar="SHAPE",
        action="append",
        default=[],
        dest="inputs",
        help="what both models are run on, as 2,3,32,32 or 2,16:int64; once for each input; default: a guess",
    )
    add("--mapping", metavar="FILE", help="go by this mapping file")
    add(
        "--write-mapping",
        metavar="FILE",
        help="write the mapping for a person to edit; without -o nothing else",
    )
    add(
        "--names",
        choices=(*FAMILIES, "plain"),
        default=None,
        help="MindSpore Transformers' names for a Hugging Face model; plain (MindONE): leaves alone",
    )
    add("--dtype", metavar="DTYPE", help="floats become this: float32, float16, bfloat16")
    add("--no-optimizer", action="store_true", help="the network alone")
    add("--shard-size", metavar="SIZE", help="files of at most this size, and an index: 5GB, 500MB")
    add("--forget", action="store_true", help="do not use what IN remembers, and remember nothing in OUT")
    add("--force", action="store_true", help="write over what is there")
    add("--json", metavar="FILE", help="the report for machines; - is standard output")
    return p


@dataclass
class Plan:
    """What is made of what, how that was found, and what is left."""

    makes: list[Make]
    way: str
    # IN's tensors without partner, and names that the code on OUT's side has and nothing was found for.
    alone: list[str] = field(default_factory=list)
    wanted: list[str] = field(default_factory=list)
    # Those that others have the shape of, where no order tells which is which.
    unsure: list[str] = field(default_factory=list)
    dropped: set[str] = field(default_factory=set)
    # Of tensors that the file holds in its memory.
    held: dict = field(default_factory=dict)
    shares: dict[str, str] = field(default_factory=dict)
    strings: dict[str, str] = field(default_factory=dict)
    container: dict = field(default_factory=dict)
    # How far the outputs of both models are apart, in words; whether they agree.
    checked: str = ""
    agree: bool = True


def main(argv: list[str]) -> int:
    """Carry out ``ms2torch convert-checkpoint``; the exit code."""
    return exit_code(_convert, parser().parse_args(argv))


def _convert(options: argparse.Namespace) -> int:
    if not (options.output or options.write_mapping):
        raise Bad("-o OUT is missing; --write-mapping FILE alone writes the mapping.")
    both = options.model and options.torch_model
    if options.inputs and not both:
        raise Bad("--input is what both models are run on: give --model and --torch-model too.")
    if options.mapping and (options.model or options.torch_model) and not both:
        raise Bad("--mapping tells the names; the code of both sides, --model and --torch-model, is run.")
    check_reports(options.json, options.write_mapping)
    size = _size(options.shard_size)
    sharded = bool(options.output) and (size is not None or options.output.endswith(sources.INDEX))
    if options.output:
        targets.check(options.output, options.source, options.force, sharded)
    source = sources.open_checkpoint(options.source)
    target = _sides(source, options)
    if options.no_optimizer:
        _leave_optimizer(source, target)
    plan = _plan(source, target, options)
    _cast(plan, source, options.dtype)
    entries = source.entries | plan.held
    described = {one.name: describe(one, entries) for one in plan.makes}
    if target == MINDSPORE and options.output and options.output.endswith(".ckpt"):
        described = _without_empty(described, plan)
    if options.write_mapping:
        content = mapping.text(
            [m for m in plan.makes if m.sources[0] in source.entries],
            source.entries,
            source.side,
            plan.alone,
            plan.wanted,
        )
        mapping.write(options.write_mapping, content, options.force)
    files = []
    kept = memory.Memory(source, plan.makes)
    if options.output:
        if not described:
            raise Bad(f"{options.source} holds no tensor that could be converted.")
        by_name = {one.name: one for one in plan.makes}
        files = targets.write(
            options.output,
            target,
            described,
            lambda name: pieces(by_name[name], entries),
            shares=_shares(plan, source, by_name),
            container=plan.container,
            strings=plan.strings,
            memory=(lambda names: "") if options.forget else kept.text,
            shard_size=size if size is not None else 5 * 10**9 if sharded else None,
        )
    result = report.Report(
        source, target, plan, described, files, kept.held if not options.forget else set(), options
    )
    if options.json:
        result.write_json(options.json)
    if options.json != "-":
        print(result.text())
    return result.code


def _size(text: str | None) -> int | None:
    """``5GB`` in bytes."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?", text.strip(), re.I)
    if not found or not float(found[1]):
        raise Bad(f"--shard-size {text}: a size is 5GB, 500MB, 2GiB.")
    return max(
        1, int(float(found[1]) * (1024 if found[3] else 1000) ** " KMGT".index(found[2].upper() or " "))
    )


def _sides(source: Checkpoint, options) -> str:
    """Whose file IN is is settled; gives whose OUT is to be."""
    out = targets.side_of(options.output) if options.output else None
    target = options.to or out
    if out and options.to and out != options.to:
        raise Bad(f"--to {options.to}, but {options.output} is a file of {SHOWN[out]}'s.")
    if source.memory and source.side is None:
        source.side = TORCH if source.memory.get("from") == MINDSPORE else MINDSPORE
    if source.side is None:
        source.side = _other(target) if target else _guess(source)
    target = target or _other(source.side)
    if target == source.side:
        raise Bad(
            f"IN and OUT are both {SHOWN[target]}'s; there is nothing to convert"
            + (
                " (mindspore.ckpt_to_safetensors goes from one format to the other)."
                if target == MINDSPORE
                else "."
            )
        )
    return target


def _other(side: str) -> str:
    return TORCH if side == MINDSPORE else MINDSPORE


def _guess(source: Checkpoint) -> str:
    """The side of a file of names that says nothing itself."""
    leaves = {name.rpartition(".")[2] for name in source.entries}
    state = rules.split_mindspore(source.entries)
    ours = leaves & {"gamma", "moving_mean", "embedding_table", "embedding_weight"} or state[1]
    return MINDSPORE if ours else TORCH


def _leave_optimizer(source: Checkpoint, target: str) -> None:
    if target == TORCH:
        network = rules.split_mindspore(source.entries)[0]
    else:
        network = [n for n in source.entries if not n.startswith("optimizer.")]
    source.entries = {name: source.entries[name] for name in network}
    source.container.pop("optimizer", None)
    if source.memory:
        source.memory["container"] = {}


def _plan(source: Checkpoint, target: str, options) -> Plan:
    family = None if options.names == "plain" else options.names
    if options.mapping:
        makes, dropped = mapping.read(options.mapping, source.entries, source.side)
        plan = Plan(makes, "the mapping", dropped=dropped)
        if options.model:
            from . import models

            models.check(source, plan, options)
    elif options.model or options.torch_model:
        from . import models

        plan = models.plan(source, target, options, rules.convert(source.entries, target, family))
    elif source.memory and not options.forget and (found := memory.restore(source.memory, source, target)):
        plan = Plan(
            found[0],
            "what the file remembers",
            held=found[1],
            container=source.memory.get("container") or {},
            shares=source.memory.get("shares") or {},
            strings=source.memory.get("strings") or {},
            dropped=memory.repeated(source.memory, source),
        )
        used = {s for one in plan.makes for s in one.sources}
        known = used | plan.dropped
        fresh = {name for name in source.entries if name not in known and not rules.is_counter(name)}
        names = {one.name for one in plan.makes}
        if fresh:
            plan.makes += [
                one
                for one in rules.convert(source.entries, target, family)
                if set(one.sources) <= fresh and one.name not in names
            ]
    else:
        plan = Plan(rules.convert(source.entries, target, family), "rules")
    used = {s for one in plan.makes for s in one.sources}
    plan.alone = [
        n for n in source.entries if n not in used and n not in plan.dropped and not rules.is_counter(n)
    ]
    counts = Counter(one.name for one in plan.makes)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise Bad(f"two tensors would become {twice[0]!r}.")
    return plan


def _cast(plan: Plan, source: Checkpoint, dtype: str | None) -> None:
    """Add what ``--dtype`` asks for: the network's floats and its state, not counters."""
    if dtype is None:
        return
    name = known_dtype(dtype)
    if name not in ("float16", "float32", "float64", "bfloat16"):
        raise Bad(f"--dtype {dtype}: float32, float16, bfloat16 or float64.")
    for i, one in enumerate(plan.makes):
        entry = source.entries.get(one.sources[0])
        if entry is not None and entry.dtype.is_floating_point and one.steps[:1] != ("step",) and entry.shape:
            plan.makes[i] = one._replace(steps=(*one.steps, f"dtype {name}"))


def _without_empty(described: dict, plan: Plan) -> dict:
    """Without tensors of no elements, which .ckpt files cannot hold."""
    empty = {name for name, (_, shape) in described.items() if 0 in shape}
    plan.makes = [one for one in plan.makes if one.name not in empty]
    return {name: one for name, one in described.items() if name not in empty}


def _shares(plan: Plan, source: Checkpoint, makes: dict[str, Make]) -> dict[str, str]:
    """New names whose memory is another new name's: as remembered, or as in IN."""
    found = {a: b for a, b in plan.shares.items() if a in makes and b in makes}
    first: dict[tuple, str] = {}
    for name, one in makes.items():
        if one.steps[:1] == ("step",) or not all(s in source.entries for s in one.sources):
            continue
        owner = first.setdefault((tuple(source.entries[s].shares or s for s in one.sources), one.steps), name)
        if owner != name:
            found.setdefault(name, owner)
    return found
