"""What a conversion did, for people and for machines."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

from ms2torch.cli import write_whole

from .entries import OPTIMIZER, SHOWN, STATE, TORCH, Bad, Checkpoint

_EXAMPLES = 3
_SHOWN_ALONE = 12


@dataclass
class Report:
    """A conversion's result. ``held``: names that have no place there and are kept in what OUT remembers."""

    source: Checkpoint
    target: str
    plan: object
    described: dict
    files: list[str]
    held: set[str]
    options: object

    @property
    def code(self) -> int:
        return 1 if self.plan.alone or self.plan.wanted or self.plan.unsure or not self.plan.agree else 0

    def text(self) -> str:
        source, plan = self.source, self.plan
        lines = [
            f"{source.path}: {SHOWN[source.side]}'s, {_count(len(source.entries), 'tensor')}, "
            f"{_megabytes(source.size)}"
        ]
        makes = [
            one for one in plan.makes if not _is_state(one.name if self.target == TORCH else one.sources[0])
        ]
        state = len(plan.makes) - len(makes)
        changed = [one for one in makes if one.sources != (one.name,) or one.steps]
        shown = ", ".join(
            f"{' + '.join(one.sources)} ~ {one.name}"
            for one in changed[:_EXAMPLES]
            if not one.sources[0].startswith("\0")
        )
        lines.append(
            f"  by {plan.way}: {_count(len(makes), 'tensor')}, {len(changed)} of them renamed or laid out "
            f"anew{': ' + shown if shown else ''}{', ...' if len(changed) > _EXAMPLES else ''}"
        )
        shaped = [one for one in makes if any(s.startswith(("squeeze", "unsqueeze")) for s in one.steps)]
        if shaped and plan.way == "rules":
            lines.append(
                f"  {_count(len(shaped), 'weight')} taken for Conv1d's by shape: {shaped[0].sources[0]}"
                f"{', ...' if len(shaped) > 1 else ''}; a mapping (--write-mapping) says otherwise"
            )
        if state:
            lines.append(f"  optimizer state: {_count(state, 'tensor')}")
        if plan.shares:
            lines.append(
                f"  tied: {', '.join(f'{a} = {b}' for a, b in list(plan.shares.items())[:_EXAMPLES])}"
            )
        if kept := [name for name in [*self.held, *source.strings] if name not in plan.alone]:
            lines.append(
                f"  remembered in OUT alone: {', '.join(sorted(kept)[:_EXAMPLES])}"
                f"{', ...' if len(kept) > _EXAMPLES else ''}"
            )
        if source.left:
            lines.append(f"  left out: {', '.join(source.left[:6])}")
        for what, names in (
            (f"without partner in {SHOWN[self.target]}", plan.alone),
            (f"{SHOWN[self.target]}'s model has, and nothing was found for", plan.wanted),
        ):
            if names:
                lines.append(f"  {what}: {len(names)}")
                lines += [f"    {n}" for n in names[:_SHOWN_ALONE]]
                lines += [f"    and {len(names) - _SHOWN_ALONE} more"] if len(names) > _SHOWN_ALONE else []
        if plan.unsure:
            shown = ", ".join(plan.unsure[:_EXAMPLES])
            lines.append(
                f"  {_count(len(plan.unsure), 'pair')} by a shape that others have too, with no order that "
                f"tells which is which: {shown}{', ...' if len(plan.unsure) > _EXAMPLES else ''}"
            )
            lines.append("    --model and --torch-model together settle it, or a mapping (--write-mapping)")
        if plan.checked:
            lines.append(f"  {plan.checked}")
        if self.options.write_mapping:
            lines.append(f"wrote the mapping {self.options.write_mapping}")
        if self.files:
            shards = f"{_count(len(self.files) - 1, 'shard')} and " if len(self.files) > 1 else ""
            lines.append(f"wrote {shards}{self.files[-1]} ({SHOWN[self.target]}'s)")
        return "\n".join(lines)

    def write_json(self, path: str) -> None:
        plan = self.plan
        content = {
            "source": self.source.path,
            "from": self.source.side,
            "to": self.target,
            "way": plan.way,
            "files": self.files,
            "tensors": [
                {
                    "from": [s.lstrip("\0") for s in one.sources],
                    "to": one.name,
                    "steps": list(one.steps),
                    "how": one.how,
                    "shape": list(self.described[one.name][1]),
                    "dtype": str(self.described[one.name][0]).removeprefix("torch."),
                }
                for one in plan.makes
                if one.name in self.described
            ],
            "without_partner": {"in": plan.alone, "out": plan.wanted},
            "unsure": plan.unsure,
            "checked": plan.checked,
            "exit": self.code,
        }
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        if path == "-":
            sys.stdout.write(text)
            return
        try:
            write_whole(path, text)
        except OSError as err:
            raise Bad(f"can't write {path}: {err.strerror}.") from None


def _is_state(name: str) -> bool:
    return name.startswith((STATE, OPTIMIZER))


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _megabytes(size: int) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
