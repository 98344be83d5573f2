"""SummaryLandscape with several devices: a process each, and the same numbers.

Not a reference case: with two devices MindSpore 2.10 on a CPU waits for ever once the program has trained.
"""

import numpy as np

import tests.reference.conftest  # noqa: F401 - under which `import mindspore` is ms2torch
from tests.reference.test_landscape import collected, evaluated, landscapes


def test_processes_share_the_points(tmp_path):
    found = []
    for ids in ([0], [0, 1]):
        folder = tmp_path / str(len(ids))
        folder.mkdir()
        np.random.seed(3)
        collected(str(folder)).gen_landscapes_with_multi_process(evaluated, device_ids=ids)
        found.append(landscapes(folder))
    assert len(found[0]) == 3 and repr(found[0]) == repr(found[1])
