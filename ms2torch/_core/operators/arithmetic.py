"""MindSpore's rules for two operands, over torch tensors and Python numbers.

``add``, ``sub`` ... are what Python's operators, the functional forms, the Primitives and the Tensor
methods of one operation share. Where dtypes agree they are torch's own operators; the rest of this file is
for where not.
"""

from __future__ import annotations

import operator
from functools import partial, wraps

import numpy as np
import torch

from ms2torch._core.checks.calls import is_unconverted
from ms2torch._core.checks.causes import broadcastable
from ms2torch._core.checks.kernel_dtypes import WITHOUT_REMAINDERS, invalid, not_selected, refusing
from ms2torch._core.checks.refusals import translate
from ms2torch._core.checks.wrong_operands import of_primitive
from ms2torch._core.operators import unsigned
from ms2torch._core.operators.signatures import signature_error
from ms2torch._core.tensor.dtype import _INT64, UNSIGNED, promote, promote_scalar
from ms2torch._core.torch_private import ORDINARY, is_transforming

# Products ("Mul") and quotients ("Div") in which a 0-d tensor counts for the dtype, as the generation says.
rank_0_counts: set[str] = set()
SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
_NUMBERS = (bool, int, float, complex)
_REAL = (bool, int, float)
_OPEN = (torch.SymInt, torch.SymFloat)
_INTEGERS = {torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8}


def promote_operands(a, b, name: str = "", loose: bool = False):
    """Both operands ready for torch: two tensors of one dtype, or a tensor and a number.

    A numpy scalar counts as the Python number that it holds. TypeError for anything else.
    """
    if isinstance(a, torch.Tensor):
        if isinstance(b, torch.Tensor):
            return (a, b) if a.dtype is b.dtype else promote(a, b)
        if isinstance(b, np.generic):
            if is_unconverted(b) and (wrong := signature_error(name, (a, b))):
                raise wrong
            b = b.item()
        if isinstance(b, _REAL):
            return promote_scalar(a, b, loose)
    elif isinstance(b, torch.Tensor):
        if isinstance(a, np.generic):
            a = a.item()
        if isinstance(a, _REAL):
            b, a = promote_scalar(b, a, loose)
            return a, b
    else:
        x, y = (v.item() if isinstance(v, np.generic) else v for v in (a, b))
        if isinstance(x, _NUMBERS) and isinstance(y, _NUMBERS):
            return tensors_of_numbers(x, y, name)
    if isinstance(a, _OPEN) or isinstance(b, _OPEN):        # a size that torch's exporter leaves open
        return a, b
    raise of_primitive(name, a, b)


def tensors_of_numbers(a, b, name: str = ""):
    """Two Python numbers as the 0-d tensors that MindSpore makes of them: in a graph an int has 32 bits, and
    what is divided by or into an int is of 64."""
    from ms2torch._core.random import graph_streams

    x, y = number_as_tensor(a), number_as_tensor(b)
    if graph_streams.here.call is not None:
        integers = [isinstance(v, int) for v in (a, b)]
        if name == "Div" and any(integers):
            return x.double(), y.double()
        x, y = (t.int() if t.dtype is torch.int64 else t for t in (x, y))
    return promote(x, y)


def number_as_tensor(x, device=None) -> torch.Tensor:
    """A Python number as the 0-d tensor that MindSpore makes of it."""
    kind = torch.float32 if isinstance(x, float) else torch.bool if isinstance(x, bool) else torch.int64
    return torch.tensor(x, dtype=kind, device=device)


def _apart(a, b):
    """A number beside a 0-d tensor, and an int beside bools, as the tensor that MindSpore's products make of
    it."""
    if b.__class__ in (int, float):
        return a, _beside(a, b)
    return (_beside(b, a), b) if a.__class__ in (int, float) else (a, b)


def _beside(t, number):
    whole = number.__class__ is int
    if not isinstance(t, torch.Tensor) or (t.ndim and not (whole and t.dtype is torch.bool)):
        return number
    if whole and number not in _INT64:
        return number
    from ms2torch._core.random import graph_streams

    found = number_as_tensor(number, t.device)
    return found.int() if whole and graph_streams.here.call is not None else found


def of_one_kind(a, b) -> bool:
    """Whether these are a 0-d tensor and one of more axes, both of floats or both of integers."""
    if not (isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)) or bool(a.ndim) is bool(b.ndim):
        return False
    return (a.is_floating_point() and b.is_floating_point()) or {a.dtype, b.dtype} <= _INTEGERS


def _binary(name: str, compute, loose: bool = False, prepare=None, over_zero=None, scalars=False, bools=True):
    """The operation ``name`` over anything that `promote_operands` takes; with ``scalars`` a 0-d tensor
    leaves the dtype of a tensor of its kind, as in torch (and in MindSpore's products and quotients alone).

    torch has hardly any arithmetic for wider unsigned integers, and raises for a division of integers by
    zero, where MindSpore gives a number, which ``over_zero`` makes of the dividend: both take another way,
    which costs nothing where it is not needed.
    """
    # Two tensors of one dtype, and float32 beside a float, are torch's own.
    direct = getattr(compute, "of_tensors", compute)
    refused = None if bools else torch.bool

    def call(a, b):
        try:
            kind = a.dtype
            if (b.__class__ is float and kind is torch.float32) or (kind is b.dtype and kind is not refused):
                return direct(a, b)
        except (AttributeError, TypeError, RuntimeError):
            pass
        if prepare is not None:
            a, b = prepare(a, b)
        if not (scalars and name not in rank_0_counts and of_one_kind(a, b)):
            try:
                a, b = promote_operands(a, b, name, loose)
            except TypeError:
                if scalars and isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
                    raise TypeError(f"For Op[{name}], the promote output type is invalid") from None
                raise
        try:
            found = compute(a, b)
        except RuntimeError as err:
            return _otherwise(err, name, compute, a, b, over_zero or _ends)
        return found if bools else no_bools(found, name)

    call.__name__ = name
    return call


def _otherwise(err, name, compute, a, b, over_zero):
    dtype = a.dtype if isinstance(a, torch.Tensor) else b.dtype
    if dtype in UNSIGNED and broadcastable(a, b):
        wide = [x.to(torch.int64) if isinstance(x, torch.Tensor) else x for x in (a, b)]
        try:
            result = unsigned.binary(name, compute, *wide) if dtype is torch.uint64 else compute(*wide)
        except RuntimeError:
            if not bool((torch.as_tensor(wide[1]) == 0).any()):
                raise
            return _over_zero(over_zero, compute, a, b, dtype)
        return result.to(dtype) if result.dtype is torch.int64 else result
    if dtype is torch.bool and name in ("FloorDiv", "FloorMod"):
        a, b = [x.to(torch.int32) if isinstance(x, torch.Tensor) else int(x) for x in (a, b)]
        try:
            return compute(a, b).bool()
        except RuntimeError:
            return _over_zero(over_zero, compute, a, b, torch.int32).bool()
    if any(map(_is_beyond, (a, b), (dtype, dtype))):
        # A number beyond the dtype wraps round, as it does in a sum.
        a, b = [
            x if isinstance(x, torch.Tensor) else torch.full((), x).to(y.device, dtype)
            for x, y in ((a, b), (b, a))
        ]
        try:
            return compute(a, b)
        except RuntimeError as again:
            return _otherwise(again, name, compute, a, b, over_zero)
    divides = hasattr(compute, "of_integers") and not dtype.is_floating_point and broadcastable(a, b)
    if divides and (isinstance(err, NotTold) or bool((torch.as_tensor(b) == 0).any())):
        return _over_zero(over_zero, compute, a, b, dtype)
    raise translate(err, name, (a, b), compute) from None


def _is_beyond(number, dtype) -> bool:
    if number.__class__ is not int or dtype.is_floating_point or dtype.is_complex or dtype is torch.bool:
        return False
    ends = torch.iinfo(dtype)
    return not ends.min <= number <= ends.max


def raises_on_zero(t: torch.Tensor) -> bool:
    """Whether a division of integers raises where there are zeros below."""
    return t.device.type == "cpu"


class NotTold(RuntimeError):
    """Integers are divided on a device that says nothing of zeros below."""


def division(of_integers):
    """Decorator: a division, of integers by ``of_integers``. A CPU raises where there are zeros below; on a
    device there may be some, and to look would mean to wait for it."""
    def decorate(compute):
        @wraps(compute)
        def call(a, b):
            t = a if isinstance(a, torch.Tensor) else b
            if not t.is_floating_point() and not raises_on_zero(t) and (isinstance(b, torch.Tensor) or not b):
                raise NotTold
            return compute(a, b)

        call.of_integers = of_integers
        return call

    return decorate


def _over_zero(over_zero, compute, a, b, dtype):
    """An integer division with zeros below: what ``over_zero`` says stands there."""
    device = (a if isinstance(a, torch.Tensor) else b).device
    a, b = torch.broadcast_tensors(*[
        x.to(dtype) if isinstance(x, torch.Tensor) else torch.full((), x, dtype=dtype, device=device)
        for x in (a, b)])
    zero = b == 0
    return torch.where(zero, over_zero(a), compute.of_integers(a, torch.where(zero, torch.ones_like(b), b)))


def _ends(a):
    """A quotient lands on the dtype's end that has its sign, and ``0 / 0`` is 0."""
    ends = torch.iinfo(a.dtype)
    return torch.where(a > 0, ends.max, torch.where(a < 0, ends.min, 0)).to(a.dtype)


def negative(a):
    """The value with its sign turned; unsigned integers wrap round."""
    try:
        return torch.neg(a)
    except RuntimeError:
        if a.dtype not in SIGNED:
            raise
        return a.view(SIGNED[a.dtype]).neg().view(a.dtype)


def lowest(a):
    """The dtype's least number where 32 or 64 bits hold it, else 0."""
    return torch.full_like(a, torch.iinfo(a.dtype).min if a.dtype in (torch.int32, torch.int64) else 0)


def dividend(a):
    """The rest is the dividend."""
    return a


# ---- what differs from torch beyond dtypes ----------------------------------------------------------------


def _bool_sub(a, b):
    if any(isinstance(x, torch.Tensor) and x.dtype is torch.bool for x in (a, b)):
        return torch.logical_xor(torch.as_tensor(a), torch.as_tensor(b))
    return operator.sub(a, b)


def _subtract(a, b):
    try:
        return torch.sub(a, b)
    except (RuntimeError, TypeError):
        return _bool_sub(a, b)


_subtract.of_tensors = torch.sub


def no_bools(result, name: str):
    """The sum or difference ``result``, which MindSpore's ``Add`` and ``Sub`` do not make of two bools.

    PyNative's operators between Tensors and mint are other operations there, which do.
    """
    if result.dtype is torch.bool:
        raise TypeError(
            f"For primitive[{name}], the input argument[x] must be a type of {{Tensor[BFloat16], "
            "Tensor[Float16], Tensor[Float32], Tensor[Float64], Tensor[Int16], Tensor[Int32], Tensor[Int64], "
            "Tensor[Int8], Tensor[UInt16], Tensor[UInt32], Tensor[UInt64], Tensor[UInt8]}, but got "
            "Tensor[Bool].")
    return result


@division(torch.floor_divide)
def floor_divide(a, b):
    """The floor of the quotient, in float64 (torch follows Python: ``1.0 // 0.1`` is 9 there, 10 here)."""
    t = a if isinstance(a, torch.Tensor) else b
    if t.is_complex() or (isinstance(b, torch.Tensor) and b.is_complex()):
        quotient = a / b                                       # the real part counts
        return torch.floor(quotient.real).to(quotient.dtype)
    if not t.is_floating_point():
        return torch.floor_divide(a, b) if t is a else a // b
    return _floored(_double(a, t), _double(b, t)).to(t.dtype)


def _floored(x, y):
    # Its derivative is 0, also by a divisor of 0, where the quotient's would make nan of it.
    return torch.floor(x.detach() / y.detach())


@division(torch.remainder)
def floor_modulo(a, b):
    """``a - floor(a / b) * b``: the divisor's sign, and NaN for infinite operands."""
    t = a if isinstance(a, torch.Tensor) else b
    if t.is_complex():
        return a - floor_divide(a, b) * b
    if not t.is_floating_point():
        return torch.remainder(a, b)
    x, y = _double(a, t), _double(b, t)
    return (x - _floored(x, y) * y).to(t.dtype)


def _double(x, t):
    return (x if isinstance(x, torch.Tensor) else torch.full((), x, dtype=t.dtype, device=t.device)).double()


def power(a, b):
    """``a ** b``; where both are 0 the slope towards ``a`` is MindSpore's ``b * a ** (b - 1)``, nan."""
    result = torch.pow(a, b)
    if not result.requires_grad or not isinstance(a, torch.Tensor) or not a.requires_grad or a.is_complex():
        return result
    if not isinstance(b, torch.Tensor) and b != 0:
        return result
    # (xlogy(0, a) is 0 and its slope 0 / a; what is subtracted leaves -0.0 as it is.)
    return result - torch.xlogy(0.0, torch.where((a == 0) & (b == 0), a, 1.0))


def mint_power(a, b):
    """mint's ``a ** b``: by a number of 0 the slope is 0."""
    return power(a, b) if isinstance(b, torch.Tensor) else torch.pow(a, b)


def _of_integers_too(of_tensors):
    def compute(a, b):
        try:
            result = of_tensors(a, b)
        except RuntimeError:
            dtype = a.dtype if isinstance(a, torch.Tensor) else b.dtype
            of_double = dtype in UNSIGNED or bool((torch.as_tensor(b) < 0).any())
            if not of_double or not broadcastable(a, b):
                raise
        else:
            if result.dtype not in _ENDS or not result.is_cpu or _is_small_power(a, b, result.dtype):
                return result
            return _whole_power(a, b, result.dtype, result)
        return _whole_power(a, b, dtype)

    return compute


# Beyond which double a power of integers is the least number of its dtype, or 0.
_ENDS = dict.fromkeys((torch.int8, torch.int16, torch.int32, torch.uint8, torch.uint16), 2.0**31) | {
    torch.int64: 2.0**63, torch.uint32: 2.0**63, torch.uint64: 2.0**64}


def _is_small_power(a, b, dtype) -> bool:
    """Whether integers to the power of one number are surely held by their dtype, and by a double."""
    if b.__class__ is not int or b > 63 or a.__class__ not in ORDINARY or is_transforming() or not a.numel():
        return False
    return max(abs(n.item()) for n in torch.aminmax(a)) ** b < min(_ENDS[dtype], 2.0**53)


def _whole_power(a, b, dtype, result=None):
    """The power in double, cut off: what is beyond is the processor's mark for it.

    ``result``, where given, is what integers make of it, and right while a double holds it.
    """
    x, y = (n.double() if isinstance(n, torch.Tensor) else float(n) for n in (a, b))
    found, end = torch.pow(x, y), _ENDS[dtype]
    if dtype is torch.uint64:
        whole = torch.where(found < end / 2, found, torch.where(found < end, found - end, 0))
    else:
        whole = torch.where(found.abs() < end, found, -end)
    whole = whole.to(torch.int64).to(dtype)
    return whole if result is None else torch.where(found.abs() < min(end, 2.0**53), result, whole)


def _product(a, b):
    # (torch reads a 0-d tensor of a wider dtype in full where it stands behind.)
    return torch.mul(b, a) if isinstance(b, torch.Tensor) and not a.ndim else torch.mul(a, b)


def _quotient(a, b):
    if isinstance(b, torch.Tensor) and b.ndim and not a.ndim and a.is_floating_point() \
            and a.element_size() > b.element_size():
        return torch.div(a, b.to(a.dtype)).to(b.dtype)
    return torch.div(a, b)


def of_dtype(a, b):
    """A number before ``b`` in the dtype of ``b``."""
    return a if isinstance(a, torch.Tensor) else torch.as_tensor(a).to(b.device, b.dtype)


@division(partial(torch.div, rounding_mode="trunc"))
def whole_quotient(a, b):
    """Integers divide to an integer, towards zero: what RealDiv does, and Div did."""
    t = a if isinstance(a, torch.Tensor) else b
    if t.is_floating_point() or t.is_complex():
        return a / b
    return torch.div(of_dtype(a, b), b, rounding_mode="trunc")


def _reflecting(function, python, of_tensors=None):
    """torch's function where the first operand is a tensor; Python's operator, which reflects, where not."""

    @wraps(function)
    def call(a, b):
        return function(a, b) if isinstance(a, torch.Tensor) else python(a, b)

    call.of_tensors = of_tensors or function
    return call


def numbers_beside_rank_0(a, b):
    """What MindSpore composes of several operations makes a number beside a 0-d tensor one, too."""
    if isinstance(a, torch.Tensor) and a.ndim == 0 and isinstance(b, _NUMBERS):
        return a, number_as_tensor(b, a.device)
    if isinstance(b, torch.Tensor) and b.ndim == 0 and isinstance(a, _NUMBERS):
        return number_as_tensor(a, b.device), b
    return a, b


def _exact_number(a, b):
    """Less alone compares with the number itself; its kin round it to the tensor's dtype, as torch does."""
    t, number = (a, b) if isinstance(a, torch.Tensor) else (b, a)
    if number.__class__ not in (int, float) or not isinstance(t, torch.Tensor):
        return a, b
    if t.dtype in (torch.float16, torch.bfloat16):
        t = t.float()
    elif number.__class__ is int and t.dtype in (torch.int8, torch.uint8, torch.int16, torch.int32):
        t = t.long()
    return (t, b) if isinstance(a, torch.Tensor) else (a, t)


add = _binary("Add", _reflecting(torch.add, operator.add))
sub = _binary("Sub", _subtract)
primitive_add = _binary("Add", _reflecting(torch.add, operator.add), bools=False)
primitive_sub = _binary("Sub", _subtract, bools=False)
mul = _binary("Mul", _reflecting(_product, operator.mul, torch.mul), loose=True, scalars=True)
product = _binary("Mul", _reflecting(_product, operator.mul, torch.mul), loose=True, scalars=True,
                  prepare=_apart)
true_div = _binary("Div", _reflecting(_quotient, operator.truediv, torch.div), loose=True, scalars=True)
whole_div = _binary("Div", whole_quotient, loose=True)
div = true_div                             # or whole_div, as the generation says
floor_div = _binary("FloorDiv", floor_divide)
modulo = refusing("FloorMod", refusing("FloorMod", floor_modulo, WITHOUT_REMAINDERS, not_selected),
                  ("uint16", "uint32", "uint64"), invalid)
floor_mod = _binary("FloorMod", modulo, over_zero=lowest)
remainder = _binary("FloorMod", floor_modulo, over_zero=dividend)
numpy_mod = _binary("FloorMod", floor_modulo, over_zero=torch.zeros_like)
power_of_any = _of_integers_too(power)
pow = _binary("Pow", power_of_any)
mint_pow = _binary("Pow", _of_integers_too(mint_power))
equal = _binary("Equal", _reflecting(torch.eq, operator.eq), loose=True)
not_equal = _binary("NotEqual", _reflecting(torch.ne, operator.ne))
less = _binary("Less", _reflecting(torch.lt, operator.lt), prepare=_exact_number)
less_equal = _binary("LessEqual", _reflecting(torch.le, operator.le))
greater = _binary("Greater", _reflecting(torch.gt, operator.gt))
greater_equal = _binary("GreaterEqual", _reflecting(torch.ge, operator.ge))
bitwise_and = _binary("BitwiseAnd", _reflecting(torch.bitwise_and, operator.and_))
bitwise_or = _binary("BitwiseOr", _reflecting(torch.bitwise_or, operator.or_))
bitwise_xor = _binary("BitwiseXor", _reflecting(torch.bitwise_xor, operator.xor))


def sequence_like(sequence, t: torch.Tensor) -> torch.Tensor:
    """A list or tuple beside a Tensor takes its dtype: ``Tensor([1, 2]) + [3.5, 4]`` is ``[4, 6]``."""
    if any(isinstance(x, torch.Tensor) for x in sequence):
        parts = [x if isinstance(x, torch.Tensor) else torch.as_tensor(x) for x in sequence]
        return torch.stack([x.to(device=t.device, dtype=t.dtype) for x in parts])
    try:
        flat = np.array(sequence)
    except ValueError:
        flat = np.empty((), object)
    if flat.dtype.kind in "OUS":
        raise TypeError(f"For Tensor, the input_data is {tuple(sequence)} that contain unsupported element.")
    return torch.from_numpy(np.ascontiguousarray(flat)).to(device=t.device, dtype=t.dtype)
