"""What the recorder asks of MindSpore, or of what stands in for it; torch_frame.py answers for PyTorch."""

from __future__ import annotations

import contextlib
import functools
import os
import sys

import numpy as np

# MindSpore's optimizers' numbers -> PyTorch's names.
SETTINGS = {"eps": "eps", "epsilon": "eps", "beta1": "beta1", "beta2": "beta2", "momentum": "momentum",
            "weight_decay": "weight_decay", "decay": "alpha", "dampening": "dampening",
            "use_nesterov": "nesterov", "nesterov": "nesterov", "use_amsgrad": "amsgrad"}

# Level op: Tensor's operators, and methods that compute nothing.
_SIGNS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")
_OPERATORS = {"__" + name + "__" for name in _SIGNS} | {"__r" + name + "__" for name in _SIGNS} | {
    "__neg__", "__invert__", "__abs__", "__getitem__",
    "__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"}
NOT_OPERATORS = ("asnumpy", "numpy", "tolist", "item", "dim", "ndimension", "setdata", "assignvalue",
                  "setdtype", "initdata", "registerhook", "torch", "value", "dtype", "shape", "rank", "size",
                  "depend", "istensor", "isfloatingpoint", "identity")

# Operators that draw random numbers, without underscores.
_RANDOM = {"rand", "randn", "randint", "randperm", "randlike", "randnlike", "randintlike", "standardnormal",
           "standardlaplace", "uniform", "uniformreal", "uniformint", "normal", "gamma", "poisson", "laplace",
           "randompoisson", "randomgamma", "randomcategorical", "multinomial", "bernoulli", "truncatednormal",
           "multinomialwithreplacement", "shuffle", "randomshuffle", "dropout", "dropout1d", "dropout2d",
           "dropout3d", "choicewithmask", "randomchoicewithmask"}

# Modules whose Cells only put a program's own Cells together.
_COMPOSED = (".container", ".wrap", ".train.", ".layer.transformer", ".boost.")


class MindSpore:
    """What the recorder asks of the framework; torch_frame.py answers the same for PyTorch."""

    names_are_paths = False

    def __init__(self):
        import mindspore
        from mindspore import context, nn, ops

        self.module, self.context, self.ops = mindspore, context, ops
        ours = mindspore.__name__ == "ms2torch"
        self.side = "ms2torch" if ours else "mindspore"
        self.version = str(mindspore.__version__)
        if ours:
            from ms2torch import _version

            self.api, self.version = self.version, _version.__version__
        else:
            self.api = ".".join(self.version.split(".")[:2])
        self.dtypes = {}  # their names
        # What is replaced to see operators, (where, name, old, new), and whether it is.
        self.seen, self.looking = [], True
        self.tensor, self.parameter, self.cell = mindspore.Tensor, mindspore.Parameter, nn.Cell
        self.several = nn.CellList  # what holds the rates of groups that have schedules of their own
        places = ("nn", "experimental.optim", "experimental.optim.optimizer", "mint.optim.optimizer")
        self.optimizers = tuple(_found(*[("mindspore." + place, "Optimizer") for place in places]))

    body = "construct"

    def dtype(self, value):
        dtype = value.dtype
        found = self.dtypes.get(dtype)
        if found is None:
            found = self.dtypes[dtype] = str(dtype).lower()
        return found

    def name(self, parameter):
        return parameter.name

    def assign(self, parameter, value):
        parameter.set_data(value)

    def array(self, value):
        dtype = self.dtype(value)
        if dtype == "bfloat16":
            wide = value.astype(self.module.float32).asnumpy().view(np.uint32)
            return (wide >> 16).astype(np.uint16), dtype
        return np.asarray(value.asnumpy()), dtype

    def tensor_of(self, array, like):
        return self.module.Tensor(array, like.dtype)

    def differentiable(self, value):
        return self.dtype(value).startswith(("float", "bfloat", "complex"))

    def asked_for(self, value):
        """Whether the program differentiates by a Tensor now, as far as it can be told."""
        return getattr(getattr(value, "_t", None), "requires_grad", False)

    def watched(self, value, arrived):
        def hook(gradient):
            return arrived(gradient[0] if isinstance(gradient, tuple) else gradient)

        return self.ops.HookBackward(hook)(value)

    def mode(self):
        return "graph" if self.context.get_context("mode") == self.context.GRAPH_MODE else "pynative"

    def differentiates(self):
        """Whether a gradient function runs in graph mode. The real one is a graph, which calls no Cell; that
        of ms2torch calls them as they are written."""
        if self.side != "ms2torch" or self.mode() != "graph":
            return False
        from ms2torch._core import mode

        return mode.differentiation is not None

    def compiled(self, owner):
        if isinstance(owner, self.cell):
            return self.mode() == "graph" and not isinstance(owner, self.optimizers)
        return True

    def title(self, owner):
        return type(owner).__name__ if isinstance(owner, self.cell) else owner.__name__

    def tree(self, owner):
        return list(owner.cells_and_names()) if isinstance(owner, self.cell) else [("", owner)]

    def has_parts(self, owner):
        """Whether there are Cells or Parameters in a Cell. What a function refers to may come later."""
        return not isinstance(owner, self.cell) or any(True for _ in owner.get_parameters()) or any(
            True for _ in owner.cells())

    def is_layer(self, cell):
        """Whether a Cell is a layer of MindSpore's own: what it is made of differs between releases."""
        module = type(cell).__module__
        return module.startswith(("mindspore.", "ms2torch.")) and not any(p in module for p in _COMPOSED)

    def own_gradient(self, cell):
        """Whether a Cell has a ``bprop`` of its own."""
        return bool(getattr(cell, "has_bprop", False))

    def casts(self, cell):
        """Whether a Cell casts its inputs before `construct`: ms2torch's do under ``to_float``, the real ones
        within it."""
        return self.side == "ms2torch" and cell._float is not None

    def drops(self, cell):
        """Whether a Cell is a Dropout layer."""
        return self.is_layer(cell) and type(cell).__name__.startswith("Dropout")

    def kept(self, value):
        """The mask that a Dropout drew, as its output shows it."""
        return self.module.Tensor(self.array(value)[0] != 0)

    def hidden(self, cell):
        """Whether a Cell is how MindSpore wrote an operator (``ops.clip_by_global_norm`` is one)."""
        return type(cell).__module__.startswith(("mindspore.ops", "ms2torch.ops"))

    def around(self, owner):
        """A Cell that is called is a root, whatever holds it: its Parameters have names of their own."""
        return owner

    def trained(self, owner):
        return any(p.requires_grad for p in self.parameters(owner))

    def parameters(self, owner):
        cells = [owner] if isinstance(owner, self.cell) else _referenced(owner, self.cell)
        return [p for cell in cells for p in cell.get_parameters()]

    def held_by(self, cell):
        """The Parameters that a Cell holds itself."""
        held = isinstance(cell, self.cell) and not isinstance(cell, self.optimizers)
        return cell.get_parameters(expand=False) if held else ()

    def optimizers_in(self, owner):
        if isinstance(owner, self.cell):
            return [cell for _, cell in owner.cells_and_names() if isinstance(cell, self.optimizers)]
        return _referenced(owner, self.optimizers)

    def weights(self, optimizer):
        found = getattr(optimizer, "parameters", None)
        return list(found() if callable(found) else found or ())

    def state(self, optimizer):
        weights = {id(p) for p in self.weights(optimizer)}
        return [p for p in optimizer.get_parameters() if id(p) not in weights]

    def kept_for(self, state, optimizer):
        """(kind, weight) of an optimizer's state, by its name: ``moment1.fc.weight``. Both may have another
        name before them by now (``update_parameters_name``), and the weight alone that of a Cell that was put
        around the network since. (its name, None) of a state that belongs to no weight."""
        parts = self.name(state).split(".")
        named = {self.name(p): p for p in self.weights(optimizer)} if len(parts) > 1 else {}
        for i, kind in enumerate(parts[:-1]):
            weight = named.get(".".join(parts[:i] + parts[i + 1:]))
            if weight is not None:
                return kind, weight
        end = "." + ".".join(parts[1:])
        longer = next((p for name, p in named.items() if name.endswith(end)), None)
        return (".".join(parts) if longer is None else parts[0]), longer

    def settings(self, optimizer):
        """The numbers that an optimizer was made with, under PyTorch's names for them."""
        found = {}
        for name, shown in SETTINGS.items():
            value = getattr(optimizer, name, None)
            if isinstance(value, self.tensor):
                value = value.asnumpy().reshape(-1)[0]
            if isinstance(value, (int, float, np.number, np.bool_)):
                found[shown] = float(value)
        return found

    def rates(self, optimizer):
        """The learning rates that the next update uses, by name."""
        groups = getattr(optimizer, "param_groups", None)
        if groups is not None and not hasattr(optimizer, "learning_rate"):
            return [("learning_rate", g["lr"]) for g in groups if isinstance(g.get("lr"), self.tensor)]
        given = getattr(optimizer, "learning_rate", None)
        distinct = []
        for rate in given if isinstance(given, (tuple, list, self.several)) else [given]:
            if rate is not None and not any(rate is other for other in distinct):
                distinct.append(rate)
        shown = []
        for rate in distinct:
            if isinstance(rate, self.cell):
                rate = rate(optimizer.global_step)
            if isinstance(rate, self.tensor):
                shown.append(("learning_rate", rate))
        return shown

    @contextlib.contextmanager
    def stepping(self, optimizer):
        """MindSpore's own optimizers step in graphs of theirs also where the program's code is run as it is
        written: a graph's numbers are of 32 bits, 1 - 0.999 another one than Python's."""
        before = os.environ.get("MS_JIT")
        if before == "0" and self.is_layer(optimizer):
            os.environ["MS_JIT"] = "1"
        try:
            yield
        finally:
            if before is not None:
                os.environ["MS_JIT"] = before

    def install(self, recorder):
        """Route calls through ``recorder``."""
        original = self.cell.__call__

        def __call__(cell, *args, **kwargs):
            if recorder.blind():
                return original(cell, *args, **kwargs)
            return recorder.call(cell, lambda a, k: original(cell, *a, **k), args, kwargs)

        self.cell.__call__ = __call__
        if not recorder.options.pynative:
            self._see_compiled(recorder)
        if recorder.options.pynative:
            self._see_operators(recorder)
        for scaler in _found(("mindspore.amp", "DynamicLossScaler"), ("mindspore.amp", "StaticLossScaler")):
            self._see_made(scaler, recorder.scalers)
        for optimizer in self.optimizers:
            self._see_made(optimizer, recorder.made_optimizers)
        if recorder.options.pynative:
            self.set_context = self.context.set_context
            self.set_context(mode=self.context.PYNATIVE_MODE)
            _replace(self.set_context, self._pynative_only)
            if recorder.options.compiled:
                self.look(1 in recorder.options.refeed)

    def look(self, into):
        """Run what follows as it is written, its operators seen, or as MindSpore's graphs, which know their
        own operators only."""
        if into == self.looking:
            return
        self.looking = into
        os.environ["MS_JIT"] = "0" if into else "1"
        self.set_context(mode=self.context.PYNATIVE_MODE if into else self.context.GRAPH_MODE)
        for holder, name, original, watched in self.seen:
            if into or original is not None:
                setattr(holder, name, watched if into else original)
            else:
                delattr(holder, name)  # it was a base class's
        # The program may have names of its own for functions.
        others = {id(old if into else new): new if into else old for _, _, old, new in self.seen}
        for name, module in list(sys.modules.items()):
            if name.split(".")[0] not in ("mindspore", "ms2torch"):
                for key, value in list(getattr(module, "__dict__", {}).items()):
                    if id(value) in others:
                        setattr(module, key, others[id(value)])

    def _see_operators(self, recorder):
        """Functions, Primitives, and Tensor's methods and operators that the program's own lines call."""
        import importlib

        home = os.path.dirname(os.path.abspath(self.module.__file__)) + os.sep
        helpers = os.path.dirname(os.path.abspath(__file__)) + os.sep

        def seen(function, name):
            @functools.wraps(function)  # MindSpore's amp reads the source of what a network calls
            def called(*args, **kwargs):
                frame = sys._getframe(1)
                path = frame.f_code.co_filename
                if path.startswith((home, helpers)):
                    return function(*args, **kwargs)
                shown, run = name or args[0].name, function
                if recorder.wants_draws() and is_random(shown):
                    def run(*args, **kwargs):
                        return recorder.draw(shown, function, args, kwargs)
                if not recorder.wants_operators():
                    return run(*args, **kwargs)
                line = "%s:%d" % (os.path.basename(path), frame.f_lineno)
                owner = frame.f_locals.get("self") if frame.f_code.co_name == "bprop" else None
                return recorder.operator(shown, run, args, kwargs, line, owner)

            return called

        def watch(holder, name, watched):
            self.seen.append((holder, name, vars(holder).get(name), watched))
            setattr(holder, name, watched)

        def is_random(name):
            return name.rpartition(".")[2].replace("_", "").lower() in _RANDOM

        for place in ("ops", "ops.functional", "mint", "mint.nn.functional", "numpy"):
            try:
                module = importlib.import_module("mindspore." + place)
            except ImportError:
                continue
            for name, value in list(vars(module).items()):
                if name[0] != "_" and not isinstance(value, type) and hasattr(value, "__code__"):
                    watch(module, name, seen(value, place.replace(".functional", "") + "." + name))
        classes = [self.ops.Primitive]
        for kind in classes:
            classes += [c for c in kind.__subclasses__() if c not in classes]
            if "__call__" in vars(kind):
                watch(kind, "__call__", seen(vars(kind)["__call__"], None))
        for name in dir(self.tensor):
            value = getattr(self.tensor, name)
            if callable(value) and (name in _OPERATORS or not name.startswith("_")):
                watch(self.tensor, name, seen(value, "Tensor." + name))

    def _see_compiled(self, recorder):
        """Compiled functions are outermost calls, too. In MindSpore a class runs them, whatever its name."""
        places = [(m, n) for m in ("mindspore.common.api", "mindspore.graph.api")
                  for n in ("_JitExecutor", "_MindsporeFunctionExecutor")]
        executors = _found(*places)
        for executor in executors:
            self._see_functions(executor, recorder)
        for name in () if executors else ("jit", "ms_function"):
            _replace(getattr(self.module, name, None), lambda old: _seen(old, recorder))

    @staticmethod
    def _see_functions(executor, recorder):
        original = executor.__call__

        def __call__(compiled, *args, **kwargs):
            if (getattr(compiled.fn, "__module__", None) or "").startswith("mindspore."):
                return original(compiled, *args, **kwargs)
            return recorder.call(compiled.fn, lambda a, k: original(compiled, *a, **k), args, kwargs)

        executor.__call__ = __call__

    @staticmethod
    def _see_made(kind, made):
        """Put each instance that is made of a class into a list."""
        original = kind.__init__

        def __init__(self, *args, **kwargs):
            original(self, *args, **kwargs)
            if not any(self is other for other in made):
                made.append(self)

        kind.__init__ = __init__

    @staticmethod
    def _pynative_only(set_context):
        def without_mode(*args, **kwargs):
            kwargs.pop("mode", None)
            return set_context(*args, **kwargs)

        return without_mode

    def seed(self, seed):
        self.module.set_seed(seed)


def _found(*places):
    """The classes that exist among (module, name)."""
    import importlib

    classes = []
    for module, name in places:
        try:
            found = getattr(importlib.import_module(module), name, None)
        except Exception:  # what a release lacks, in whichever way it says so
            continue
        if isinstance(found, type) and found not in classes:
            classes.append(found)
    return classes


def _replace(old, change):
    """Put ``change(old)`` everywhere where MindSpore's modules hold the object ``old``."""
    if old is None:
        return
    new = change(old)
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("mindspore", "ms2torch"):
            for key, value in list(vars(module).items()):
                if value is old:
                    setattr(module, key, new)


def _seen(jit, recorder):
    """``jit`` whose functions are seen as calls (where it gives the function itself back)."""
    def marked(function):
        if not callable(function) or isinstance(function, recorder.cell) or function.__name__ == "construct":
            return function

        @functools.wraps(function)
        def called(*args, **kwargs):
            return recorder.call(function, lambda a, k: function(*a, **k), args, kwargs)

        return called

    @functools.wraps(jit)
    def with_arguments(*args, **kwargs):
        made = jit(*args, **kwargs)
        given = args[0] if args else kwargs.get("function", kwargs.get("fn"))
        return marked(made) if given is not None else (lambda function: marked(made(function)))

    return with_arguments


def _referenced(function, kinds, depth=3, seen=None):
    """Objects of type ``kinds`` that a function reaches by closure, globals, or its ``self``'s attributes."""
    seen = set() if seen is None else seen
    found, values = [], []
    owner = getattr(function, "__self__", None)
    values += list(getattr(owner, "__dict__", {}).values())
    function = getattr(function, "__func__", function)
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    if code is None or id(code) in seen or depth == 0:
        return found
    seen.add(id(code))
    # A gradient function's own layers are no steps of the program's, and its module's globals not its values.
    library = (getattr(function, "__module__", None) or "").startswith(("mindspore", "ms2torch"))
    codes, depth = ([], depth + 1) if library else ([code], depth)
    for cell in function.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:
            continue
        if library and type(values[-1]).__module__.startswith("ms2torch"):
            values += list(getattr(values[-1], "__dict__", {}).values())  # what a gradient is asked of
    while codes:
        code = codes.pop()
        values += [function.__globals__[n] for n in code.co_names if n in function.__globals__]
        codes += [c for c in code.co_consts if hasattr(c, "co_names")]
    for value in values:
        if isinstance(value, kinds):
            new = [value]
        elif hasattr(value, "__code__") or hasattr(value, "__wrapped__") or hasattr(value, "__func__"):
            new = _referenced(value, kinds, depth - 1, seen)
        else:
            continue
        found += [n for n in new if not any(n is f for f in found)]
    return found
