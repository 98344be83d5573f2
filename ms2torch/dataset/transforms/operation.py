"""What transforms are made of: one `_compute` over arrays, called on its own or inside ``map``.

MindSpore has two sides: C++ operations over arrays, and Python ones over PIL images. A transform here has
`_compute` for arrays, `_execute_py` for PIL images, or both; the input decides, as it does there. Random
transforms draw from a Mersenne twister that starts from the pipeline's seed: once for a pipeline, and anew at
each call outside of one.
"""

from __future__ import annotations

import sys
import types
import typing

import numpy as np

from ms2torch._core.checks.error_wrappers import wrap_class
from ms2torch._core.errors import unsupported
from ms2torch._core.random.engines import MT19937
from ms2torch._core.tensor.printing import plain_repr

from ..core import config
from ..core.errors import (
    UserCodeError,
    not_constructed,
    operation_failed,
    pipeline_error,
    unexpected_error,
    user_stack,
)
from .py_transforms_util import Implementation
from .validators import check_transforms


class OperationError(Exception):
    """A transform refuses its input.

    The text is MindSpore's, and so is the ``kind`` that its error opens with.
    """

    def __init__(self, text: str, *kind: str) -> None:
        super().__init__(text)
        self.kind = kind

    def eager(self):
        """As the error of a call outside a pipeline."""
        return self._worded(str(self))

    def in_pipeline(self, name: str):
        """As the error of ``map``."""
        return self._worded(f"map operation: [{name}] failed. {self}")

    def _worded(self, text: str):
        return unexpected_error(text) if "[Internal ERROR]" in text else pipeline_error(text, *self.kind)


def is_pil(image) -> bool:
    """Whether it is a PIL image, without importing PIL."""
    pil = sys.modules.get("PIL.Image")
    return pil is not None and isinstance(image, pil.Image)


class TensorOperation:
    """Base of transforms over arrays (``mindspore.dataset.transforms.transforms.TensorOperation``)."""

    __repr__ = plain_repr

    implementation = None
    random = False
    one_to_one = True                    # takes exactly one column
    alike = False                        # takes several arrays, and does the same to all of them
    threads = True                       # is fast enough outside of Python's lock for threads to pay
    _whole = ()                          # attributes that C++ takes as 32-bit ints, unlooked at before
    _pipeline_name = None                # what a pipeline's errors call it, where that is not its own name
    _refuse = None                       # raises for an array that the transform cannot take

    def __new__(cls, *args, **kwargs):
        one = object.__new__(cls)
        one._made_with = args, kwargs                # what `dataset.serialize` writes down
        return one

    def __init__(self):
        self.device_target = "CPU"

    def __init_subclass__(cls, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        wrap_class(cls)

    def __call__(self, *inputs):
        """Apply to an array (or list, number, PIL image), outside a pipeline."""
        self._check_whole()
        if type(self).implementation is Implementation.PY:
            self._check_one(inputs)
        elif not inputs:
            raise pipeline_error("Input Tensor is not valid.\n")
        columns = [x if is_pil(x) else _given(x) for x in inputs]
        if self.implementation is not Implementation.PY and any(getattr(x, "size", 1) == 0 for x in columns):
            raise pipeline_error("Input Tensor has no data.\n")
        try:
            result = self._opened()(*columns)
        except OperationError as error:
            raise error.eager() from None
        if isinstance(result, tuple):
            made: list = []
            for x in result:
                made.append(_plain(x, columns + made))
            return tuple(made)
        return _plain(result, columns)

    def _check_whole(self) -> None:
        """What pybind says where an attribute that C++ takes as a 32-bit int is none; MindSpore makes the
        operation of C++ when the transform is used."""
        for name in self._whole:
            given = getattr(self, name)
            for value in given if isinstance(given, list) else (given,):
                if not isinstance(value, (int, np.integer)) or not -2 ** 31 <= value < 2 ** 31:
                    raise not_constructed(value)

    @staticmethod
    def _check_one(inputs: tuple) -> None:
        if len(inputs) != 1:
            raise TypeError("PyTensorOperation.__call__() " + (
                f"takes 2 positional arguments but {len(inputs) + 1} were given" if inputs else
                "missing 1 required positional argument: 'img'"))

    def _compute(self, *columns):
        """The transform over arrays, where it is not random."""
        raise NotImplementedError(f"{type(self).__name__} has to implement _compute() or __call__().")

    def _opened(self):
        """The transform as a function, with its random stream (if any) started."""
        self._check_whole()
        compute = self._compute
        pil, refuse = getattr(self, "_execute_py", None), self._refuse
        if not self.one_to_one:
            return compute

        def run(*columns):
            if len(columns) != 1 and self.alike:
                columns = tuple(map(_array, columns))
                for column in columns if refuse is not None else ():
                    refuse(column)
                return compute(*columns)
            if len(columns) != 1:
                raise OperationError("The op is OneToOne, can only accept one tensor as input.")
            column = columns[0]
            if pil is not None and is_pil(column):
                return pil(column)
            if type(column) is not np.ndarray:
                column = _array(column)
            if refuse is not None:
                refuse(column)
            return compute(column)

        return run

    def parse(self):
        """Not supported: MindSpore gives its compiled operation, and there is none here."""
        raise unsupported(f"mindspore.dataset {type(self).__name__}.parse",
                          "there is no compiled operation here.", "call the transform, or give it to map().")

    def device(self, device_target="CPU"):
        """Choose where to compute in MindSpore; here it is always the CPU."""
        from ..core.validator_helpers import check_valid_str
        check_valid_str(device_target, ["CPU", "Ascend"], "device_target")
        self.device_target = device_target
        return self


wrap_class(TensorOperation)


class RandomOperation(TensorOperation):
    """A transform over arrays that draws.

    Where drawing can be told from computing there are `_choose` and `_apply`, so that `map` can draw in the
    order of the rows and compute several rows at once; others have `_draw`, in the place of `_compute`.
    """

    random = True
    _choose = None

    def _apply(self, chosen, column):
        """The transform over an array with what ``_choose(stream, column)`` gave."""
        raise NotImplementedError

    def _draw(self, stream: MT19937, *columns):
        """The transform over arrays, drawing from ``stream``."""
        if len(columns) > 1 and self.alike:
            chosen = self._choose(stream, columns[0])
            return tuple(self._apply(chosen, column) for column in columns)
        return self._apply(self._choose(stream, *columns), *columns)

    def _opened(self):
        stream = MT19937(config.drawing_seed())
        opened = object.__new__(type(self))
        opened.__dict__.update(self.__dict__)
        opened._compute = lambda *columns: self._draw(stream, *columns)
        run = TensorOperation._opened(opened)
        run.stream = stream
        return run


class PyTensorOperation:
    """Base of transforms in Python over PIL images (``...transforms.transforms.PyTensorOperation``)."""

    __repr__ = plain_repr

    implementation = Implementation.PY
    random = False

    def __init_subclass__(cls, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        wrap_class(cls)

    def __new__(cls, *args, **kwargs):
        one = object.__new__(cls)
        one._made_with = args, kwargs
        return one

    def __init__(self):
        self.transforms = []
        self.output_type = None

    def __call__(self, img):
        return self._execute_py(img)


class Compose(TensorOperation):
    """Transforms in order, as one (``mindspore.dataset.transforms.Compose``).

    Functions may stand among them. Called directly with a transform of PIL images in it, the result is a
    tuple, also of one image.
    """

    one_to_one = False

    def __init__(self, transforms):
        check_transforms(transforms)
        super().__init__()
        self.transforms = Compose.decompose(transforms)

    def __call__(self, *args):
        python = any(isinstance(one, PyTensorOperation) or
                     getattr(one, "implementation", None) is Implementation.PY for one in self.transforms)
        if not args and not python:
            raise pipeline_error("Input Tensor is not valid.\n")
        if not args:
            raise TypeError("Compose was called without an image. Fix invocation (avoid it being invoked as "
                            "Compose([...])()).")
        # Python hands on what it is given; elsewhere MindSpore makes arrays of it, and of each result.
        python = python or any(map(is_pil, args))
        if not python:
            args = tuple(map(_array, args))
        for transform in self.transforms:
            args = transform(*args)
            args = args if isinstance(args, tuple) else (args,)
            if not python:
                args = tuple(map(_result, args))
        return args if python or len(args) != 1 else args[0]

    @staticmethod
    def decompose(operations) -> list:
        """The transforms with every Compose among them (at any depth) opened up."""
        flat = []
        for operation in operations:
            flat.extend(Compose.decompose(operation.transforms) if isinstance(operation, Compose)
                        else [operation])
        return flat

    def _opened(self):
        steps = [_opened(transform) for transform in self.transforms]

        def run(*columns):
            for step in steps:
                columns = step(*columns)
                columns = columns if isinstance(columns, tuple) else (columns,)
            return columns[0] if len(columns) == 1 else columns

        return run


def opened(transform):
    """A transform within another one as a function, with its random stream started, which is the same in
    each worker of ``map``."""
    with config.drawing_as(0):
        return _opened(transform)


def _opened(transform):
    """A transform or a function as a function, with its random stream started."""
    return transform._opened() if _is_ours(transform) else transform


def _run_of(run, later: bool):
    """`step` of several transforms that one table does (see `vision._tables`)."""
    steps = [step(one, later=later or number > 0) for number, one in enumerate(run.operations)]

    def apply(*columns):
        if len(columns) == 1:
            table = run.table(columns[0]) if type(columns[0]) is np.ndarray else None
            if table is not None:
                return run.by_table(table, columns[0])
        for one in steps:
            columns = one(*columns)
            columns = columns if type(columns) is tuple else (columns,)
        return columns[0] if len(columns) == 1 else columns

    apply.parts = (None, apply)
    return apply


def _is_ours(transform) -> bool:
    """Whether it is a transform that has not been given another ``__call__`` by the user."""
    call = type(transform).__call__
    known = call in _CALLS or getattr(call, "__wrapped__", None) in _CALLS
    return known and isinstance(transform, TensorOperation)


def runs_python(operation) -> bool:
    """Whether MindSpore runs an operation of ``map`` as a Python function."""
    if isinstance(operation, Compose):
        return any(map(runs_python, operation.transforms))
    known = hasattr(operation, "by_table") or _is_ours(operation)
    return not known or getattr(operation, "implementation", None) is Implementation.PY


def _draws(operation) -> bool:
    """Whether a transform draws from the pipeline's stream."""
    if isinstance(operation, Compose):
        return any(isinstance(one, TensorOperation) and _draws(one) for one in operation.transforms)
    return operation.random and operation.implementation is not Implementation.PY


_CALLS = {TensorOperation.__call__, Compose.__call__}


def calls_through(method):
    """Decorator: a ``__call__`` that checks its input and then calls TensorOperation's."""
    _CALLS.add(method)
    return method


class _Done(typing.NamedTuple):
    """What drawing and computing gave at once."""

    result: object


def step(operation, processes: bool = False, later: bool = False):
    """An operation of ``map`` as a function whose errors are worded as the pipeline's.

    ``later``: MindSpore has forgotten the row's file when it comes to this operation.

    Transforms that rows can take in several threads at once have ``parts``: a function of the column that
    draws, in the order of the rows (None where nothing is drawn), and one that computes, of what was drawn
    and the column. ``processes``: MindSpore runs functions of the program in processes of their own.
    """
    if hasattr(operation, "by_table"):
        return _run_of(operation, later)
    return _of_transform(operation, later) if _is_ours(operation) else _of_function(operation, processes,
                                                                                    later)


def _later(error: Exception, later: bool) -> Exception:
    error.later = later
    return error


def forgetful(operations: list) -> list[bool]:
    """Which operations of a ``map`` come after the first that MindSpore runs, which takes the row's file with
    it: one of C++, or all of Python at the beginning."""
    found, python, begins = [], False, True
    for operation in operations:
        if hasattr(operation, "by_table"):
            python = False
        elif not _is_ours(operation):
            python = True
        elif operation.implementation is not None:      # others are what the one before is
            python = operation.implementation is Implementation.PY
        begins = begins and python
        found.append(bool(found) and not begins)
    return found


def _of_transform(operation, later: bool):
    """`step` of a transform of this package."""
    python = operation.implementation is Implementation.PY
    name = "PyFunc" if python else operation._pipeline_name or type(operation).__name__
    run = operation._opened()

    def worded(function):
        def apply(*columns):
            try:
                return function(*columns)
            except OperationError as error:
                raise _later(error.in_pipeline(name), later) from None
            except UserCodeError as error:
                error.later = later
                raise
            except Exception as error:
                raise _later(operation_failed(name, error, skip=2), later) from error

        return apply

    apply = worded(run)
    apply.draws = _draws(operation)
    if not operation.one_to_one or not operation.threads or isinstance(operation, PyTensorOperation):
        return apply
    if not operation.random:
        apply.parts = (None, apply)
    elif operation._choose is not None:
        choose, compute = _parts(operation, run.stream)
        apply.parts = (worded(choose), worded(compute))
    return apply


def _parts(operation, stream):
    """What draws for a column, and what computes of that and the column."""
    refuse, pil = operation._refuse, getattr(operation, "_execute_py", None)

    def choose(column):
        if pil is not None and is_pil(column):      # these draw from Python's own stream, in order
            return _Done(pil(column))
        column = column if type(column) is np.ndarray else _array(column)
        if refuse is not None:
            refuse(column)
        return operation._choose(stream, column)

    def compute(chosen, column):
        if type(chosen) is _Done:
            return chosen.result
        return operation._apply(chosen, column if type(column) is np.ndarray else _array(column))

    return choose, compute


def _of_function(operation, processes: bool, later: bool):
    """`step` of a function of the program."""

    def call(*columns):
        try:
            results = operation(*columns)
        except Exception as error:
            if processes:
                raise UserCodeError(f"map operation: [PyFunc] failed. {user_stack(error)}") from error
            raise _later(operation_failed("PyFunc", error), later) from error
        if results is None:
            raise UserCodeError(f"map operation: [PyFunc] failed. {_NOTHING}")
        if isinstance(results, types.GeneratorType):
            raise UserCodeError("map operation: [PyFunc] failed. " + (
                "RuntimeError: Cannot pickle <class 'generator'> object, please verify pyfunc return with "
                "numpy array" if processes else
                "Failed to create tensor from numpy array, data type is unknown."))
        if type(results) is not tuple:
            return _detached(results, columns)
        kept = []
        for result in results:                           # one array given twice becomes two
            again = any(result is one for one in kept)
            kept.append(result.copy() if again and isinstance(result, np.ndarray)
                        else _detached(result, columns))
        return tuple(kept)

    return call


def _detached(result, columns):
    """A user's array as a copy that the pipeline may keep, unless it is the very one that was handed in."""
    if type(result) is np.ndarray and not any(result is column for column in columns):
        return result.copy()
    return result


_NOTHING = ("Got None from Python object. The subprocess of dataset may exit unexpected or be killed, main "
            "process will exit. If this is not an artificial operation, you can use "
            "mindspore.dataset.config.set_enable_watchdog(False) to block this error.")


def _result(value) -> np.ndarray:
    """What a transform gave to the next one, as an array."""
    if value is None:
        raise pipeline_error(_NOTHING)
    return _array(value)


def _given(value) -> np.ndarray:
    """What a program gives to a transform; of sequences that are no array numpy's own error tells."""
    return _array(np.asarray(value) if isinstance(value, (tuple, list)) and _has_rows(value) else value)


def _has_rows(value) -> bool:
    return any(isinstance(x, (tuple, list)) for x in value)


def _array(value) -> np.ndarray:
    try:
        array = np.asarray(value)
    except ValueError:
        array = None
    if array is None or array.dtype.kind not in "biufSU" or not array.dtype.isnative:
        raise TypeError(f"Invalid user input. Got {type(value)}: {value}, cannot be converted into tensor.")
    return array


def _plain(value, given: list):
    """An array that the caller may write into: no view with odd strides or of a part, no memory of what was
    given.
    """
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    if type(value) is np.ndarray and value.flags.c_contiguous and value.flags.writeable and (
            value.base is None or getattr(value.base, "nbytes", -1) == value.nbytes) and not any(
            np.may_share_memory(value, one) for one in given if isinstance(one, np.ndarray)):
        return value
    return np.array(value, order="C")
