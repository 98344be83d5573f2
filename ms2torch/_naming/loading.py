"""How the package is loaded."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """Leave the garbage collector out: imports make no garbage, and one full collection over all that torch
    holds takes a tenth of a second."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
