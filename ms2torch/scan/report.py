"""What was found, for people and for machines: plain lines, tables on a terminal, JSON, a page."""

from __future__ import annotations

import html
import json
from collections import Counter

from ms2torch.cli import write_whole

from .codebase import Report, obstacles, releases, translated
from .findings import FAILS, KINDS, Finding

_COLOURS = {
    FAILS: "red",
    "api": "yellow",
    "differs": "cyan",
    "device": "cyan",
    "guarded": "dim",
    "dead": "dim",
}
_SHOWN_OBSTACLES = 20
# On a narrower terminal a table would be a column of syllables.
_NARROW = 72


def console():
    from rich.console import Console

    return Console(highlight=False)


def _has_room(out) -> bool:
    """Whether a table is the better form there."""
    return out.is_terminal and out.width >= _NARROW


def show(findings: list[Finding]) -> None:
    """The findings of a program: a table on a wide terminal, a line each elsewhere."""
    to_know = [f for f in findings if f.kind not in ("guarded", "dead")]
    out = console()
    if not _has_room(out):
        for f in to_know:
            print(f"{f.path}:{f.line}: {f.shown}: {f.name}: {f.text}")
        return
    from rich.markup import escape
    from rich.table import Column, Table

    table = Table(Column("where", overflow="fold"), "", Column("name", overflow="fold"),
                  Column("what", overflow="fold"))
    for f in to_know:
        mark = f"[{_COLOURS[f.shown]}]{f.shown}[/]"
        table.add_row(f"{escape(f.path)}:{f.line}", mark, escape(f.name), escape(f.text))
    if to_know:
        out.print(table)


def as_json(report: Report) -> dict:
    """The report for machines."""
    since, last = releases(report)
    settled = translated(report)
    return {
        "files": report.files,
        "lines": report.lines,
        "findings": [f._asdict() for f in report.findings],
        "using": report.using,
        "names": len(report.names),
        "kinds": dict(Counter(f.kind for f in report.findings)),
        "written_for": {"since": "{}.{}".format(*since), "until": last and "{}.{}".format(*last)},
        "translate": settled and {"uses": settled[1], "rules": settled[0]},
        "obstacles": [o._asdict() for o in obstacles(report.findings)],
    }


def write_json(report: Report, file: str) -> None:
    """JSON into a file, or onto standard output for ``-``."""
    text = json.dumps(as_json(report), indent=1, ensure_ascii=False) + "\n"
    if file == "-":
        print(text, end="")
    else:
        write_whole(file, text)


def summary_lines(report: Report) -> list[str]:
    """The report in a few lines."""
    if not report.using:
        return [f"No MindSpore here: {_of(report.files, 'file')}, {_of(report.lines, 'line')} read."]
    count = Counter(f.kind for f in report.findings)
    fails = sum(f.fails for f in report.findings)
    since, last = releases(report)
    written = f"at least MindSpore {'{}.{}'.format(*since)}"
    if last is not None:
        written += (
            f", and names that {'{}.{}'.format(*last)} had last"
            if last >= since
            else f"; it also uses names that {'{}.{}'.format(*last)} had last"
        )
    lines = [
        f"{_of(report.files, 'file')}, {_of(report.lines, 'line')}; {report.using:,} use MindSpore, "
        f"{_of(len(report.names), 'name')} of it. Written for {written}.",
        f"{fails:,} would fail; {count['differs']:,} differ, {count['api']:,} depend on the release, "
        f"{count['device']:,} were made for a device, "
        f"{count['guarded']:,} are guarded, {count['dead']:,} in dead code.",
    ]
    settled = translated(report)
    if settled is not None and settled[1]:
        lines.append(
            f"ms2torch translate has rules for {settled[0] / settled[1]:.1%} of {settled[1]:,} uses."
        )
    return lines


def _of(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def show_report(report: Report) -> None:
    """What a scan found: what to mend first, and how much there is."""
    out = console()
    found = obstacles(report.findings)
    if found and _has_room(out):
        from rich.markup import escape
        from rich.table import Column, Table

        table = Table(
            Column("name", overflow="fold"),
            "kind",
            Column("lines", justify="right"),
            Column("files", justify="right"),
            Column("alone", justify="right"),
            Column("what", overflow="fold"),
            title="what to mend first",
        )
        for o in found[:_SHOWN_OBSTACLES]:
            row = (escape(o.name), o.kind, f"{o.sites}", f"{o.files}", f"{o.alone}", escape(o.text))
            table.add_row(*row)
        out.print(table)
        if len(found) > _SHOWN_OBSTACLES:
            out.print(f"and {len(found) - _SHOWN_OBSTACLES} more; --json and --html have them all.")
    else:
        for f in report.findings:
            if f.kind not in ("guarded", "dead"):
                print(f"{f.path}:{f.line}: {f.kind}: {f.name}: {f.text}")
    for sentence in summary_lines(report):
        print(sentence)


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>ms2torch scan</title><style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem }}
table {{ border-collapse: collapse; width: 100%; margin: 1rem 0 }}
td, th {{ text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd; vertical-align: top }}
td.n {{ text-align: right }} code {{ font-size: 90% }} .fails {{ color: #b00020 }} .api {{ color: #8a6d00 }}
.differs {{ color: #00708a }} .dead, .guarded {{ color: #777 }} details {{ margin: .5rem 0 }}
@media (prefers-color-scheme: dark) {{ body {{ background: #181818; color: #ddd }}
.fails {{ color: #ff6b6b }} .api {{ color: #e0c050 }} .differs {{ color: #5fc9e0 }} }}
</style></head><body><h1>ms2torch scan</h1>
{summary}
{obstacles}
{files}
<h2>Kinds</h2><table>{kinds}</table></body></html>
"""


def write_html(report: Report, file: str) -> None:
    """The report as one page that needs nothing else."""
    e = html.escape
    rows = "".join(
        f"<tr><td><code>{e(o.name)}</code></td><td>{o.kind}</td><td class=n>{o.sites}</td>"
        f"<td class=n>{o.files}</td><td class=n>{o.alone}</td><td>{e(o.text)}</td></tr>"
        for o in obstacles(report.findings)
    )
    first = (
        "<h2>What to mend first</h2><table><tr><th>name<th>kind<th>lines<th>files<th>files that need "
        f"nothing else<th>what</tr>{rows}</table>"
        if rows
        else ""
    )
    groups: dict[str, list[Finding]] = {}
    for f in report.findings:
        groups.setdefault(f.path, []).append(f)
    places = []
    for path, group in groups.items():
        lines = "".join(
            f'<tr class="{f.shown}"><td class=n>{f.line}</td><td>{f.kind}</td>'
            f"<td><code>{e(f.name)}</code></td><td>{e(f.text)}</td></tr>"
            for f in group
        )
        fails = sum(f.fails for f in group)
        places.append(
            f"<details{' open' * bool(fails)}><summary><code>{e(path)}</code>: {len(group)}, of "
            f"which {fails} would fail</summary><table>{lines}</table></details>"
        )
    kinds = "".join(f"<tr><td>{kind}</td><td>{e(text)}</td></tr>" for kind, text in KINDS.items())
    page = _PAGE.format(
        summary="".join(f"<p>{e(s)}</p>" for s in summary_lines(report)),
        obstacles=first,
        files=("<h2>Files</h2>" + "".join(places)) if places else "",
        kinds=kinds,
    )
    write_whole(file, page)
