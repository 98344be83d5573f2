"""The page of the package index: README.md with its links to files of the repository as plain words, because
the index has no such files. Everything else is in setup.cfg."""

import re
from pathlib import Path

from setuptools import setup

README = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")

setup(
    long_description=re.sub(r"\[([^]]+)\]\((?!https?:)[^)]+\)", r"\1", README),
    long_description_content_type="text/markdown",
)
