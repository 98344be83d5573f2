"""Run a program with every floating-point number in double precision: float64.py PROGRAM ARGUMENTS.

All of torch's calls get float64 where they ask for a narrower type and give float64 where they would give
one, so that the program computes what it says without rounding that matters. What a program prints this
way is the middle from which float32 runs, ms2torch's and MindSpore's own, are measured. Initial weights
and data are the float32 ones.
"""

import runpy
import sys
from pathlib import Path

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

NARROW = frozenset((torch.float32, torch.float16, torch.bfloat16))
CASTS = frozenset((torch.Tensor.float, torch.Tensor.half, torch.Tensor.bfloat16))
DTYPE = torch.Tensor.dtype.__get__


def wide(x):
    """Any dtype that is narrower than float64, and a tensor of one, as float64."""
    if isinstance(x, torch.dtype):
        return torch.float64 if x in NARROW else x
    return x.double() if isinstance(x, torch.Tensor) and x.dtype in NARROW else x


class Float64(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func == DTYPE:
            # The same checks, promotions and paths as in the float32 run.
            return torch.float32 if args[0].dtype is torch.float64 else args[0].dtype
        if func in CASTS:
            return args[0].double()
        return tree_map(wide, func(*tree_map(wide, args), **tree_map(wide, kwargs or {})))


def from_numpy(array, make=torch.from_numpy):
    """torch.from_numpy, which no mode sees."""
    with torch._C.DisableTorchFunction():
        return wide(make(array))


def run(path, arguments):
    """Run the program at ``path`` under the alias and in double precision."""
    import ms2torch
    from ms2torch.train import _checkpoint_file

    ms2torch.install()
    torch.set_default_dtype(torch.float64)
    torch.from_numpy = from_numpy
    _checkpoint_file._TYPES["Float32"] = torch.float64
    sys.argv = [path, *arguments]
    sys.path.insert(0, str(Path(path).parent))
    with Float64():
        runpy.run_path(path, run_name="__main__")


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2:])
