"""The page of the mapping is what the rules make."""

from pathlib import Path

import pytest

from ms2torch.translate import rules
from scripts import build_mapping


@pytest.mark.parametrize("language", build_mapping.WORDS)
def test_the_page_shows_the_rules(language):
    rules.load()
    page = Path(build_mapping.GUIDE, f"mapping{language}.md").read_text(encoding="utf-8")
    assert page == build_mapping.page(language), "run scripts/build_mapping.py"
