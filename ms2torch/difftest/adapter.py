"""Lets the real MindSpore, on a CPU and in one process, run programs written for devices and releases that it
does not serve: one file that needs numpy and MindSpore alone.

    python adapter.py train.py [arguments]

`install` changes nothing by itself that a program could tell; each adaptation tells ``report(name, text)``
when the program first leans on it. Numbers come from MindSpore's own arithmetic throughout.

A program's settings of the device are remembered and given back to it by ``get_context``, so that it takes
the branches it was written with, while MindSpore itself sees a CPU. What is not adapted fails as it did:
quantisation-aware training, ``nn.transformer`` and ``parallel._transformer``, custom Ascend kernels, and
``GraphData``.
"""

from __future__ import annotations

import functools
import glob
import importlib
import importlib.util
import os
import re
import shutil
import sys
import sysconfig
import types

import numpy as np

_told = set()
_report = print
Tensor = ops = mstype = _depend = None  # MindSpore's, from `install` on


def main(argv):
    """Run a script with adaptations; what was adapted is listed on standard error at the end."""
    import atexit
    import runpy

    told = []
    atexit.register(_listed, told)
    install(report=lambda name, text: told.append(text))
    sys.argv = argv
    sys.path[0] = os.path.dirname(os.path.abspath(argv[0]))
    runpy.run_path(argv[0], run_name="__main__")


def _listed(told):
    if told:
        print("\n".join(["adapted:", *("  " + text for text in told)]), file=sys.stderr)
    else:
        print("adapted: nothing", file=sys.stderr)


def _tell(name, text):
    """Report an adaptation the first time it is used."""
    if name not in _told:
        _told.add(name)
        _report(name, text)


def install(report=print):
    """Adapt the MindSpore of this process; ``report(name, text)`` hears of each adaptation that is used."""
    global _report
    _report = report
    _numpy_aliases()
    for name in _MODULES:  # a module that stands where a package was gets room for submodules
        parent = name.rpartition(".")[0]
        parent = _module(parent) if parent.startswith("mindspore") else None
        if parent is not None and not hasattr(parent, "__path__"):
            parent.__path__ = []
    sys.meta_path.append(_Gone)
    from mindspore import Tensor, ops
    from mindspore.common import dtype

    globals().update(Tensor=Tensor, ops=ops, mstype=dtype)
    for step in (_contexts, _parallel, _collectives, _overflow, _loss_scale, _sens, _optimizers,
                 _renamed_operators, _names, _keywords):
        step()


# ---- places where MindSpore's modules hold a thing --------------------------------------------------------


def _module(name):
    """A module of MindSpore, or None where this release lacks it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _replace(old, new):
    """Put ``new`` wherever a module of MindSpore holds the object ``old``."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "mindspore" and module is not None:
            for key, value in list(vars(module).items()):
                if value is old:
                    setattr(module, key, new)


def _from_mindspore(frame):
    """Whether a frame belongs to MindSpore's own code."""
    return frame.f_code.co_filename.startswith(_HOME)


_FOUND = importlib.util.find_spec("mindspore")
_HOME = os.path.dirname(_FOUND.origin) + os.sep if _FOUND is not None and _FOUND.origin else "mindspore"


# ---- device and context ------------------------------------------------------------------------------------

_asked = {}


def _contexts():
    """``set_context`` for a device that is not here, or with keywords that are gone."""
    from mindspore import context

    set_context, get_context = context.set_context, context.get_context

    @functools.wraps(set_context)
    def adapted_set(**kwargs):
        target = kwargs.get("device_target")
        if target is not None:
            _asked["device_target"] = "Ascend" if target == "Davinci" else target
        if target in ("Ascend", "GPU", "Davinci"):
            _tell("device_target", "device_target=%r runs on CPU" % target)
            kwargs["device_target"] = "CPU"
        if kwargs.pop("enable_graph_kernel", False):
            _tell("enable_graph_kernel", "enable_graph_kernel=True is left off: no fused kernels on CPU")
        for key, value in kwargs.items():
            try:
                set_context(**{key: value})
            except (ValueError, RuntimeError) as error:
                if "not recognized" not in str(error) and "has been removed" not in str(error):
                    raise
                _tell("set_context(%s)" % key, "set_context(%s=...) is gone and left out" % key)

    @functools.wraps(get_context)
    def adapted_get(attr_key):
        if attr_key == "device_target":
            caller = sys._getframe(1)
            if not _from_mindspore(caller):
                return _asked.get(attr_key, get_context(attr_key))
            # MindSpore refuses its loss-scale cells on CPU; the branch of the GPU is made of operators that
            # the CPU has, `FloatStatus` apart, which `_overflow` supplies.
            if caller.f_code.co_name == "build_train_network" or (
                caller.f_code.co_filename.endswith("loss_scale.py") and caller.f_code.co_name == "__init__"
            ):
                return "GPU"
        return get_context(attr_key)

    _replace(set_context, adapted_set)
    _replace(get_context, adapted_get)


def _parallel():
    """One process: ``init()`` has nothing to join, and parallel modes are the stand-alone one."""
    from mindspore import communication, context
    from mindspore.communication import management

    def init(backend_name=None):
        _tell("init", "communication.init() joins nothing: one process, rank 0 of 1")

    def release():
        _tell("init", "communication.init() joins nothing: one process, rank 0 of 1")

    def create_group(group, rank_ids, options=None):
        _tell("create_group", "communication.create_group() makes no group: one process")

    for name, new in (("init", init), ("release", release), ("create_group", create_group)):
        _replace(getattr(management, name), new)
        setattr(communication, name, new)
    for name in ("get_rank", "get_local_rank", "get_group_size", "get_local_rank_size"):
        if hasattr(management, name):
            number = int("size" in name)
            _replace(getattr(management, name), lambda *args, _number=number, **kwargs: _number)
    setter = context.set_auto_parallel_context

    @functools.wraps(setter)
    def adapted(**kwargs):
        if "mirror_mean" in kwargs:
            _tell("mirror_mean", "set_auto_parallel_context(mirror_mean=...) is gradients_mean now")
            kwargs["gradients_mean"] = kwargs.pop("mirror_mean")
        mode = kwargs.get("parallel_mode", "stand_alone")
        if mode != "stand_alone" or kwargs.get("device_num", 1) != 1:
            _tell("parallel_mode", "parallel mode %r is stand_alone on one device" % mode)
        for key in ("parallel_mode", "device_num", "global_rank", "pipeline_stages", "full_batch",
                    "all_reduce_fusion_config", "enable_parallel_optimizer", "parameter_broadcast"):
            kwargs.pop(key, None)
        for key, value in kwargs.items():
            try:
                setter(**{key: value})
            except ValueError as error:
                if "not recognized" not in str(error):
                    raise
                _tell("set_auto_parallel_context(%s)" % key, "%s is gone and left out" % key)

    _replace(setter, adapted)


_COLLECTIVES = ("AllReduce", "AllGather", "ReduceScatter", "Broadcast", "NeighborExchange", "AlltoAll")


def _same(x):
    """What a collective operation of one rank gives."""
    return x


def _collectives():
    """Collective operations among one rank: each gives its input back."""
    from mindspore.ops import operations as P

    for name in _COLLECTIVES:
        old = getattr(P, name, None)
        if old is not None:
            _replace(old, _factory(name, _same, "ops.%s() of one rank gives its input" % name))


def _factory(name, function, text):
    """A class whose instances are ``function``: graph mode compiles functions as it does Primitives."""

    def __new__(cls, *args, **kwargs):
        _tell(name, text)
        return function

    return type(name, (), {"__new__": __new__, "__doc__": text})


# ---- overflow of gradients ---------------------------------------------------------------------------------


def _overflow():
    """``FloatStatus`` and the NPU's status operators, out of ``IsFinite``.

    The CPU keeps no overflow flag. Programs tie the status to the gradients with ``depend`` before they read
    it; from the first status on, ``depend`` of an 8-element status and a tuple of gradients adds the flag.
    """
    from mindspore.ops import operations as P

    _replace(P.FloatStatus, _factory("FloatStatus", float_status, "ops.FloatStatus() is made of IsFinite"))
    text = ("%s(): the status tells of nan and infinity in the gradients that depend() ties it to; "
            "the CPU keeps no flag")
    for name, function in (("NPUAllocFloatStatus", _alloc_status), ("NPUGetFloatStatus", _get_status),
                           ("NPUClearFloatStatus", _clear_status)):
        if hasattr(P, name):
            _replace(getattr(P, name), _status_factory(name, function, text % name))
    from mindspore.ops.operations import math_ops

    for name, function in (("NPUGetFloatStatusV2", _get_status), ("NPUClearFloatStatusV2", _clear_status)):
        if hasattr(math_ops, name):
            _replace(getattr(math_ops, name), _status_factory(name, function, text % name))


def _status_factory(name, function, text):
    made = _factory(name, function, text)

    def __new__(cls, *args, **kwargs):
        _tell(name, text)
        _watch_depend()
        return function

    made.__new__ = __new__
    return made


# What graph mode compiles: MindSpore's names have to be globals of this file by then.


def float_status(x):
    """[1.0] where ``x`` holds nan or infinity, else [0.0]."""
    finite = ops.ReduceAll()(ops.IsFinite()(x))
    return ops.Reshape()(1.0 - ops.Cast()(finite, mstype.float32), (1,))


def _alloc_status():
    return ops.Fill()(mstype.float32, (8,), 0.0)


def _get_status(status):
    return status


def _clear_status(status):
    return ops.ZerosLike()(status)


def _watch_depend():
    """Replace ``depend`` by one that adds the overflow of gradients to a status tied to them."""
    if "depend" in _asked:
        return
    from mindspore.ops import functional as F

    original = _asked["depend"] = F.depend
    globals()["_depend"] = original
    for module in list(sys.modules.values()):
        for key, value in list(getattr(module, "__dict__", {}).items()):
            if value is original and module.__name__ != __name__:
                setattr(module, key, depend)


def depend(value, expr):
    """``ops.depend``: ``value``, after ``expr``; a status of 8 elements with the overflow of gradients."""
    result = _depend(value, expr)
    if isinstance(value, Tensor) and isinstance(expr, (tuple, list)) and value.shape == (8,):
        flags = ops.HyperMap()(float_status, expr)
        result = result + ops.Cast()(ops.AddN()(flags), value.dtype)
    return result


def _loss_scale():
    """MindSpore's own loss-scale cells use the `FloatStatus` that their module made when it was imported."""
    module = _module("mindspore.nn.wrap.loss_scale")
    if module is None or not hasattr(module, "grad_overflow"):
        return
    module.grad_overflow = float_status
    cell = module.TrainOneStepWithLossScaleCell
    original = cell.__init__

    @functools.wraps(original)
    def __init__(self, *args, **kwargs):
        _tell("TrainOneStepWithLossScaleCell",
              "nn.TrainOneStepWithLossScaleCell looks for overflow as on a GPU, by IsFinite")
        original(self, *args, **kwargs)

    cell.__init__ = __init__


def _sens():
    """PyNative's gradient of an output of shape (1,) for a ``sens`` of shape (), which graph mode takes."""
    base = _module("mindspore.ops.composite.base")
    original = getattr(base, "_pynative_forward_run", None)
    if original is None:
        return

    @functools.wraps(original)
    def run(fn, sens_param, *args, **kwargs):
        given, out = original(fn, sens_param, *args, **kwargs)
        sens = given[-1] if sens_param and given else None
        both = isinstance(sens, Tensor) and isinstance(out, Tensor)
        if both and sens.shape != out.shape and sens.size == out.size:
            _tell("sens", "in PyNative mode, too, a sens of the output's size takes the output's shape")
            given = (*given[:-1], sens.reshape(out.shape))
        return given, out

    base._pynative_forward_run = run


# r1.x train cells: ``succ = False`` in one branch and ``succ = self.optimizer(grads)`` in the other.
_TWO_BRANCHES = re.compile(r"(\w+) = False\b[^\n]*\n(?:[^\n]*\n){0,3}?\s*\1 = self\.\w*opt\w*\(")


def _optimizers():
    """An optimizer's result is a bool again where a program joins it with ``False`` in a graph's branch."""
    from mindspore import nn

    original = nn.Optimizer.__init__

    @functools.wraps(original)
    def __init__(self, *args, **kwargs):
        original(self, *args, **kwargs)
        if "optimizer" not in _asked and _joined_with_false():
            _tell("optimizer's result", "optimizers give True, not a tuple: the program joins it with False")
            _asked["optimizer"] = True
        cls = type(self)
        if "optimizer" in _asked and cls.__module__.startswith("mindspore.") and "_update" not in vars(cls):
            cls._update, cls.construct = cls.construct, _construct

    nn.Optimizer.__init__ = __init__


def _construct(self, gradients):
    return ops.functional.depend(True, self._update(gradients))


def _joined_with_false():
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None) or ""
        if path.endswith(".py") and not path.startswith(_LIBRARIES):
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    if _TWO_BRANCHES.search(file.read()):
                        return True
            except OSError:
                continue
    return False


# ---- names and modules that releases dropped ---------------------------------------------------------------


# Operators under their first names, which have no kernels any more, at least in PyNative.
_RENAMED = {"GatherV2": "Gather", "Pack": "Stack", "Unpack": "Unstack", "TensorAdd": "Add", "Gelu": "GeLU",
            "FastGelu": "FastGeLU"}


def _renamed_operators():
    from mindspore.ops import operations as P

    for old, new in _RENAMED.items():
        if hasattr(P, old) and hasattr(P, new):
            _replace(getattr(P, old), _successor(old, getattr(P, new)))


def _successor(old, new):
    def __new__(cls, *args, **kwargs):
        _tell(old, "ops.%s() is ops.%s()" % (old, new.__name__))
        return new(*args, **kwargs)

    return type(old, (), {"__new__": __new__})


def _names():
    """Old names, found by the module's ``__getattr__`` when a program asks for them."""
    for module, entries in _old_names().items():
        found = _module(module)
        if found is not None:
            _on_demand(found, entries)


def _on_demand(module, entries):
    before = vars(module).get("__getattr__")

    def __getattr__(name):
        if name in entries:
            text, make = entries[name]
            _tell("%s.%s" % (module.__name__, name), "%s.%s is %s" % (module.__name__, name, text))
            setattr(module, name, make())
            return vars(module)[name]
        if before is not None:
            return before(name)
        raise AttributeError("module %r has no attribute %r" % (module.__name__, name))

    module.__getattr__ = __getattr__


def _old_names():
    """{module: {name: (what it is now, a function that makes it)}}."""
    import mindspore

    def function(name):
        return lambda: _ms_function if name == "ms_function" else mindspore.jit_class

    jit = {"ms_function": ("jit", function("ms_function")), "ms_class": ("jit_class", function("ms_class"))}
    order = "left out: graph mode keeps the order of side effects by itself"
    operators = {
        "ResizeBilinear": ("ResizeBilinearV2", lambda: _resize_bilinear),
        "ControlDepend": (order, lambda: _factory("ControlDepend", _no_order, "ControlDepend is left out")),
        "control_depend": (order, lambda: _no_order),
    }
    checks = {
        "Validator": ("this module", lambda: importlib.import_module("mindspore._checkparam")),
        "Rel": ("this module's constants", lambda: importlib.import_module("mindspore._checkparam")),
    }
    cells = {
        "ResizeBilinear": ("ops.interpolate's kernel, ResizeBilinearV2", _resize_cell),
        "GraphKernel": ("Cell", lambda: importlib.import_module("mindspore.nn").Cell),
    }
    old = {
        "mindspore": jit,
        "mindspore.common": jit,
        "mindspore.common.api": jit,
        "mindspore.ops": operators,
        "mindspore.ops.operations": operators,
        "mindspore.ops.functional": operators,
        "mindspore._checkparam": checks,
        "mindspore.nn": cells,
    }
    return {m: {n: e for n, e in names.items() if not hasattr(_module(m), n)} for m, names in old.items()}


def _ms_function(fn=None, obj=None, input_signature=None, hash_args=None, jit_config=None):
    """``ms_function`` of r1.x by ``jit``."""
    import mindspore

    return mindspore.jit(fn) if fn is not None else mindspore.jit


def _no_order(first, second):
    return second


def _resize_bilinear(size, align_corners=False, half_pixel_centers=False):
    """``ops.ResizeBilinear(size, ...)`` by the operator that takes the size when it is called."""
    from mindspore.ops import operations as P

    resize, size = P.image_ops.ResizeBilinearV2(align_corners, half_pixel_centers), tuple(size)

    def resized(x):
        return resize(x, size)

    return resized


def _resize_cell():
    """``nn.ResizeBilinear``."""
    from mindspore import nn
    from mindspore.ops import operations as P

    class ResizeBilinear(nn.Cell):
        """Resize images, by size or by a whole factor."""

        def __init__(self, half_pixel_centers=False):
            super(ResizeBilinear, self).__init__()
            self.corners = P.image_ops.ResizeBilinearV2(True, half_pixel_centers)
            self.centers = P.image_ops.ResizeBilinearV2(False, half_pixel_centers)

        def construct(self, x, size=None, scale_factor=None, align_corners=False):
            if size is None:
                size = (x.shape[2] * scale_factor, x.shape[3] * scale_factor)
            return self.corners(x, size) if align_corners else self.centers(x, size)

    return ResizeBilinear


class _Gone:
    """Import hook, asked last: modules that were dropped, or never belonged to MindSpore."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if fullname not in _MODULES:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(fullname, _Gone, is_package=fullname in ("moxing", "mindspore.nn.metrics"))

    @staticmethod
    def create_module(spec):
        text, make = _MODULES[spec.name]
        _tell(spec.name, "%s is %s" % (spec.name, text))
        return make(spec.name)

    @staticmethod
    def exec_module(module):
        pass


def _view(name, *sources, **own):
    """A module that has its own names, and otherwise those of ``sources``."""
    module = types.ModuleType(name)
    vars(module).update(own)

    def __getattr__(attribute):
        for source in sources:
            found = _module(source)
            if hasattr(found, attribute):
                return getattr(found, attribute)
        raise AttributeError("module %r has no attribute %r" % (name, attribute))

    module.__getattr__ = __getattr__
    return module


_TRANSFORMS = ("mindspore.dataset.transforms", "mindspore.dataset.transforms.transforms")
_VISION = tuple("mindspore.dataset.vision" + part for part in ("", ".transforms", ".utils"))


def _py_vision(name):
    """r1.x's Python image transforms: Decode gives a PIL image, Normalize takes channels first."""
    from mindspore.dataset import vision

    class Decode(vision.Decode):
        def __init__(self):
            super(Decode, self).__init__(to_pil=True)

    class Normalize(vision.Normalize):
        def __init__(self, mean, std):
            super(Normalize, self).__init__(mean, std, is_hwc=False)

    class NormalizePad(vision.NormalizePad):
        def __init__(self, mean, std, dtype="float32"):
            super(NormalizePad, self).__init__(mean, std, dtype, is_hwc=False)

    return _view(name, *_VISION, Decode=Decode, Normalize=Normalize, NormalizePad=NormalizePad)


def _py_transforms(name):
    from mindspore.dataset import transforms

    class OneHotOp(transforms.OneHot):
        """One-hot vectors as float64, whatever the smoothing."""

        def __init__(self, num_classes, smoothing_rate=0.0):
            super(OneHotOp, self).__init__(num_classes, smoothing_rate)

        def __call__(self, label):
            return np.asarray(super(OneHotOp, self).__call__(label)).astype(np.float64)

    return _view(name, *_TRANSFORMS, OneHotOp=OneHotOp)


def _moxing(name):
    """``moxing.file`` as copies between local folders."""

    def copy(source, target):
        os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
        shutil.copyfile(source, target)

    def copy_parallel(source, target, *args, **kwargs):
        if os.path.realpath(source) != os.path.realpath(target):
            shutil.copytree(source, target, dirs_exist_ok=True)

    def remove(path, recursive=False):
        shutil.rmtree(path) if recursive else os.remove(path)

    file = types.ModuleType("moxing.file")
    vars(file).update(
        copy=copy, copy_parallel=copy_parallel, exists=os.path.exists, is_directory=os.path.isdir,
        remove=remove, list_directory=lambda path, *a, **k: os.listdir(path), rename=os.rename,
        glob=glob.glob, File=open,
        make_dirs=functools.partial(os.makedirs, exist_ok=True), mk_dir=os.mkdir,
        set_auth=lambda *a, **k: None, shift=lambda *a, **k: None,
    )
    if name == "moxing.file":
        return file
    module = types.ModuleType("moxing")
    module.file = sys.modules["moxing.file"] = file
    return module


_METRICS = ("mindspore.train.metrics.metric", "mindspore.train.metrics", "mindspore.train")
_LOCAL = "absent here; local file copies stand in"
_MODULES = {
    "mindspore.dataset.transforms.c_transforms": ("dataset.transforms", lambda n: _view(n, *_TRANSFORMS)),
    "mindspore.dataset.transforms.py_transforms": ("dataset.transforms", _py_transforms),
    "mindspore.dataset.vision.c_transforms": ("dataset.vision", lambda n: _view(n, *_VISION)),
    "mindspore.dataset.vision.py_transforms": ("dataset.vision, PIL images and channels first", _py_vision),
    "mindspore.dataset.transforms.vision.c_transforms": ("dataset.vision", lambda n: _view(n, *_VISION)),
    "mindspore.dataset.transforms.vision.py_transforms": ("dataset.vision", _py_vision),
    "mindspore.dataset.transforms.vision": ("dataset.vision", lambda n: _view(n, *_VISION)),
    "mindspore.nn.metrics": ("train.metrics", lambda n: _view(n, *_METRICS)),
    "mindspore.nn.metrics.metric": ("train.metrics.metric", lambda n: _view(n, *_METRICS)),
    "mindspore.profiler.profiling": ("profiler", lambda n: _view(n, "mindspore.profiler")),
    "moxing": (_LOCAL, _moxing),
    "moxing.file": (_LOCAL, _moxing),
}


# ---- keywords that releases dropped ------------------------------------------------------------------------


def _keywords():
    """Old spellings of arguments, put into today's words."""
    from mindspore import dataset as ds

    base = _module("mindspore.dataset.engine.datasets")
    base = getattr(base, "Dataset", None)
    if base is not None:
        _rewrite(base, "map", _map_columns)
        _rewrite(base, "batch", _batch_padding)
    if hasattr(ds, "MindDataset"):
        _rewrite(ds.MindDataset, "__init__", _renamed("ds.MindDataset", dataset_file="dataset_files"))
    jit = importlib.import_module("mindspore").jit

    @functools.wraps(jit)
    def adapted(function=None, *args, **kwargs):
        function = kwargs.pop("fn", function)
        for key in ("mode", "input_signature", "hash_args", "jit_config", "compile_once"):
            if key in kwargs:
                del kwargs[key]
                _tell("jit(%s)" % key, "jit(%s=...) is gone and left out" % key)
        return jit(function, *args, **kwargs)

    try:
        import inspect

        if "input_signature" not in inspect.signature(jit).parameters:
            _replace(jit, adapted)
    except (TypeError, ValueError):
        pass


def _rewrite(cls, name, change):
    """Call ``cls.name`` through ``change(call, self, args, kwargs)``."""
    original = getattr(cls, name)

    @functools.wraps(original)
    def method(self, *args, **kwargs):
        return change(functools.partial(original, self), args, kwargs)

    setattr(cls, name, method)


def _renamed(where, **names):
    def change(call, args, kwargs):
        for old, new in names.items():
            if old in kwargs:
                _tell("%s(%s)" % (where, old), "%s(%s=...) is %s now" % (where, old, new))
                kwargs[new] = kwargs.pop(old)
        return call(*args, **kwargs)

    return change


def _map_columns(call, args, kwargs):
    order = kwargs.pop("column_order", None)
    result = call(*args, **kwargs)
    if order is None:
        return result
    _tell("map(column_order)", "Dataset.map(column_order=...) is a project() after it now")
    return result.project(order)


def _batch_padding(call, args, kwargs):
    if "pad_info" not in kwargs:
        return call(*args, **kwargs)
    _tell("batch(pad_info)", "Dataset.batch(pad_info=...) is padded_batch() now")
    return call.args[0].padded_batch(*args, **kwargs)


# ---- numpy -------------------------------------------------------------------------------------------------

_NUMPY = {"int": int, "float": float, "bool": bool, "object": object, "complex": complex, "str": str,
          "long": int, "unicode": str}
_LIBRARIES = tuple({sysconfig.get_path(k) for k in ("stdlib", "platstdlib", "purelib", "platlib")})


def _numpy_aliases():
    """numpy's names for Python's types, gone since 1.24; for the program's own files alone."""
    before = vars(np).get("__getattr__")

    def __getattr__(name):
        if name in _NUMPY and not sys._getframe(1).f_code.co_filename.startswith((*_LIBRARIES, "<frozen")):
            _tell("np.%s" % name, "np.%s is Python's %s" % (name, _NUMPY[name].__name__))
            return _NUMPY[name]
        if before is not None:
            return before(name)
        raise AttributeError("module 'numpy' has no attribute %r" % name)

    np.__getattr__ = __getattr__


def _under_a_name():
    """This file as a module of its own. The program takes the name ``__main__`` from it, and graph mode looks
    for a function's globals in the module of the function's name."""
    spec = importlib.util.spec_from_file_location("ms2torch_reference_adapter", os.path.abspath(__file__))
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    _under_a_name().main(sys.argv[1:])
