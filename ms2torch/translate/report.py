"""What ``ms2torch translate`` shows: lines, a table on a terminal, JSON, a page with both texts side by
side."""

from __future__ import annotations

import difflib
import html
import json

from ms2torch.cli import write_whole

from .outcome import File, Outcome
from .proving import PROVED

_SHOWN = 40
_COLOURS = {PROVED: "green", "differs": "red"}


def show(outcome: Outcome) -> None:
    """On standard output."""
    from rich.console import Console

    console = Console(highlight=False)
    left = outcome.checklist()
    if console.is_terminal:
        _table(console, outcome)
        from rich.markup import escape

        if left:
            console.print("[bold]left for a hand[/]")
        for line in left[:_SHOWN]:
            console.print(f"[yellow]☐[/] {escape(line)}")
    else:
        for line in left[:_SHOWN]:
            print(line)
    if len(left) > _SHOWN:
        print(f"and {len(left) - _SHOWN} more; --json and --html have them all.")
    for sentence in outcome.sentences():
        print(sentence)


def _table(console, outcome: Outcome) -> None:
    from rich.markup import escape
    from rich.table import Column, Table

    right = {"justify": "right"}
    table = Table(
        "file", Column("sites", **right), Column("translated", **right), Column("kept", **right), "Cells",
        title="ms2torch translate",
    )  # fmt: skip
    for f in outcome.files:
        own = [p for p in outcome.proofs if p["path"] == f.path]
        marks = " ".join(f"[{_COLOURS.get(p['state'], 'yellow')}]{p['name']}[/]" for p in own)
        kept = f"[yellow]{len(f.kept)}[/]" if f.kept else "0"
        table.add_row(escape(f.shown), f"{len(f.sites)}", f"{len(f.sites) - len(f.kept)}", kept, marks)
    console.print(table)


def write_json(outcome: Outcome, file: str) -> None:
    """JSON into a file, or onto standard output for ``-``."""
    text = json.dumps(outcome.as_json(), indent=1, ensure_ascii=False) + "\n"
    if file == "-":
        print(text, end="")
    else:
        write_whole(file, text)


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>ms2torch translate</title><style>
:root {{ color-scheme: light dark; --line: #8884; --old: #c4302b22; --new: #1a7f3722; --kept: #b8860044 }}
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem }}
table {{ border-collapse: collapse; width: 100%; margin: 1rem 0 }} h1 {{ font-size: 1.4rem }}
td, th {{ text-align: left; padding: .2rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top }}
.sides td {{ border: 0; padding: 0 .5rem; font: 12.5px/1.45 ui-monospace, monospace; white-space: pre-wrap;
width: 47%; overflow-wrap: anywhere }} .sides td.n {{ width: 3%; text-align: right; opacity: .5 }}
.old {{ background: var(--old) }} .new {{ background: var(--new) }} .kept {{ background: var(--kept) }}
.yes {{ color: #1a7f37 }} .no {{ color: #c4302b }} .open {{ color: #b88600 }}
</style></head><body><h1>ms2torch translate: {title}</h1>
{summary}{left}{cells}{files}</body></html>
"""


def write_html(outcome: Outcome, file: str) -> None:
    """One page that needs nothing else."""
    e = html.escape
    left = "".join(f"<li>{e(line)}</li>" for line in outcome.checklist())
    rows = "".join(
        f"<tr><td><code>{e(p['name'])}</code></td><td>{e(_shown(outcome, p))}:{p['line']}</td>"
        f"<td class={_CLASS.get(p['state'], 'open')}>{p['state']}</td><td>{p['instances']}</td>"
        f"<td>{e(p['reason'])}</td></tr>"
        for p in outcome.proofs
    )
    page = _PAGE.format(
        title=e(outcome.source),
        summary="".join(f"<p>{e(s)}</p>" for s in outcome.sentences()),
        left=f"<h2>Left for a hand</h2><ul>{left}</ul>" if left else "",
        cells=f"<h2>Cells</h2><table><tr><th>Cell<th>where<th>state<th>instances<th>{rows}</table>"
        if rows
        else "",
        files="".join(_sides(f) for f in outcome.files),
    )
    write_whole(file, page)


_CLASS = {PROVED: "yes", "differs": "no"}


def _shown(outcome: Outcome, proof: dict) -> str:
    return next(f.shown for f in outcome.files if f.path == proof["path"])


def _sides(f: File) -> str:
    """Both texts of a file, line by line."""
    old, new = f.source.splitlines(), f.text.splitlines()
    kept = {site.line for site in f.kept}
    rows = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for k in range(max(i2 - i1, j2 - j1)):
            i, j = (i1 + k if i1 + k < i2 else None), (j1 + k if j1 + k < j2 else None)
            rows.append(
                _side(old, i, "kept" if i is not None and i + 1 in kept else "old" if tag != "equal" else "")
                + _side(new, j, "new" if tag != "equal" else "")
            )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f"<details open><summary><code>{html.escape(f.shown)}</code>: {len(f.sites)} sites, "
        f"{len(f.kept)} kept</summary><table class=sides>{body}</table></details>"
    )


def _side(lines: list[str], i: int | None, style: str) -> str:
    if i is None:
        return "<td class=n></td><td></td>"
    return f'<td class=n>{i + 1}</td><td class="{style}">{html.escape(lines[i])}</td>'
