"""`import mindspore` is ms2torch in this folder."""
import pytest

import ms2torch

ms2torch.install()


@pytest.fixture(autouse=True)
def alias():
    """Tests of uninstall may have run."""
    ms2torch.install()
