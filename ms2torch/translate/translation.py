"""One file's translation: `translate_source`, and what it gives."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import NamedTuple

from .facts import Facts

NEEDS_LIBCST = "the rules of translation need libcst: pip install 'ms2torch[translate]'"


class Site(NamedTuple):
    """One place that names MindSpore: where, what, whether it is PyTorch now, by which rule, else why not."""

    line: int
    column: int
    name: str
    settled: bool
    rule: str = ""
    reason: str = ""


@dataclass
class Translation:
    """A file as PyTorch. ``cells`` are the classes that were Cells, by name and line of the original;
    ``helpers`` the functions that stand at its head for what PyTorch lacks.
    """

    text: str
    sites: list[Site] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    cells: list[tuple[str, int]] = field(default_factory=list)


def site_of(call: ast.Call | ast.Attribute | ast.Name) -> tuple[int, int]:
    """The place by which a site is known: where the last name of what is called begins, (line, byte column).

    ``x.view(2).sum()`` are two calls that begin at one place, but their names do not. A call of what is not
    named, as in ``grad(net)(x)``, stands where its callee ends.
    """
    function = call.func if isinstance(call, ast.Call) else call
    if isinstance(function, ast.Attribute):
        return function.end_lineno, function.end_col_offset - len(function.attr.encode())
    if isinstance(function, ast.Name):
        return function.lineno, function.col_offset
    return function.end_lineno, function.end_col_offset


def translate_source(
    source: str,
    *,
    path: str = "",
    facts: Facts | None = None,
    keep: frozenset[tuple[int, int]] = frozenset(),
    data=None,
    project=None,
) -> Translation:
    """A file's MindSpore as PyTorch; ``keep`` are sites that stay a call of ms2torch.

    ``data`` is what is known of all files' data pipelines (`rewriting.pipelines.Pipelines`), of this one's
    where it is not given; ``project`` is what other files define (`rewriting.project.Project`).

    SyntaxError where the source is none. ModuleNotFoundError where libcst is not installed.
    """
    ast.parse(source, path or "<source>")
    try:
        import libcst  # noqa: F401
    except ModuleNotFoundError:
        raise ModuleNotFoundError(NEEDS_LIBCST) from None
    from .rewriting.rewriter import rewrite

    return rewrite(source, facts, keep, data, project)


def known_of(sources: dict[str, str], facts: dict[str, Facts]) -> dict[str, dict[str, object]]:
    """What each file has to know of those that it belongs to, as `translate_source` takes it: ``data`` and
    ``project``.

    A program's data pipelines move to PyTorch together or not at all.
    """
    from .rewriting.programs import programs_of

    return {path: known for one in programs_of(sources) for known in [_known(one, facts)] for path in one}


def _known(sources: dict[str, str], facts: dict[str, Facts]) -> dict[str, object]:
    """What the files of one program know of each other."""
    from .rewriting import pipelines, project
    from .rewriting.reading import Reading

    data, files = pipelines.Pipelines(), project.project_of(sources)
    for path, source in sources.items():
        tree = ast.parse(source)
        data |= pipelines.pipelines_of(tree, Reading(tree, facts.get(path), files))
    found = {"data": data} if data.any else {}
    return {**found, "project": files} if len(sources) > 1 else found
