"""Where a long name in a table may go on in the next line: behind a dot, a bar, a bracket and before a
capital, not within a word."""

from __future__ import annotations

import re

_CELL = re.compile(r"(<td[^>]*>)(.*?)(?=</td>)", re.DOTALL)
_CODE = re.compile(r"(<code[^>]*>)([^<]*)(</code>)")
# Shorter names stay whole.
_SHORT = 12


def on_page_content(html: str, **_) -> str:
    """The generator's event: a page's HTML."""
    return _CELL.sub(lambda m: m[1] + _CODE.sub(lambda c: c[1] + broken(c[2]) + c[3], m[2]), html)


def broken(text: str) -> str:
    """A name, or several with spaces between, with the places to break at."""
    return re.sub(r"\S+", lambda m: m[0] if len(m[0]) <= _SHORT else _with_places(m[0]), text)


def _with_places(name: str) -> str:
    name = re.sub(r"(?<=[._/(,|=-])(?=\w)|(?<=\w)(?=\()", "<wbr>", name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", "<wbr>", name)
