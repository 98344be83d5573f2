"""A notebook as one text of Python, and back: magics and shell commands stay as they are."""

from __future__ import annotations

import json
import re

from ms2torch.scan.sources import without_magics

_CELL = "# ms2torch: cell "
_MAGIC = "# ms2torch: magic "
_BEFORE = "# ms2torch: magic before "


class Notebook:
    """``source`` is the Python of all code cells, in order, with a mark before each cell and for each magic.

    ValueError for what is no notebook.
    """

    def __init__(self, raw: bytes) -> None:
        try:
            self.data = json.loads(raw)
            self.cells = [c for c in self.data["cells"] if c["cell_type"] == "code"]
            texts = ["".join(c["source"]) for c in self.cells]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"no notebook: {type(error).__name__}: {error}") from None
        self.indent = 1 if raw.startswith((b"{\n ", b"{\r\n ")) else None
        self.magics: list[str] = []
        self.verbatim: set[int] = set()
        parts = [f"{_CELL}{i}\n{self._python(i, text)}\n" for i, text in enumerate(texts)]
        self.source = "".join(parts)

    def _python(self, index: int, text: str) -> str:
        python = without_magics(text)
        if text.strip() and not python.strip() and text.lstrip().startswith("%%"):
            self.verbatim.add(index)  # a cell of another language
            return ""
        lines = []
        for old, new in zip(text.split("\n"), python.split("\n"), strict=True):
            code = new.strip()
            if old != new and code and old.endswith(code):  # %time and its kin run what follows them
                indent = new[: len(new) - len(new.lstrip())]
                self.magics.append(old[len(indent) : -len(code)])
                lines.append(f"{new}  {_BEFORE}{len(self.magics) - 1}")
            elif old != new:
                self.magics.append(old)
                lines.append(
                    f"{new}  {_MAGIC}{len(self.magics) - 1}"
                    if new.strip()
                    else f"{_MAGIC}{len(self.magics) - 1}"
                )
            else:
                lines.append(new)
        return "\n".join(lines)

    def written(self, text: str) -> bytes:
        """The notebook with the cells of another text; what was printed goes with the cells that changed."""
        head, *parts = re.split(rf"^{_CELL}(\d+)\n", text, flags=re.MULTILINE)
        texts = {int(number): part for number, part in zip(parts[::2], parts[1::2], strict=True)}
        first = min(texts, default=0)
        for index, cell in enumerate(self.cells):
            if index in self.verbatim:
                continue
            old = "".join(cell["source"])
            new = (head if index == first else "") + texts.get(index, "")
            part = _below_magics(old, self._with_magics(new).strip("\n"))
            if part != old.strip("\n"):
                cell["source"] = part.splitlines(keepends=True)
                cell["outputs"], cell["execution_count"] = [], None
        return (json.dumps(self.data, indent=self.indent, ensure_ascii=False) + "\n").encode()

    def place(self, line: int) -> tuple[int, int]:
        """The code cell and the line in it, both from 1, of a line of ``source``."""
        starts = [i for i, text in enumerate(self.source.split("\n"), 1) if text.startswith(_CELL)]
        cell = max((i for i, start in enumerate(starts, 1) if start <= line), default=1)
        return cell, line - starts[cell - 1] if starts else line

    def _with_magics(self, text: str) -> str:
        text = re.sub(
            rf"^( *)(.*?) *{_BEFORE}(\d+)$",
            lambda m: m[1] + self.magics[int(m[3])] + m[2],
            text,
            flags=re.MULTILINE,
        )
        return re.sub(rf"^.*{_MAGIC}(\d+)$", lambda m: self.magics[int(m[1])], text, flags=re.MULTILINE)


def _below_magics(old: str, text: str) -> str:
    """A cell's new text, below the magics that the old one began with."""
    lines, left = old.split("\n"), text.split("\n")
    first = next((i for i, line in enumerate(lines) if not line.startswith(("%", "!"))), len(lines))
    for line in lines[:first]:
        if line in left:
            left.remove(line)
    return "\n".join([*lines[:first], *left])
