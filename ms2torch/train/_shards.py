"""Weights in several files: an index says in json which file beside it holds which tensor."""

from __future__ import annotations

import json
import os


def read_index(path: str) -> dict[str, str]:
    """The path of each tensor's file. ValueError for what is no such index, or names no file beside it."""
    try:
        with open(path, "rb") as file:
            found = json.load(file)
        table = {name: str(place) for name, place in found.get("weight_map", found).items()}
    except (ValueError, AttributeError, RecursionError):
        raise ValueError(f"{path} is no index of files with weights.") from None
    places = {place: beside(path, place) for place in dict.fromkeys(table.values())}
    return {name: places[place] for name, place in table.items()}


def beside(path: str, name: str) -> str:
    """The path of the file ``name``, which the content of ``path`` names.

    ValueError for a name that leads elsewhere, or to what is no file. A link in the folder is followed, for
    caches of downloads are made of links.
    """
    found = os.path.join(os.path.dirname(path), name)
    if name != os.path.basename(name) or (os.path.exists(found) and not os.path.isfile(found)):
        raise ValueError(f"{path} names {name!r}, which is no file beside it.")
    return found
