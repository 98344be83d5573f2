"""``mindspore.common._grad_function``: functions with their own gradient, in MindSpore's compiled core."""

from ms2torch._core.errors import unsupported

__all__ = ["_Function"]


class _Function:
    """Packages derive from it where they are imported; applying such a function is a NotImplementedError."""

    @classmethod
    def apply(cls, *args, **kwargs):
        raise unsupported(f"mindspore.common._Function.apply (of {cls.__name__})", "it is not built.",
                          "give a Cell a bprop method.")
