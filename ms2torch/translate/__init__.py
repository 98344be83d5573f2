"""``ms2torch translate``: MindSpore source rewritten as the PyTorch that a person would keep.

``rewriting/`` reads a file, says what each expression is, and rewrites it; ``rules/`` is the table of what
becomes what; ``facts`` and ``recording`` are what a run told; ``proving`` runs both sides. Needs the extra
``translate`` (libcst), which is imported when something is translated and not before.
"""

from .facts import Fact, Facts, Kind
from .translation import Site, Translation, site_of, translate_source

__all__ = ["Fact", "Facts", "Kind", "Rule", "Site", "Translation", "rule_of", "site_of", "translate_source"]


def __getattr__(name: str):
    if name in ("Rule", "rule_of"):
        from . import rules

        return getattr(rules, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
