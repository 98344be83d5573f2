"""``mindspore.rewrite.parsers``: networks and functions read as nodes."""

from .assign_parser import AssignParser
from .class_def_parser import ClassDefParser

__all__ = ["AssignParser", "ClassDefParser"]
