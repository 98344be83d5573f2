"""Bring ``scripts/pages/chinese.po`` up to the docstrings: python scripts/make_chinese.py

Paragraphs that are new stand in it with an empty ``msgstr``, to be filled in; those that no docstring has any
more are gone. It says how many are to be filled in, and the exit code is 1 where there are any.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.pages import chinese, reference  # noqa: E402


def main() -> int:
    """Write the catalogue; 1 where paragraphs have no Chinese."""
    empty = chinese.update(reference.texts(reference.entries()))
    print(f"{chinese.CATALOGUE.relative_to(ROOT)}: {len(empty)} paragraphs have no Chinese")
    return 1 if empty else 0


if __name__ == "__main__":
    sys.exit(main())
