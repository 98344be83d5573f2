"""The table: what a MindSpore name becomes in PyTorch, in what the two differ, and how that is known."""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """A MindSpore name's PyTorch form, in what they differ (English, Chinese), and the evidence."""

    name: str
    form: str
    en: str = ""
    zh: str = ""
    evidence: str = ""


def rule_of(name: str) -> Rule | None:
    """The rule for a dotted MindSpore name; None where there is none."""
    return None
