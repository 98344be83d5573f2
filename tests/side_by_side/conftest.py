"""`import mindspore` is ms2torch in this folder."""
import ms2torch

ms2torch.install()
