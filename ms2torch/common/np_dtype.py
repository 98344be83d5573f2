"""numpy's names of dtypes that numpy lacks (``mindspore.common.np_dtype``).

``bfloat16`` is that of the package ml_dtypes; where that is not installed the name raises when it is used.
"""

from contextlib import suppress

from ms2torch._naming.surface import install_lazy

with suppress(ImportError):
    from ml_dtypes import bfloat16  # noqa: F401

install_lazy(__name__, globals())
