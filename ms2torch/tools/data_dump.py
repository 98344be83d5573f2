"""``mindspore.tools.data_dump``."""

from ms2torch.common.dump import set_dump

__all__ = ["set_dump"]
