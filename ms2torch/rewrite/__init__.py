"""``mindspore.rewrite``: its names import, and refuse where they are used."""
