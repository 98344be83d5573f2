"""How the package is loaded."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """Leave the garbage collector out: imports make no garbage, and one full collection over all that torch
    holds takes a tenth of a second. What was loaded counts as old at once, or the first collection after it
    would go through all of it; it may be collected later as before."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            if not gc.get_freeze_count():           # (else a program has frozen objects of its own)
                gc.freeze()
                gc.unfreeze()                       # (into the oldest generation)
            gc.enable()
