"""Names and modules that releases dropped, as what they are now."""

from __future__ import annotations

import functools
import glob
import importlib
import os
import shutil
import sys
import types

import numpy as np

from .places import class_around, module_of, replace, report_adaptation

# Operators under their first names, which have no kernels any more, at least in PyNative.
RENAMED = {"GatherV2": "Gather", "Pack": "Stack", "Unpack": "Unstack", "TensorAdd": "Add", "Gelu": "GeLU",
            "FastGelu": "FastGeLU"}


def adapt():
    """Adapt operators and names that are gone."""
    _renamed_operators()
    _names()


def modules():
    """Have modules that are gone found."""
    for name in MODULES:  # a module that stands where a package was gets room for submodules
        parent = name.rpartition(".")[0]
        parent = module_of(parent) if parent.startswith("mindspore") else None
        if parent is not None and not hasattr(parent, "__path__"):
            parent.__path__ = []
    sys.meta_path.append(Gone)


def _renamed_operators():
    from mindspore.ops import operations as P

    for old, new in RENAMED.items():
        if hasattr(P, old) and hasattr(P, new):
            replace(getattr(P, old), _successor(old, getattr(P, new)))


def _successor(old, new):
    def __new__(cls, *args, **kwargs):
        report_adaptation(old, "ops.%s() is ops.%s()" % (old, new.__name__))
        return new(*args, **kwargs)

    return type(old, (), {"__new__": __new__})


def _names():
    """Old names, found by the module's ``__getattr__`` when a program asks for them."""
    for module, entries in old_names().items():
        found = module_of(module)
        if found is not None:
            _on_demand(found, entries)


def _on_demand(module, entries):
    before = vars(module).get("__getattr__")

    def __getattr__(name):
        if name in entries:
            text, make = entries[name]
            path = "%s.%s" % (module.__name__, name)
            report_adaptation(path, "%s is %s" % (path, text))
            setattr(module, name, make())
            return vars(module)[name]
        if before is not None:
            return before(name)
        raise AttributeError("module %r has no attribute %r" % (module.__name__, name))

    module.__getattr__ = __getattr__


def old_names():
    """{module: {name: (what it is now, a function that makes it)}}."""
    import mindspore

    def function(name):
        return lambda: _ms_function if name == "ms_function" else mindspore.jit_class

    jit = {"ms_function": ("jit", function("ms_function")), "ms_class": ("jit_class", function("ms_class"))}
    order = "left out: graph mode keeps the order of side effects by itself"
    operators = {
        "ResizeBilinear": ("ResizeBilinearV2", lambda: _resize_bilinear),
        "ControlDepend": (
            order, lambda: class_around("ControlDepend", _no_order, "ControlDepend is left out")),
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
    return {m: {n: e for n, e in names.items() if not hasattr(module_of(m), n)} for m, names in old.items()}


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


class Gone:
    """Import hook, asked last: modules that were dropped, or never belonged to MindSpore."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if fullname not in MODULES:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(fullname, Gone, is_package=fullname in ("moxing", "mindspore.nn.metrics"))

    @staticmethod
    def create_module(spec):
        text, make = MODULES[spec.name]
        report_adaptation(spec.name, "%s is %s" % (spec.name, text))
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
            found = module_of(source)
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
MODULES = {
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
