"""Errors of MindRecord files (``mindspore.mindrecord.common``)."""
