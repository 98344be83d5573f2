"""Run a documentation page on ms2torch and compare what it prints with what it says it prints.

    python scripts/verify_document.py PAGE [--sidecar FILE.json] [--map-path OLD=NEW] [--real]

PAGE is Markdown or a notebook (told apart by content). Its Python blocks run in order, in one namespace, in
an empty folder, with `mindspore` being ms2torch. The documented output of a block is its cell's output, the
text fence after it, a fence announced as output ("Output:", "输出如下:"), or the comment lines that end the
block. In a table, the n-th text fence belongs to the n-th code fence.
Words and structure have to be equal; numbers to 1e-4, or to one in the last of four or more digits shown.

The sidecar says what a page cannot say about itself, by block number:

    {"blocks": {"2": {"random": "why"},            same words and number of lines, finite and falling numbers
                "5": {"corrected": "why", "source": ["..."]},             the smallest form that runs, or
                "6": {"corrected": "why", "edits": [["old", "new"]]},     what it takes to get there
                "7": {"undocumented": ["words"]},         lines that it prints and the page leaves out
                "9": {"skip": "why"}}}

Exit code: 0 when nothing differs or fails, 1 otherwise, 2 for a page that cannot be read.
"""
from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import linecache
import math
import os
import re
import sys
import tempfile
import traceback
import types
from dataclasses import dataclass
from pathlib import Path

RTOL = 1e-4
ANNOUNCES = re.compile(r"(输出|结果|outputs?|results?|prints?)[^`]*[:：]\s*$", re.IGNORECASE)
FENCE = re.compile(r"^(\s*)```+\s*([\w+-]*)\s*$")
TOKEN = re.compile(r"""
    (?P<number>(?<![\w.)\]])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])
              |(?<![\w])[-+]?(?:nan|inf)(?![\w]))
  | (?P<word>\w+)
  | (?P<mark>\S)""", re.VERBOSE)


@dataclass
class Block:
    """A block of code, where it stands, and what the page says it prints (None: nothing)."""

    number: int
    place: str
    source: str
    documented: str | None = None
    notebook: bool = False
    note: str = ""


# reading a page

def blocks_of(text: str) -> list[Block]:
    """The Python blocks of a page. Raises ValueError when it is a notebook that does not read."""
    found: list[Block] = []
    if not text.lstrip().startswith("{"):
        _markdown(text, "line {}", found)
        return found
    for index, cell in enumerate(json.loads(text)["cells"], 1):
        source = _joined(cell["source"])
        if cell["cell_type"] == "markdown":
            _markdown(source, f"cell {index}, line {{}}", found)
        elif cell["cell_type"] == "code" and source.strip():
            output = "".join(_cell_output(o) for o in cell.get("outputs", [])) or None
            found.append(Block(len(found) + 1, f"cell {index}", source, output, notebook=True))
    return found


def _joined(text):
    return text if isinstance(text, str) else "".join(text)


def _cell_output(output):
    if output["output_type"] == "stream":
        return _joined(output["text"]) if output["name"] == "stdout" else ""
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}\n"
    return _joined(output.get("data", {}).get("text/plain", ""))


def _markdown(text, place, found):
    """Append the code fences of a Markdown text, and give each its documented output."""
    lines, i, said = text.splitlines(), 0, ""
    in_table, waiting = False, []                  # code fences that may still get an output
    while i < len(lines):
        opening = FENCE.match(lines[i])
        if not opening:
            if "<table" in lines[i] or "</table" in lines[i]:
                in_table, waiting = "<table" in lines[i], waiting if "</table" in lines[i] else []
            said = lines[i].strip() or said
            i += 1
            continue
        indent, language = len(opening[1]), opening[2].lower()
        end = next((k for k in range(i + 1, len(lines)) if lines[k].strip() == "```"), len(lines))
        body = "\n".join(line[indent:] if not line[:indent].strip() else line for line in lines[i + 1:end])
        is_output = language in ("text", "") or (language in ("python", "py") and ANNOUNCES.search(said))
        if is_output and waiting:
            (waiting.pop(0) if in_table else waiting.pop()).documented = body
            waiting = waiting if in_table else []
        elif language in ("python", "py", "python3"):
            found.append(Block(len(found) + 1, place.format(i + 1), body))
            waiting = [*waiting, found[-1]] if in_table else [found[-1]]
        said, i = "", end + 1


def apply_sidecar(blocks: list[Block], sidecar: dict) -> dict[int, dict]:
    """Put corrected sources in place; the entries by block number. ValueError: an entry fits no block."""
    entries = {int(number): entry for number, entry in sidecar.get("blocks", {}).items()}
    for number, entry in entries.items():
        if not 1 <= number <= len(blocks):
            raise ValueError(f"the sidecar speaks of block {number}, the page has {len(blocks)}")
        block = blocks[number - 1]
        if "source" in entry:
            block.source = "\n".join(entry["source"])
        for old, new in entry.get("edits", []):
            if old not in block.source:
                raise ValueError(f"the sidecar edits {old!r}, which block {number} does not hold")
            block.source = block.source.replace(old, new)
        if "corrected" in entry:
            block.note = f"corrected: {entry['corrected']}"
    return entries


# running

@contextlib.contextmanager
def page_of_its_own():
    """A `__main__` module's namespace, in an empty folder: pages write checkpoints where they run."""
    main, folder = sys.modules["__main__"], os.getcwd()
    page = sys.modules["__main__"] = types.ModuleType("__main__")
    with tempfile.TemporaryDirectory() as empty:
        os.chdir(empty)
        try:
            yield vars(page)
        finally:
            os.chdir(folder)
            sys.modules["__main__"] = main


def run(block: Block, namespace: dict) -> tuple[str, BaseException | None]:
    """What a block prints (a notebook's last expression included), and the exception that ended it."""
    name = f"<block {block.number}>"
    # for inspect.getsource, which graph compilation and reports use
    linecache.cache[name] = (len(block.source), None, block.source.splitlines(True), name)
    out = io.StringIO()
    try:
        tree = ast.parse(block.source, name)
        shows = block.notebook and tree.body and isinstance(tree.body[-1], ast.Expr)
        last = tree.body.pop() if shows else None
        with contextlib.redirect_stdout(out):
            exec(compile(tree, name, "exec"), namespace)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
                if value is not None:
                    print(repr(value))
    except (Exception, SystemExit) as error:
        return out.getvalue(), error
    return out.getvalue(), None


def trailing_comments(source: str) -> str | None:
    """The comment lines that end a block, as text."""
    lines = source.rstrip().splitlines()
    start = len(lines)
    while start and lines[start - 1].startswith("#"):
        start -= 1
    return "\n".join(line.lstrip("#").strip() for line in lines[start:]) if 0 < start < len(lines) else None


# comparing

def _tokens(text):
    return [(m.lastgroup, m.group(), text.count("\n", 0, m.start()) + 1) for m in TOKEN.finditer(text)]


def _is_whole(number):
    return re.fullmatch(r"[-+]?\d+", number) is not None


def _same_number(documented, printed):
    if _is_whole(documented) or _is_whole(printed):
        return _is_whole(documented) and _is_whole(printed) and int(documented) == int(printed)
    a, b = float(documented), float(printed)
    if not (math.isfinite(a) and math.isfinite(b)):
        return a == b or (math.isnan(a) and math.isnan(b))
    mantissa, _, exponent = documented.lower().partition("e")
    digit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    long = len(mantissa.lstrip("-+0.").replace(".", "")) >= 4       # the last digit of 2.5 is no noise
    return abs(a - b) <= max(RTOL * abs(a), 1.001 * digit if long else 0.0)


def difference(documented: str, printed: str, random: bool = False) -> str | None:
    """The first place where the printed output is not the documented one; None when it is.

    With `random`, non-integers may have any finite value; the last has to be below the first.
    """
    want, got = _tokens(documented), _tokens(printed)
    values = []
    for (kind, a, line), (other, b, _) in zip(want, got, strict=False):
        if random and kind == other == "number" and not (_is_whole(a) or _is_whole(b)):
            values.append(float(b))
            same = math.isfinite(values[-1])
        else:
            same = _same_number(a, b) if kind == other == "number" else a == b
        if not same:
            return f"line {line}: documented {a}, printed {b}"
    if len(want) != len(got):
        extra, who = (want, "documented") if len(want) > len(got) else (got, "printed")
        shown = " ".join(token for _, token, _ in extra[min(len(want), len(got)):][:8])
        return f"only {who}: {shown}"
    if random and documented.strip().count("\n") != printed.strip().count("\n"):
        return "another number of lines"
    if random and len(values) > 1 and not values[-1] < values[0]:
        return f"does not fall: {values[0]} to {values[-1]}"
    return None


def judge(block: Block, entry: dict, namespace: dict) -> tuple[str, str]:
    """Run a block: its result (match, differs, error, nothing documented, skipped) and the detail."""
    if "skip" in entry:
        return "skipped", entry["skip"]
    printed, error = run(block, namespace)
    for words in entry.get("undocumented", []):
        printed = "".join(line for line in printed.splitlines(True) if words not in line)
    documented = block.documented
    if documented is None and printed.strip():
        documented = trailing_comments(block.source)
    if error is not None:
        last_words = f"{type(error).__name__}: {error}"
        if documented and difference(documented, f"{printed}\n{last_words}") is None:
            return "match", "with the documented exception"
        missing = (getattr(error, "name", None) or "").partition(".")[0]
        if isinstance(error, ModuleNotFoundError) and missing not in ("mindspore", "ms2torch"):
            return "skipped", f"needs the module {missing}"
        here = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith("<block")]
        return "error", last_words.splitlines()[0] + (f" (line {here[-1].lineno})" if here else "")
    if documented is None:
        return "nothing documented", f"prints {printed.strip()[:60]!r}" if printed.strip() else ""
    found = difference(documented, printed, random="random" in entry)
    if found:
        return "differs", found
    return "match", f"in form: {entry['random']}" if "random" in entry else ""


def main(arguments=None) -> int:
    """Verify a page, print a line per block; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("--sidecar", type=Path, help="what the page cannot say: random, corrected, skip")
    parser.add_argument("--map-path", action="append", default=[], metavar="OLD=NEW", help="its data")
    parser.add_argument("--real", action="store_true", help="with the real MindSpore of this interpreter")
    options = parser.parse_args(arguments)
    try:
        blocks = blocks_of(options.page.read_text(encoding="utf-8"))
        sidecar = json.loads(options.sidecar.read_text(encoding="utf-8")) if options.sidecar else {}
        entries = apply_sidecar(blocks, sidecar)
    except (OSError, ValueError, KeyError) as error:
        print(f"verify_document: {error}", file=sys.stderr)
        return 2
    if not options.real:
        sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
        import ms2torch

        ms2torch.install()
        if options.map_path:
            from ms2torch.shim import paths

            paths.install(options.map_path)
    counts = {}
    print(f"{'block':>5}  {'where':<18} {'result':<18} detail")
    with page_of_its_own() as namespace:
        for block in blocks:
            result, detail = judge(block, entries.get(block.number, {}), namespace)
            counts[result] = counts.get(result, 0) + 1
            detail = "; ".join(filter(None, (detail, block.note)))
            print(f"{block.number:>5}  {block.place:<18} {result:<18} {detail}".rstrip(), flush=True)
    print(f"{options.page.name}: " + ", ".join(f"{n} {result}" for result, n in counts.items()))
    return 1 if counts.keys() & {"differs", "error"} else 0


if __name__ == "__main__":
    sys.exit(main())
