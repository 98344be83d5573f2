"""Read by every Python process whose PYTHONPATH has this folder: the launcher puts it there for subprocesses.

Costs nothing until the process imports mindspore (or a path is mapped), and hands on to the sitecustomize
that this one hides.
"""

import importlib.machinery
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
_elsewhere = [p for p in sys.path if os.path.abspath(p) != _here]


class _Bootstrap:
    """Import hook for the first ``import mindspore``: brings in ms2torch, which then answers itself."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if fullname.partition(".")[0] not in ("mindspore", "moxing"):
            return None
        sys.meta_path.remove(_Bootstrap)
        if importlib.util.find_spec("ms2torch") is None:
            sys.path.append(os.path.abspath(os.path.join(_here, "..", "..", "..")))
        import ms2torch.shim
        ms2torch.shim.install()
        return importlib.util.find_spec(fullname)


if os.environ.get("MS2TORCH_INSTALL"):
    sys.meta_path.insert(0, _Bootstrap)
    if os.environ.get("MS2TORCH_MAP_PATH"):
        _file = os.path.join(_here, "..", "paths.py")
        _spec = importlib.util.spec_from_file_location("ms2torch.shim.paths", _file)
        _paths = sys.modules[_spec.name] = importlib.util.module_from_spec(_spec)
        _spec.loader.exec_module(_paths)
        _paths.install(os.environ["MS2TORCH_MAP_PATH"].splitlines())

_next = importlib.machinery.PathFinder.find_spec("sitecustomize", _elsewhere)
if _next is not None and _next.loader is not None:
    _module = importlib.util.module_from_spec(_next)
    sys.modules["sitecustomize"] = _module
    _next.loader.exec_module(_module)
