"""python -m ms2torch tests/mindir/export_networks.py FOLDER NAMES

Networks with the weights of the files that the real MindSpore exported are exported here.
"""

import sys
from pathlib import Path

import mindspore as ms
from mindspore import nn

sys.path.insert(0, str(Path(__file__).parent))
from networks import NETWORKS

RECORDED = Path(__file__).with_name("recorded")

folder, *names = sys.argv[1:]
ms.set_context(mode=ms.GRAPH_MODE)         # as they were recorded
for name in names:
    one = NETWORKS[name]
    net = one.make()
    kept = {p.name: p for p in nn.GraphCell(ms.load(str(RECORDED / f"{name}.mindir"))).get_parameters()}
    missing, left = ms.load_param_into_net(net, kept, strict_load=True)
    assert not missing and not left, (name, missing, left)
    net.set_train(False)
    inputs = [ms.Tensor(x) for x in one.inputs()] if one.declared is None else one.declared(ms)
    ms.export(net, *inputs, file_name=f"{folder}/{name}", file_format="MINDIR")
