"""The report in the terminal: what differs first and where it stands in the model, the worst, the losses."""

from __future__ import annotations

import math

from .finding import Verdict

_ROWS = 12
_CHILDREN = 30
_OPTIMIZERS = ("optimizer", "learning_rate", "parameter")


def show(verdict: Verdict, file=None) -> None:
    """Print the report with rich."""
    from rich.console import Console

    console = Console(file=file, highlight=False, soft_wrap=False)
    theirs, ours = verdict.sides
    first = verdict.first
    if first is None:
        console.print(f"[green bold]equal[/]: {theirs} and {ours} agree in {verdict.compared:,} records "
                      f"of {verdict.length}.")
    else:
        console.print(f"[red bold]different[/]: {_escape(first.sentence())}")
        if first.reference or first.ours:
            console.print(f"  {theirs}: {_escape(first.reference)}\n  {ours}: {_escape(first.ours)}")
        if first.note:
            console.print(f"  {_escape(first.note)}")
        if first.stage in _OPTIMIZERS and first.cell and not culprit_name(verdict):
            console.print(f"  at the optimizer, {_escape(first.cell)}")
        if first.judge:
            console.print(f"  {_escape(first.judge)}")
    if first is None:
        for line in nearness(verdict):
            console.print(_escape(line))
    elif culprit_name(verdict):
        console.print(tree(verdict))
    if first is not None:
        console.print(table(verdict))
    lines = curves(verdict)
    if lines:
        console.print(lines)
    if verdict.pairs:
        console.print(_escape(verdict.pairs.summary()))
    for note in verdict.notes:
        console.print(f"[dim]note:[/] {_escape(note)}")
    for line in adaptation_lines(verdict):
        console.print(f"[dim]{_escape(line)}[/]")
    if verdict.repro:
        console.print(f"to see it alone: python {_escape(verdict.repro)}")


def nearness(verdict: Verdict) -> list[str]:
    """How near two equal runs are: the largest difference that is tolerated, and what is forgiven."""
    lines = []
    if verdict.tolerated:
        lines.append(f"largest tolerated difference: {verdict.tolerated[0].nearness()}")
    elif verdict.refed:
        lines.append("no value differs by more than 4 units in the last place when re-fed")
    if verdict.forgiven:
        places = ", ".join(dict.fromkeys(f.where for f in verdict.forgiven))
        lines.append(f"forgiven: {len(verdict.forgiven)} dropout masks drawn otherwise, which the real "
                     f"MindSpore does itself from run to run ({places})")
    return lines


def adaptation_lines(verdict: Verdict) -> list[str]:
    """What the reference was given beside MindSpore's own, a line each; nothing where it ran as it is."""
    texts = list(dict.fromkeys(a["text"] for a in verdict.adaptations))
    count = "1 place" if len(texts) == 1 else f"{len(texts)} places"
    return [f"the reference was adapted in {count}:", *(f"  {text}" for text in texts)] if texts else []


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count:,} steps"


def _escape(text) -> str:
    from rich.markup import escape

    return escape(str(text))


def culprit_name(verdict: Verdict) -> str:
    """The name of the Cell at which the first difference stands."""
    first = verdict.first
    names = {cell["name"] for cell in verdict.cells}
    name = first.cell or first.where
    while name and name not in names:
        name = name.rpartition(".")[0]
    return name


def path_to_culprit(verdict: Verdict) -> set[str]:
    """The names of the guilty Cell and of all that it stands in."""
    parents = {cell["name"]: cell.get("parent") for cell in verdict.cells}
    name, found = culprit_name(verdict), set()
    while name and name not in found:
        found.add(name)
        name = parents.get(name)
    return found


def tree(verdict: Verdict):
    """The model as a rich tree: the way to the guilty Cell, its neighbours, and an arrow at it."""
    from rich.tree import Tree

    guilty, shown = culprit_name(verdict), path_to_culprit(verdict)
    root, nodes, hidden = None, {}, {}
    for cell in verdict.cells:
        name, parent = cell["name"], cell.get("parent")
        if shown and not (name in shown or parent in shown):
            continue
        label = f"{_escape(name.rpartition('.')[2] or 'network')} [dim]{_escape(cell['class'])}[/]"
        if name == guilty:
            stage = verdict.first.public_stage
            label = f"[red bold]{label}  <-- {stage}, {verdict.first.when}[/]"
        if root is None:
            root = nodes[name] = Tree(label)
            continue
        hidden[parent] = hidden.get(parent, 0) + 1
        if hidden[parent] <= _CHILDREN or name in shown:
            nodes[name] = nodes.get(parent, root).add(label)
    return root or ""


def table(verdict: Verdict):
    """The worst findings as a rich table, in order of time."""
    from rich.table import Table

    shown = Table(title="what differs, in order of time", title_justify="left")
    for head in ("step", "stage", "where", "kind", "error", "tolerance"):
        shown.add_column(head, justify="right" if head in ("step", "error", "tolerance") else "left")
    for f in verdict.findings[:_ROWS]:
        shown.add_row(str(f.step), f.stage, _escape(_where(f)), f.kind, _number(f.error),
                      _number(f.tolerance))
    if len(verdict.findings) > _ROWS:
        shown.caption = f"and {len(verdict.findings) - _ROWS} more"
    return shown


def _where(f) -> str:
    return f.where if f.role in ("", "value") else f"{f.where or 'network'} {f.role} {f.index}"


def _number(x: float) -> str:
    return "" if x is None or math.isnan(x) else ("exact" if math.isinf(x) else f"{x:.2g}")


def curves(verdict: Verdict, width: int = 60, height: int = 8) -> str:
    """Both losses over the steps, drawn with characters: o the reference, x ours, * both."""
    left, right = verdict.losses
    points = [v for v in (*left, *right) if v is not None and math.isfinite(v)]
    if len(left) < 2 or not points:
        return ""
    low, high = min(points), max(points)
    span = (high - low) or 1.0
    width = min(width, len(left))
    rows = [[" "] * width for _ in range(height)]
    for mark, series in (("o", left), ("x", right)):
        for column in range(width):
            value = series[column * len(series) // width]
            if value is None or not math.isfinite(value):
                continue
            row = height - 1 - round((value - low) / span * (height - 1))
            old = rows[row][column]
            rows[row][column] = mark if old == " " else "*"
    theirs, ours = verdict.sides
    over = f"{len(left):,} updates" if verdict.turns else _steps(len(left))
    lines = [f"loss over {over}: o {theirs}, x {ours}, * both"]
    for i, row in enumerate(rows):
        edge = f"{high:>10.4g}" if i == 0 else f"{low:>10.4g}" if i == height - 1 else " " * 10
        lines.append(f"{edge} |{''.join(row)}")
    return _escape("\n".join(lines))
