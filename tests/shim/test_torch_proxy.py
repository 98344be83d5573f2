"""A library that stands in for torch, as mindtorch does: it gets the name, the real torch stays itself."""

from tests.shim.run import launched

PROXY = '''
import importlib, sys
from importlib.machinery import ModuleSpec
from types import ModuleType

TORCH_VERSION = "2.7.1+dev"


class RedirectLoader:
    def __init__(self, target):
        self.target = target

    def create_module(self, spec):
        return ModuleType(spec.name)

    def exec_module(self, module):
        module.__getattr__ = lambda name: getattr(importlib.import_module(self.target), name)


class Finder:
    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if fullname == "torch" or fullname.startswith("torch."):
            raise AssertionError(f"the real torch was asked to import {fullname} from here")


def initialize_torch_proxy():
    sys.meta_path.insert(0, Finder)
    import torch
    torch.__version__ = TORCH_VERSION


def setup_metadata_patch():
    raise AssertionError("the real torch answers importlib.metadata")
'''
PACKAGE = '''
import mindspore
from mindtorch import nn
from mindtorch.torch_proxy import initialize_torch_proxy, setup_metadata_patch
initialize_torch_proxy()
setup_metadata_patch()
here = "mindtorch"
'''
PROGRAM = '''
import sys
import torch as before
import mindtorch
import torch, torch.nn as nn, importlib, importlib.util
from torch.nn import Stand
from mindspore import Tensor, ops
assert torch.here == nn.here == "mindtorch" and Stand is nn.Stand, torch
assert torch.__version__ == "2.7.1+dev" != before.__version__
assert importlib.import_module("torch.nn").Stand is Stand
assert importlib.util.find_spec("torch.nn") and not importlib.util.find_spec("torch.lacking")
sys.modules["torch"].func.vmap(lambda x: x * 2)(before.ones(2))  # imports more of torch
assert before is sys.modules["torch"] and before.__version__ == sys.modules["torch"].version.__version__
print(ops.exp(Tensor([0.0])).asnumpy().tolist())
'''


def test_a_stand_in_for_torch_leaves_the_real_one_alone(tmp_path):
    package = tmp_path / "mindtorch"
    (package / "nn").mkdir(parents=True)
    (package / "__init__.py").write_text(PACKAGE)
    (package / "torch_proxy.py").write_text(PROXY)
    (package / "nn" / "__init__.py").write_text('here = "mindtorch"\nclass Stand: pass\n')
    (tmp_path / "program.py").write_text(PROGRAM)
    code, out, err = launched("program.py", cwd=tmp_path)
    assert (code, out) == (0, "[1.0]\n"), err
