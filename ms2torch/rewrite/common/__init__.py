"""``mindspore.rewrite.common``: its names import, and refuse where they are used."""
