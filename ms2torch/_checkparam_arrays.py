"""Checks of shapes, axes and the parts of sparse tensors (of ``mindspore._checkparam``)."""

from __future__ import annotations

from ms2torch._core import mode
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor

# ---- sizes and axes ----------------------------------------------------------------------------------


def _expand_tuple(n_dimensions):
    """A check that makes an int a tuple of that many; TypeError for other tuples and kinds."""
    what = "When expanding an int number to tuple"

    def convert(m):
        if isinstance(m, int) and not isinstance(m, bool):
            return (m,) * n_dimensions
        if not isinstance(m, tuple):
            raise TypeError(f"{what}, input type must be integer or tuple[int], but got {type(m)}")
        if len(m) != n_dimensions:
            raise TypeError(f"{what}, input tuple dimension must be {n_dimensions}, but got {m}")
        _check_ints(m, f"{what}, the type of element in input tuple must be an integer")
        return m

    return convert


def _expand_sequence_to_tuple(n_dimensions):
    """``_expand_tuple`` that takes lists too."""
    what = "When expanding an input to tuple"

    def convert(m):
        if isinstance(m, int) and not isinstance(m, bool):
            return (m,) * n_dimensions
        if not isinstance(m, (tuple, list)):
            raise TypeError(f"{what}, input type must be integer or tuple[int]/list[int], but got {type(m)}")
        _check_int_sequence_len(m, n_dimensions)
        return tuple(m)

    return convert


def _check_int_sequence_len(sequence, valid_len) -> None:
    what = "When expanding an sequence to tuple"
    if len(sequence) != valid_len:
        raise TypeError(f"{what}, input sequence dimension must be {valid_len}, but got {sequence}")
    _check_ints(sequence, f"{what}, the type of element in input sequence must be an integer")


def _check_ints(values, rule: str) -> None:
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{rule}, but got {type(value)}.")


once, twice, triple = map(_expand_tuple, (1, 2, 3))
once_sequence, twice_sequence, triple_sequence = map(_expand_sequence_to_tuple, (1, 2, 3))


def _check_dup(axes) -> None:
    if len(set(axes)) != len(axes):
        raise ValueError(f"The element of parameter 'axis' can not be duplicate, but got {axes}.")


def check_and_canonicalize_axes(axes, ndim):
    """Axes from the front, each once."""
    axes = axes if isinstance(axes, tuple) else (axes,)
    for axis in axes:
        if not isinstance(axis, int):
            raise TypeError(f"Each axis should be integer, but got {type(axis)} in {axes}.")
        if not -ndim <= axis < ndim:
            raise ValueError(f"The 'axis' must be in the range of [-{ndim}, {ndim}), but got {axis}.")
    found = tuple(axis % ndim for axis in axes)
    _check_dup(found)
    return found


def check_swapaxes_axis(axes, ndim):
    """One axis, or several, from the front."""
    from ._checkparam import check_axis_in_range

    if isinstance(axes, int):
        return check_axis_in_range(axes, ndim)
    if not isinstance(axes, (tuple, list)):
        raise TypeError("For ops.swapaxes, the argument 'axes' must be integer, list or tuple for check, "
                        f"but got {type(axes)}.")
    for axis in axes:
        if not isinstance(axis, int):
            raise TypeError(f"For ops.swapaxes, the axis argument must be integer, but got {type(axis)}.")
    return tuple(check_axis_in_range(axis, ndim) for axis in axes)


def check_axis_type(axis, type_int=True, type_tuple=True, type_list=True) -> bool:
    """True for an axis of an allowed kind."""
    if type_int and isinstance(axis, int):
        return True
    if (type_tuple and isinstance(axis, tuple)) or (type_list and isinstance(axis, list)):
        for item in axis:
            if not isinstance(item, int):
                raise TypeError(f"For Tensor.ptp, each axis must be integer, but got {type(item)} in {axis}.")
        return True
    kinds = "int, " * type_int + "tuple, " * type_tuple + "list, " * type_list
    raise TypeError(f"For Tensor.ptp, the axis should be {kinds}, but got {type(axis)}.")


def check_transpose_axis(axes, ndim):
    """The permutation that the arguments of ``transpose`` mean; none reverses."""
    if not axes or (len(axes) == 1 and axes[0] is None):
        return tuple(range(ndim - 1, -1, -1))
    if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
        return tuple(axes[0])
    if len(axes) == 1 and not isinstance(axes[0], int):
        raise TypeError("For Tensor.transpose, the parameter 'axes' must be a tuple/list, or series of "
                        f"integer, but got {type(axes[0])}")
    if len(axes) != ndim:
        raise ValueError("For Tensor.transpose, the number of axes must be equal to the dimension of Tensor, "
                         f"but got {len(axes)} in the number of axes.")
    return axes


def check_reshape_shp(shp):
    """The shape that the arguments of ``reshape`` mean."""
    if len(shp) != 1 or isinstance(shp[0], int):
        return shp
    if not isinstance(shp[0], (tuple, list)):
        raise TypeError("For Tensor.reshape, the parameter 'shape' must be an integer, or tuple/list, or "
                        f"series of integer, but got {type(shp[0])}")
    return tuple(shp[0])


def check_flatten_order(order) -> None:
    """"C" or "F"."""
    if not isinstance(order, str):
        raise TypeError(f"For Tensor.flatten, the parameter 'order' must be a string, but got {type(order)}")
    if order not in ("C", "F"):
        raise ValueError(f"For Tensor.flatten, the parameter 'order' must be 'C' or 'F', but got '{order}'")


def prepare_shape_for_squeeze(shape, axes):
    """``shape`` without ``axes``, each of which must have one element."""
    if not isinstance(axes, (int, list, tuple)):
        raise TypeError("For Tensor.squeeze, the parameter 'axes' must be one of [int, tuple, list], "
                        f"but got {type(axes)}")
    ndim = len(shape)
    axes = (axes,) if isinstance(axes, int) else tuple(dict.fromkeys(axes))
    for axis in axes:
        if not -ndim <= axis < ndim:
            raise ValueError(f"For Tensor.squeeze, the 'axis' must be in the range of [-{ndim}, {ndim}), "
                             f"but got {axis}.")
    gone = {axis % ndim for axis in axes}
    for axis in sorted(gone):
        if shape[axis] != 1:
            raise ValueError(f"For Tensor.squeeze, the shape of parameter 'axis' {axes} must be 1, "
                             f"but got {shape[axis]}.")
    return tuple(size for axis, size in enumerate(shape) if axis not in gone)


def check_reduce_shape(ori_shape, shape, axis, prim_name, arg_name1, arg_name2) -> None:
    """``shape`` is ``ori_shape`` without ``axis``."""
    gone = axis if hasattr(axis, "__iter__") else (axis,)
    if list(shape) != [size for i, size in enumerate(ori_shape) if i not in gone]:
        raise ValueError(f"For '{prim_name}', the shape of parameter '{arg_name1}' reduce on 'axis': {axis} "
                         f"must be equal to the shape of '{arg_name2}': {shape}, but got {ori_shape}.")


def infer_out_shape(*shapes):
    """What ``shapes`` are together; ValueError where they do not broadcast."""
    rank = max(map(len, shapes))
    columns = list(zip(*((1,) * (rank - len(shape)) + tuple(shape) for shape in shapes), strict=True))
    sizes = tuple(0 if 0 in column else max(column) for column in columns)
    if any(size not in (1, whole) for column, whole in zip(columns, sizes, strict=True) for size in column):
        raise ValueError("For Tensor, the dimension on each axis must be 1 or the max value on the axis"
                         f"to support broadcasting, but got shapes {shapes,}")
    return sizes


def expanded_shape(ndim, axis_size, axis):
    """One everywhere but at ``axis``."""
    return tuple(axis_size if i == axis else 1 for i in range(ndim))


def tuple_slice(tup, start, end):
    return tup[start:end]


def max_(*args):
    return max(*args)


def min_(*args):
    return min(*args)


def is_stub_tensor(tensor) -> bool:
    return hasattr(tensor, "stub")


# ---- sparse tensors ----------------------------------------------------------------------------------


def check_sparse_tensor_input(indices, values, shape) -> None:
    """Tensors and a tuple."""
    for name, value in (("indices", indices), ("values", values)):
        if not isinstance(value, Tensor):
            raise TypeError(f"For SparseTensors, '{name}' must be Tensor, but got {type(value)}.")
    if not isinstance(shape, tuple):
        raise TypeError(f"For SparseTensors, 'shape' must be tuple, but got {type(shape)}.")


check_coo_tensor_input = check_sparse_tensor_input


def check_csr_tensor_input(indptr, indices, values, shape) -> None:
    """Tensors and a tuple."""
    if not isinstance(indptr, Tensor):
        raise TypeError(f"For CSRTensor, 'indptr' must be Tensor, but got {type(indptr)}.")
    check_sparse_tensor_input(indices, values, shape)


def _check_sizes(shape, positive: str, kind: str) -> int:
    """The product of positive ints."""
    product = 1
    for size in shape:
        if size <= 0:
            raise ValueError(positive.format(size))
        if not isinstance(size, int):
            what = "'shape'" if kind == "COOTensor" else "shape"
            raise TypeError(f"For {kind}, the element type of {what} must be int, but got {type(size)}")
        product *= size
    return product


def check_csr_tensor_shape(indptr_shp, indices_shp, values_shp, csr_shp) -> None:
    """Shapes of the parts that fit together; nothing at all in them fits too."""
    if indptr_shp == indices_shp == values_shp == (0,):
        return
    positive = "For CSRTensor, the element of shape must be positive, but got {}"
    whole = _check_sizes(csr_shp, positive, "CSRTensor")
    held = _check_sizes(values_shp, "The element of shape must be positive, but got {}", "CSRTensor")
    if whole < held:
        raise ValueError(f"Shape total size: {whole} is too small to hold {held} non-zero values.")
    for name, shape in (("indices", indices_shp), ("indptr", indptr_shp)):
        if len(shape) != 1:
            raise ValueError(f"For CSRTensor, {name} must be a 1-dimensional tensor, "
                             f"but got a {len(shape)} dimension tensor.")
    if csr_shp[0] + 1 != indptr_shp[0]:
        raise ValueError(f"For CSRTensor, indptr must have length (1 + shape[0]), but got: {indptr_shp[0]}")
    if indices_shp[0] != values_shp[0]:
        raise ValueError("For CSRTensor, indices and values must equal in their shape, but got indices "
                         f"shape: {indices_shp[0]}, values shape: {values_shp[0]}.")
    if len(values_shp) + 1 != len(csr_shp):
        raise ValueError("Values' dimension should equal to CSRTensor's dimension - 1, but got"
                         f"Values' dimension: {len(values_shp)} , CSRTensor's dimension: {len(csr_shp)}")
    if values_shp[1:] != csr_shp[2:]:
        raise ValueError("CSRTensor's shape[2: ] must be equal to value's shape[1: ],but CSRTensor's "
                         f"shape[2: ] got: {csr_shp[2:]} and value's shape[1: ]got: {values_shp[1:]}")


def check_coo_tensor_shape(indices_shp, values_shp, coo_shp) -> None:
    """Shapes of the parts that fit together."""
    if len(coo_shp) != 2:  # in a graph the indices' second axis is held against it
        raise (TypeError if mode.graph else ValueError)(f"For COOTensor, the length of 'shape' must be "
                                                        f"2, but got {coo_shp}.")
    if indices_shp == values_shp == (0,):
        return
    positive = f"For COOTensor, the element of 'shape' must be positive, but got {{}} in {coo_shp}."
    whole = _check_sizes(coo_shp, positive, "COOTensor")
    if whole < values_shp[0]:
        raise ValueError(f"For COOTensor, shape is too small: ({whole}) to hold all values({values_shp[0]}).")
    for name, shape, rank in (("indices", indices_shp, 2), ("values", values_shp, 1)):
        if len(shape) != rank:
            raise ValueError(f"For COOTensor, '{name}' must be a {rank}-dimensional tensor, but got a "
                             f"{len(shape)}-dimensional tensor.")
    if indices_shp[0] != values_shp[0]:
        raise ValueError("For COOTensor, 'indices.shape[0]' must be euqal to 'values.shape[0]', but got "
                         f"'indices.shape[0]' = {indices_shp[0]} and 'values.shape[0]' = {values_shp[0]}.")
    if indices_shp[1] != 2:
        raise ValueError(f"For COOTensor, 'indices.shape[1]' must be 2, but got {indices_shp[1]}.")


_PLACES = (_dtype.int16, _dtype.int32, _dtype.int64)


def check_csr_tensor_dtype(indptr_dtype, indices_dtype) -> None:
    """Integers of 16 bits or more."""
    for name, found in (("indptr", indptr_dtype), ("indices", indices_dtype)):
        if found not in _PLACES:
            raise TypeError(f"For CSRTensor, {name} must have int16 or int32 or int64 data type, but "
                            f"got {found}.")


def check_coo_tensor_dtype(indices_dtype) -> None:
    """Integers of 16 bits or more."""
    if indices_dtype not in _PLACES:
        raise TypeError("For COOTensor, the type of 'indices' must be one of [int16, int32, int64], but got "
                        f"{indices_dtype}.")


# ---- inputs of a Model -------------------------------------------------------------------------------


def _check_data_type_valid(data, valid_type) -> bool:
    if valid_type is None:
        return data is None
    if not isinstance(data, valid_type):
        return False
    if getattr(data, "size", None) == 0:
        raise ValueError("The input data can not be empty.")
    return True


def check_input_data(*data, data_class) -> None:
    """Data of the kinds in ``data_class``, in tuples, lists and dicts as deep as you like."""
    kinds = data_class if isinstance(data_class, (tuple, list)) else (data_class,)
    for item in data:
        if isinstance(item, (list, tuple, dict)):
            check_input_data(*(item.values() if isinstance(item, dict) else item), data_class=data_class)
        elif not any(_check_data_type_valid(item, kind) for kind in kinds):
            names = tuple(getattr(kind, "__name__", kind) for kind in kinds)
            names = names if kinds is data_class else names[0]
            raise TypeError(f"The types of input data must be in the Union({names}, tuple[{names}], "
                            f"list[{names}], "
                            f"dict[{names}]), but got type {item if item is None else type(item).__name__}.")


def check_input_dataset(*dataset, dataset_type) -> bool:
    """Whether there are datasets, all of that type."""
    return bool(dataset) and all(isinstance(item, dataset_type) for item in dataset)
