"""The same report as one HTML page: inline SVG, no scripts, nothing loaded from elsewhere."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from .finding import Verdict
from .report import adaptation_lines, culprit_name, nearness, path_to_culprit

_STYLE = """
:root{color-scheme:light dark;--red:#c4302b;--green:#1a7f37;--blue:#1f6feb;--dim:#777}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
.no{color:var(--red)}.yes{color:var(--green)}.dim{color:var(--dim)}
table{border-collapse:collapse}td,th{padding:.2rem .7rem;text-align:left;border-bottom:1px solid #8884}
td.n{text-align:right;font-variant-numeric:tabular-nums}
ul.tree,ul.tree ul{list-style:none;padding-left:1.2rem;border-left:1px solid #8884}
code,pre{font-family:ui-monospace,monospace}pre{white-space:pre-wrap}svg{max-width:100%;height:auto}
svg text{font:12px system-ui,sans-serif;fill:currentColor}
"""


def write(verdict: Verdict, path: str | Path) -> None:
    """Write the page."""
    Path(path).write_text(page(verdict), encoding="utf-8")


def page(verdict: Verdict) -> str:
    """The whole page as text."""
    theirs, ours = map(escape, verdict.sides)
    first = verdict.first
    if verdict.failure:
        until = (f"<p>Until then {verdict.compared:,} records of {verdict.length} were compared: "
                 f"{escape(first.sentence()) if first else 'no difference'}.</p>" if verdict.compared else "")
        head = (f'<h1><span class="no">not compared to the end</span></h1>'
                f"<pre>{escape(verdict.failure['text'])}</pre>{until}")
    elif first is None:
        head = (f'<h1><span class="yes">equal</span></h1><p>{theirs} and {ours} agree in '
                f"{verdict.compared:,} records of {verdict.length}.</p>"
                + "".join(f"<p>{escape(line)}</p>" for line in nearness(verdict)))
    else:
        head = (f'<h1><span class="no">different</span></h1><p>{escape(first.sentence())}</p>'
                f"<table><tr><th>{theirs}<td>{escape(first.reference)}<tr><th>{ours}"
                f"<td>{escape(first.ours)}</table><p>{escape(first.note)}</p>"
                + (f"<p>{escape(first.judge)}</p>" if first.judge else ""))
    parts = [head]
    if first is not None and verdict.cells:
        parts.append(f"<h2>Where</h2>{_tree(verdict)}")
    if first is not None:
        parts.append(f"<h2>What differs, in order of time</h2>{_table(verdict)}")
    if len(verdict.losses[0]) > 1:
        parts.append("<h2>Loss</h2>" + plot({theirs: verdict.losses[0], ours: verdict.losses[1]}))
    if any(verdict.drift):
        parts.append("<h2>Greatest relative difference of a parameter after each step</h2>"
                     + plot({"difference": verdict.drift}, logarithmic=True))
    if verdict.pairs:
        parts.append(f"<h2>Pairs</h2>{_pairs(verdict.pairs)}")
    if verdict.notes or verdict.adaptations:
        items = [*verdict.notes, *adaptation_lines(verdict)]
        parts.append("<h2>Notes</h2><ul>" + "".join(f"<li>{escape(str(x))}</li>" for x in items) + "</ul>")
    if verdict.repro:
        parts.append(f"<p>To see it alone: <code>python {escape(verdict.repro)}</code></p>")
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>ms2torch diff</title>'
            f"<style>{_STYLE}</style>{''.join(parts)}</html>\n")


def _tree(verdict: Verdict) -> str:
    guilty, shown = culprit_name(verdict), path_to_culprit(verdict)
    below: dict[str, list] = {}
    for cell in verdict.cells:
        below.setdefault(cell.get("parent") or "", []).append(cell)

    def item(cell: dict) -> str:
        name = cell["name"]
        label = (f"{escape(name.rpartition('.')[2] or 'network')} "
                 f"<span class=dim>{escape(cell['class'])}</span>")
        if name == guilty:
            label = (f'<b class="no">{label} &larr; {escape(verdict.first.public_stage)}, '
                     f"step {verdict.first.step}</b>")
        inner = "".join(item(c) for c in below.get(name, ())) if name in shown else ""
        return f"<li>{label}{f'<ul>{inner}</ul>' if inner else ''}</li>"

    roots = [c for c in below.get("", ()) if c["name"] in shown or not shown]
    return f'<ul class="tree">{"".join(map(item, roots))}</ul>'


def _table(verdict: Verdict) -> str:
    rows = "".join(
        f"<tr><td class=n>{f.step}<td>{escape(f.stage)}<td>{escape(f.where)}<td>{escape(f.role)}"
        f"<td>{f.kind}<td class=n>{_number(f.error)}<td class=n>{_number(f.tolerance)}"
        for f in verdict.findings[:50])
    more = len(verdict.findings) - 50
    return ("<table><tr><th>step<th>stage<th>where<th>role<th>kind<th>error<th>tolerance"
            f"{rows}</table>" + (f"<p class=dim>and {more} more</p>" if more > 0 else ""))


def _pairs(pairs) -> str:
    rows = "".join(f"<tr><td>{escape(a)}<td>{escape(b)}<td class=dim>{escape(pairs.how[a])}"
                   for a, b in pairs.parameters.items())
    return (f"<p>{escape(pairs.summary())}</p><details><summary>the parameters</summary><table><tr>"
            f"<th>MindSpore<th>the port<th>by{rows}</table></details>")


def _number(x: float) -> str:
    return "" if x is None or math.isnan(x) else ("exact" if math.isinf(x) else f"{x:.2g}")


def plot(series: dict[str, list], logarithmic: bool = False, width: int = 720, height: int = 240) -> str:
    """Curves over the steps as an SVG."""
    def usable(v) -> bool:
        return v is not None and math.isfinite(v) and (v > 0 or not logarithmic)

    def scaled(v: float) -> float:
        return math.log10(v) if logarithmic else v

    values = [scaled(v) for s in series.values() for v in s if usable(v)]
    if not values:
        return ""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    count = max(len(s) for s in series.values())
    lines = []
    for (name, points), colour, dash in zip(series.items(), ("var(--blue)", "var(--red)"), ("", "5 4"),
                                            strict=False):
        marks = [(70 + (width - 90) * i / max(count - 1, 1),
                  20 + (height - 50) * (1 - (scaled(v) - low) / span))
                 for i, v in enumerate(points) if usable(v)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in marks)
        lines.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}" '
                     f'points="{path}"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in marks[:200]]
        lines.append(f'<text x="{80 + 160 * (len(lines) > len(marks[:200]) + 1)}" y="14" '
                     f'style="fill:{colour}">{name}</text>')

    def shown(v: float) -> str:
        return f"1e{v:.1f}" if logarithmic else f"{v:.4g}"

    axes = (f'<text x="4" y="26">{shown(high)}</text><text x="4" y="{height - 28}">{shown(low)}</text>'
            f'<text x="70" y="{height - 6}">step 1</text>'
            f'<text x="{width - 60}" y="{height - 6}">step {count}</text>')
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img">{axes}{"".join(lines)}</svg>'
