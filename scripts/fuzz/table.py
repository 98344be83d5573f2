
"""The operators that are fuzzed, a line each: how the operands are drawn, and the spellings of the call.

Elementwise operators of one and two operands come from the registry, with all their spellings; the rest stand
in ``LINES``: ``name | operands ; arguments ; spellings``. What holds ``:=`` draws with the vocabulary of
``inputs.Draws`` and may use the names before it; what does not is a spelling, with drawn numbers in braces.
"""

from __future__ import annotations

import inspect
import re
from functools import cache

from hypothesis import strategies as st

from scripts.fuzz import inputs
from scripts.fuzz.case import Case
from scripts.fuzz.inputs import Draws, Operand

# One operand of any shape. Left out: what has no numbers to compare, or another contract for its operand.
NOT_UNARY = frozenset(["view_as_real", "t", "fliplr", "flipud", "argwhere", "numel", "is_floating_point", "is_complex", "msort", "inverse", "logdet", "diag", "slogdet", "det", "matrix_exp", "trace", "unique", "deepcopy", "tuple_to_array", "population_count", "rank", "scalar_to_array", "shape", "size", "dyn_shape", "atleast_1d", "atleast_2d", "atleast_3d", "vstack", "is_tensor", "shape_mul", "hstack", "dstack", "column_stack", "row_stack", "tuple_len", "list_len", "tuple_reversed", "dict_len", "scalar_log", "scalar_uadd", "scalar_usub", "bool_not", "isconstant", "typeof", "accumulate_n", "addn", "dtype", "is_nonzero", "ravel", "adjoint", "imag", "real", "conj", "angle", "isreal", "block_diag", "cartesian_prod", "make_list", "make_range", "make_tuple", "print_", "trace", "in_dict", "not_in_dict"])
NOT_BINARY = frozenset(["view_as", "inner", "kron", "expand_as", "type_as", "matmul", "dot", "igamma", "igammac", "zeta", "multiply_no_nan", "polar", "gcd", "lcm", "vecdot", "is_", "is_not", "in_dict", "not_in_dict"])
_OTHER_KINDS = ("coo_", "csr_", "scalar_", "string_", "bool_")      # of sparse tensors and plain values
_ONE, _OTHER = {"input", "x", "input_x"}, {"other", "y", "exponent"}

# Wider than torch.testing's: {dtype: (rtol, atol)}, with the reason.
TOLERANCES = {
    # Its CPU kernels round to half after every step, and their exponential is 3 ulp off.
    "*": {"float16": (4e-3, 1e-3), "float32": (5e-6, 1e-5)},
    # Its CPU kernel of tanh is a rational approximation, 5e-5 off; the derivative 1 - y * y doubles that.
    **{name: {"float32": (1e-4, 2e-4)} for name in ("tanh", "tanhshrink", "gelu", "activations")},
    # The same tanh, in their gates.
    **{name: {"float32": (1e-4, 5e-4)} for name in ("recurrent layers", "recurrent cells", "layers with norms",
                                                    "other layers", "mint functions")},
    # Its CPU kernels compute Float64 with functions, or sums, of Float32, and LayerNorm's round mean and
    # variance to Float16.
    **{name: {"float64": (1e-6, 1e-6)} for name in ("softplus", "digamma", "lgamma", "std", "var")},
    "mish": {"float32": (1e-4, 2e-4), "float64": (1e-6, 1e-6)},
    "LayerNorm": {"float64": (1e-5, 1e-5), "float16": (2e-2, 5e-3)},
    # A channel of equal values: rounding, multiplied by 1 / sqrt(epsilon), where 0 is right.
    "BatchNorm layers": {"float32": (5e-6, 1e-4)},
}

LINES = """
x + y           | x := array() ; y := second(x) ; x + {y} ; {y} + x
x - y           | x := array() ; y := second(x) ; x - {y} ; {y} - x
x * y           | x := array() ; y := second(x) ; x * {y} ; {y} * x
x / y           | x := array() ; y := second(x) ; x / {y} ; {y} / x
x // y          | x := array() ; y := second(x) ; x // {y} ; {y} // x
x % y           | x := array() ; y := second(x) ; x % {y} ; {y} % x
x ** y          | x := array() ; y := second(x) ; x ** {y}
x == y          | x := array() ; y := second(x) ; x == {y} ; x != {y}
x < y           | x := array() ; y := second(x) ; x < {y} ; x <= {y} ; x > {y} ; x >= {y}
x & y           | x := array(WHOLE) ; y := broadcast(x, WHOLE) ; x & y ; x | y ; x ^ y
x @ y           | n := number(1, 4) ; x := array(FLOATS, [number(1, 3), n]) ; y := array(x.dtype, [n, number(1, 3)]) ; x @ y
-x              | x := array() ; -x ; abs(x) ; +x ; ~x
x[i]            | x := array(low=1) ; i := axis(x) ; x[{i}] ; x[..., {i}] ; x[{i}:] ; x[:{i}] ; x[None, {i}:] ; x[::2]

div             | x := array() ; y := second(x) ; ops.div(x, {y}) ; ops.Div()(x, {y}) ; x.div({y}) ; ops.div(x, {y}, rounding_mode="floor")
DivNoNan        | x := array(FLOATS) ; y := broadcast(x, exact=True) ; ops.DivNoNan()(x, y)
relu            | x := array() ; ops.relu(x) ; ops.ReLU()(x) ; nn.ReLU()(x)
round           | x := array() ; ops.round(x) ; ops.Round()(x) ; x.round()

sum             | x := array() ; a := axes(x) ; k := flag() ; ops.sum(x, {a}, {k}) ; x.sum({a}, keepdims={k})
mean            | x := array(FLOATS) ; a := axes(x) ; k := flag() ; ops.mean(x, {a}, {k}) ; x.mean({a}, {k})
prod            | x := array() ; a := one(None, axis(x)) ; k := flag() ; ops.prod(x, {a}, {k}) ; x.prod({a}, {k})
max             | x := array(special=False) ; a := axis(x) ; k := flag() ; ops.max(x) ; ops.max(x, {a}, {k}) ; x.max({a}, {k}) ; x.max()
min             | x := array(special=False) ; a := axis(x) ; k := flag() ; ops.min(x) ; ops.min(x, {a}, {k}) ; x.min({a}, {k}) ; x.min()
amax            | x := array() ; a := axes(x) ; k := flag() ; ops.amax(x, {a}, {k})
amin            | x := array() ; a := axes(x) ; k := flag() ; ops.amin(x, {a}, {k})
std             | x := array(FLOATS) ; a := axes(x) ; d := number(0, 1) ; k := flag() ; ops.std(x, {a}, {d}, {k}) ; x.std({a}, {d}, {k})
var             | x := array(FLOATS) ; a := axes(x) ; d := number(0, 1) ; k := flag() ; ops.var(x, {a}, {d}, {k}) ; x.var({a}, {d}, {k})
all             | x := array() ; a := axes(x) ; k := flag() ; ops.all(x, {a}, {k}) ; x.all({a}, {k})
any             | x := array() ; a := axes(x) ; k := flag() ; ops.any(x, {a}, {k}) ; x.any({a}, {k})
argmax          | x := array() ; a := one(None, axis(x)) ; k := flag() ; ops.argmax(x, {a}, {k}) ; x.argmax({a}, {k})
argmin          | x := array() ; a := one(None, axis(x)) ; k := flag() ; ops.argmin(x, {a}, {k}) ; x.argmin({a}, {k})
ReduceSum       | x := array() ; a := axes(x) or () ; k := flag() ; ops.ReduceSum({k})(x, {a})
ReduceMean      | x := array() ; a := axes(x) or () ; k := flag() ; ops.ReduceMean({k})(x, {a})
ReduceMax       | x := array() ; a := axes(x) or () ; k := flag() ; ops.ReduceMax({k})(x, {a})
ReduceMin       | x := array() ; a := axes(x) or () ; k := flag() ; ops.ReduceMin({k})(x, {a})
ReduceProd      | x := array() ; a := axes(x) or () ; k := flag() ; ops.ReduceProd({k})(x, {a})
ReduceAll       | x := array("bool") ; a := axes(x) or () ; k := flag() ; ops.ReduceAll({k})(x, {a}) ; ops.ReduceAny({k})(x, {a})
Argmax          | x := array() ; a := axis(x) ; ops.Argmax({a})(x) ; ops.Argmin({a})(x)
ArgMaxWithValue | x := array(special=False) ; a := axis(x) ; k := flag() ; ops.ArgMaxWithValue({a}, {k})(x)
ArgMinWithValue | x := array(special=False) ; a := axis(x) ; k := flag() ; ops.ArgMinWithValue({a}, {k})(x)
norm            | x := array(FLOATS) ; a := axis(x) ; p := one(None, 1, 2, 3.0, float("inf")) ; k := flag() ; ops.norm(x, {p}, {a}, {k}) ; ops.norm(x)
logsumexp       | x := array(FLOATS) ; a := axis(x) ; k := flag() ; ops.logsumexp(x, {a}, {k})
L2Loss          | x := array(FLOATS) ; ops.L2Loss()(x)
L2Normalize     | x := array(FLOATS) ; a := axis(x) ; ops.L2Normalize({a}, 1e-4)(x)
cumsum          | x := array() ; a := axis(x) ; ops.cumsum(x, {a}) ; x.cumsum({a})
CumSum          | x := array(low=1) ; a := axis(x) ; e := flag() ; r := flag() ; ops.CumSum({e}, {r})(x, {a})
CumProd         | x := array(FLOATS, low=1) ; a := axis(x) ; e := flag() ; r := flag() ; ops.CumProd({e}, {r})(x, {a})
cumprod         | x := array(low=1) ; a := axis(x) ; ops.cumprod(x, {a})

reshape         | x := array() ; s := reshaped(x) ; ops.reshape(x, {s}) ; ops.Reshape()(x, {s}) ; x.reshape({s}) ; x.view({s})
transpose       | x := array() ; p := permutation(x) ; ops.transpose(x, {p}) ; ops.Transpose()(x, {p}) ; x.transpose({p}) ; x.permute({p})
swapaxes        | x := array(low=1) ; a := axis(x) ; b := axis(x) ; ops.swapaxes(x, {a}, {b}) ; x.swapaxes({a}, {b})
expand_dims     | x := array() ; a := axis(x) ; ops.expand_dims(x, {a}) ; ops.ExpandDims()(x, {a}) ; x.expand_dims({a}) ; x.unsqueeze({a})
squeeze         | x := array(size=2) ; a := axis(x) ; ops.squeeze(x) ; ops.squeeze(x, {a}) ; ops.Squeeze({a})(x) ; x.squeeze({a}) ; ops.Squeeze()(x)
flatten         | x := array() ; s := axis(x) ; ops.flatten(x) ; ops.flatten(x, start_dim={s}) ; x.flatten() ; x.ravel()
Flatten         | x := array() ; ops.Flatten()(x) ; nn.Flatten()(x)
tile            | x := array(size=3, high=3) ; r := shape(0, 3, 3) ; ops.tile(x, {r}) ; ops.Tile()(x, {r}) ; x.tile({r})
broadcast_to    | x := array(size=2, high=3) ; s := (*shape(0, 1, 3), *[3 if n == 1 else one(n, -1) for n in x.shape]) ; ops.broadcast_to(x, {s}) ; ops.BroadcastTo({s})(x) ; x.broadcast_to({s})
concat          | x := array(low=1) ; y := like(x, one(x.dtype, x.dtype, x.dtype, *FLOATS)) ; a := axis(x) ; ops.concat((x, y), {a}) ; ops.Concat({a})((x, y)) ; ops.cat([x, y], {a})
stack           | x := array(high=3) ; y := like(x) ; a := axis(x) ; ops.stack((x, y), {a}) ; ops.Stack({a})((x, y))
unstack         | x := array(low=1) ; a := axis(x) ; ops.unstack(x, {a}) ; ops.Unstack({a})(x) ; ops.unbind(x, {a})
split           | x := array(low=1) ; a := axis(x) ; n := number(1, 3) ; ops.split(x, {n}, {a}) ; x.split({n}, {a})
Split           | x := array(low=1) ; a := axis(x) ; n := one(1, 2, 2, 4, 3) ; ops.Split({a}, {n})(x) ; ops.split(x, axis={a}, split_size_or_sections={n})
chunk           | x := array(low=1) ; a := axis(x) ; n := number(1, 4) ; ops.chunk(x, {n}, {a}) ; x.chunk({n}, {a})
Slice           | x := array(low=1, empty=False) ; b := [number(0, n - 1) for n in x.shape] ; s := [number(1, n - m) for n, m in zip(x.shape, b)] ; ops.Slice()(x, {tuple(b)}, {tuple(s)}) ; ops.slice(x, {b}, {s})
StridedSlice    | x := array(low=1, high=3, empty=False) ; b := tuple(number(-n, n - 1) for n in x.shape) ; e := tuple(number(-n, n) for n in x.shape) ; s := tuple(one(1, 1, 2, -1) for n in x.shape) ; m := number(0, 3) ; ops.StridedSlice()(x, {b}, {e}, {s}) ; ops.StridedSlice({m}, {m})(x, {b}, {e}, {s}) ; ops.StridedSlice(0, 0, 0, 0, {m})(x, {b}, {e}, {s})
flip            | x := array(low=1) ; a := axis(x) ; ops.flip(x, ({a},)) ; x.flip(({a},)) ; ops.ReverseV2([{a}])(x)
roll            | x := array(low=1) ; a := axis(x) ; n := number(-3, 3) ; ops.roll(x, {n}, {a}) ; ops.roll(x, {n})
repeat_elements | x := array(low=1) ; a := axis(x) ; n := number(1, 3) ; ops.repeat_elements(x, {n}, {a})
repeat_interleave | x := array(low=1) ; a := axis(x) ; n := number(1, 3) ; ops.repeat_interleave(x, {n}, {a}) ; x.repeat_interleave({n}, {a})
Pad             | x := array(low=1, high=4) ; p := tuple((number(0, 2), number(0, 2)) for n in x.shape) ; ops.Pad({p})(x)
pad             | x := array(low=1, high=4) ; p := [number(0, 2), number(0, 2)] * number(1, min(x.ndim, 2)) ; v := one(0, 1.5, None) ; ops.pad(x, {p}, "constant", {v}) ; ops.pad(x, {p})
pad reflect     | x := array(FLOATS, low=2, high=4) ; p := [number(0, 2), number(0, 1)] ; m := one("'reflect'", "'replicate'", "'circular'") ; ops.pad(x, {p}, {m})
MirrorPad       | x := array(FLOATS, low=2, high=4) ; p := [[number(0, 2), number(0, 1)] for n in x.shape] ; q := constant(p, "int64") ; m := one("'REFLECT'", "'SYMMETRIC'") ; ops.MirrorPad({m})(x, q)
matrix_diag     | x := array(low=1, high=3) ; ops.matrix_diag(x)
diag            | x := array(low=1, high=2) ; ops.diag(x)
tril            | x := array(low=2) ; k := number(-2, 2) ; ops.tril(x, {k}) ; ops.triu(x, {k}) ; x.tril({k})
DepthToSpace    | x := array(shape=[number(1, 2), 4 * number(1, 2), number(1, 3), number(1, 3)]) ; ops.DepthToSpace(2)(x)
SpaceToDepth    | x := array(shape=[number(1, 2), number(1, 2), 2 * number(1, 2), 2 * number(1, 2)]) ; ops.SpaceToDepth(2)(x)
meshgrid        | x := array(shape=[number(1, 3)]) ; y := array(x.dtype, [number(1, 3)]) ; m := one("'xy'", "'ij'") ; ops.meshgrid(x, y, indexing={m})

gather          | x := array(low=1, empty=False) ; a := number(-x.ndim, x.ndim - 1) ; i := indices(shape(0, 2), x.shape[a]) ; ops.gather(x, i, {a}) ; ops.Gather()(x, i, {a}) ; ops.GatherV2()(x, i, {a})
GatherD         | x := array(low=1, high=3, empty=False) ; a := number(-x.ndim, x.ndim - 1) ; i := indices(x.shape, x.shape[a], negative=True) ; ops.GatherD()(x, {a}, i) ; ops.gather_elements(x, {a}, i)
GatherNd        | x := array(low=2, high=3, empty=False) ; i := indices([number(1, 3), number(1, 2)], min(x.shape)) ; ops.GatherNd()(x, i) ; ops.gather_nd(x, i)
index_select    | x := array(low=1, empty=False) ; a := number(-x.ndim, x.ndim - 1) ; i := indices([number(1, 3)], x.shape[a]) ; ops.index_select(x, {a}, i)
ScatterNd       | n := number(1, 3) ; i := indices([n, 1], 4) ; u := array(shape=[n, number(1, 3)]) ; s := (4, u.shape[1]) ; ops.ScatterNd()(i, u, {s}) ; ops.scatter_nd(i, u, {s})
TensorScatterAdd | x := array(shape=[4, number(1, 3)]) ; n := number(1, 3) ; i := indices([n, 1], 4) ; u := array(x.dtype, [n, x.shape[1]]) ; ops.TensorScatterAdd()(x, i, u) ; ops.tensor_scatter_add(x, i, u)
TensorScatterUpdate | x := array(shape=[4, number(1, 3)]) ; i := constant([[one(0, 1)], [one(2, 3)]]) ; u := array(x.dtype, [2, x.shape[1]]) ; ops.TensorScatterUpdate()(x, i, u)
tensor_scatter_elements | x := array(shape=[3, 2], low=2) ; i := indices([1, 2], 3) ; u := array(x.dtype, [1, 2]) ; ops.tensor_scatter_elements(x, i, u, 0)
UnsortedSegmentSum | x := array(shape=[number(1, 4), number(1, 3)]) ; i := indices([x.shape[0]], 3) ; ops.UnsortedSegmentSum()(x, i, 3) ; ops.unsorted_segment_sum(x, i, 3)
one_hot         | i := indices(shape(0, 3), 4, ("int32", "int64", "uint8")) ; d := number(1, 5) ; a := one(-1, 0, i.ndim) ; ops.OneHot({a})(i, {d}, Tensor(1.0, ms.float32), Tensor(0.0, ms.float32)) ; nn.OneHot({a}, {d})(i)
select          | c := array("bool") ; x := broadcast(c, ANY) ; y := like(x) ; ops.select(c, x, y) ; ops.Select()(c, x, y) ; ops.where(c, x, y)
where           | c := array("bool") ; x := array(shape=c.shape) ; v := one(1.0, 2, 0.5) ; ops.where(c, x, {v}) ; ops.where(c, {v}, x) ; ops.select(c, x, {v})
masked_fill     | x := array(low=1) ; m := broadcast(x, "bool") ; v := one(0.0, -1e9, 2) ; ops.masked_fill(x, m, {v}) ; x.masked_fill(m, {v})
topk            | x := array(low=1, special=False, empty=False) ; k := number(1, x.shape[-1]) ; ops.topk(x, {k})[0] ; ops.TopK()(x, {k})[0]
sort            | x := array(special=False) ; a := axis(x) ; d := flag() ; ops.sort(x, {a}, {d})[0] ; ops.Sort({a}, {d})(x)[0]
unique          | x := array(special=False, low=1, high=1) ; ops.unique(x) ; ops.Unique()(x)
cast            | x := array() ; t := one(*ANY).replace("bool", "bool_") ; ops.cast(x, ms.{t}) ; ops.Cast()(x, ms.{t}) ; x.astype(ms.{t})
ones_like       | x := array() ; ops.ones_like(x) ; ops.zeros_like(x) ; ops.OnesLike()(x) ; ops.ZerosLike()(x)
addn            | x := array() ; y := like(x) ; z := like(x) ; ops.AddN()([x, y, z]) ; ops.addn((x, y))
clip_by_value   | x := array() ; a := one(None, -1.0, 0, 0.5) ; b := one(2.0, 1, 0.75) ; ops.clip_by_value(x, {a}, {b}) ; ops.clamp(x, {a}, {b}) ; x.clip({a}, {b})
clip_by_value tensor | x := array(FLOATS) ; a := broadcast(x, exact=True) ; b := broadcast(x, exact=True) ; ops.clip_by_value(x, a, b) ; ops.clamp(x, a, b)
clip_by_norm    | x := array(F32) ; n := one(1.0, 0.5, 10.0) ; ops.clip_by_norm(x, {n}) ; nn.ClipByNorm()(x, Tensor({n}, ms.float32))
clip_by_global_norm | x := array(F32) ; y := array(F32) ; n := one(1.0, 0.5, 10.0) ; ops.clip_by_global_norm((x, y), {n})

matmul          | x := array(FLOATS, low=1) ; t := flag() ; y := array(x.dtype, [*(x.shape[:-2] if t else ()), x.shape[-1], number(1, 3)]) ; ops.matmul(x, y) ; x.matmul(y) ; x @ y
MatMul          | n := number(1, 4) ; a := flag() ; b := flag() ; p := number(1, 3) ; q := number(1, 3) ; x := array(FLOATS + INTS, [n, p] if a else [p, n]) ; y := array(x.dtype, [q, n] if b else [n, q]) ; ops.MatMul({a}, {b})(x, y)
BatchMatMul     | n := number(1, 3) ; k := number(1, 2) ; a := flag() ; b := flag() ; p := number(1, 3) ; q := number(1, 3) ; x := array(FLOATS, [k, n, p] if a else [k, p, n]) ; y := array(x.dtype, [k, q, n] if b else [k, n, q]) ; ops.BatchMatMul({a}, {b})(x, y)
bmm             | n := number(1, 3) ; k := number(1, 2) ; x := array(FLOATS, [k, 2, n]) ; y := array(x.dtype, [k, n, 2]) ; ops.bmm(x, y)
tensor_dot      | n := number(1, 3) ; x := array(F32, [2, n]) ; y := array(F32, [n, 3]) ; ops.tensor_dot(x, y, 1) ; ops.tensor_dot(x, y, ((1,), (0,)))
BiasAdd         | c := number(1, 3) ; x := array(FLOATS, [number(1, 3), c, *shape(0, 2, 3)]) ; b := array(x.dtype, [c]) ; ops.BiasAdd()(x, b) ; ops.bias_add(x, b)
outer           | x := array(shape=[number(0, 3)]) ; y := array(x.dtype, [number(1, 3)]) ; ops.outer(x, y) ; ops.ger(x, y)
addcmul         | x := array(FLOATS, high=2) ; y := broadcast(x, exact=True) ; z := broadcast(x, exact=True) ; v := one(1.0, 0.5) ; ops.addcmul(x, y, z, {v}) ; ops.addcdiv(x, y, z, {v})
lerp            | x := array(F32, high=2) ; y := like(x) ; w := one(0.5, 0.0, 1.5) ; ops.lerp(x, y, {w})

softmax         | x := array(FLOATS) ; a := axis(x) ; ops.softmax(x, {a}) ; ops.Softmax({a})(x) ; nn.Softmax({a})(x)
log_softmax     | x := array(FLOATS) ; a := axis(x) ; ops.log_softmax(x, {a}) ; ops.LogSoftmax({a})(x) ; nn.LogSoftmax({a})(x)
softplus        | x := array(FLOATS) ; ops.Softplus()(x) ; ops.softplus(x)
elu             | x := array(FLOATS) ; ops.elu(x) ; nn.ELU()(x) ; ops.Elu()(x)
leaky_relu      | x := array(FLOATS) ; a := one(0.2, 0.01) ; ops.leaky_relu(x, {a}) ; nn.LeakyReLU({a})(x)
prelu           | x := array(FLOATS, low=2) ; w := array(x.dtype, [one(1, x.shape[1])]) ; ops.prelu(x, w) ; ops.PReLU()(x, w)
gelu            | x := array(FLOATS) ; m := one("'none'", "'tanh'") ; ops.gelu(x, {m}) ; nn.GELU()(x) ; nn.GELU(False)(x) ; ops.GeLU()(x)
activations     | x := array(FLOATS) ; n := one("ReLU", "ReLU6", "Sigmoid", "Tanh", "LogSigmoid", "HSwish", "HSigmoid", "SiLU", "Mish", "Softsign", "CELU", "SeLU", "Tanhshrink", "HShrink", "SoftShrink") ; nn.{n}()(x)
hardtanh        | x := array(FLOATS) ; ops.hardtanh(x) ; nn.Hardtanh()(x)
glu             | x := array(F32, [number(1, 3), 2 * number(1, 2)]) ; ops.glu(x)
LayerNorm       | x := array(FLOATS, [number(1, 3), number(1, 4)], special=False) ; g := array(x.dtype, [x.shape[1]]) ; b := array(x.dtype, [x.shape[1]]) ; ops.LayerNorm(epsilon=1e-5)(x, g, b)[0] ; ops.layer_norm(x, {(x.shape[1],)}, g, b)
group_norm      | x := array(F32, [number(1, 2), 4, number(1, 3), 2], special=False) ; n := one(1, 2, 4) ; g := array(F32, [4]) ; b := array(F32, [4]) ; ops.group_norm(x, {n}, g, b) ; nn.GroupNorm({n}, 4)(x)
batch_norm      | x := array(F32, [number(1, 3), 2, 2, 2], special=False) ; m := array(F32, [2]) ; v := array(F32, [2], values="positive") ; g := array(F32, [2]) ; b := array(F32, [2]) ; ops.batch_norm(x, m, v, g, b) ; ops.BatchNorm()(x, g, b, m, v)[0]
BatchNorm layers | x := array(F32, [number(2, 3), 2, *shape(1, 2, 3, empty=False)], special=False) ; nn.BatchNorm{x.ndim - 2}d(2)(x) ; nn.BatchNorm{x.ndim - 2}d(2).set_train()(x)
InstanceNorm2d  | x := array(F32, [number(1, 2), 2, number(2, 3), 2], special=False) ; nn.InstanceNorm2d(2)(x)
LRN             | x := array(F32, [1, number(1, 4), 2, 2]) ; ops.LRN()(x)
MaxPool         | x := array(FLOATS, [number(1, 2), number(1, 2), number(2, 5), number(2, 5)], special=False) ; k := number(1, 2) ; s := number(1, 2) ; m := one("'valid'", "'same'") ; ops.MaxPool({k}, {s}, {m})(x) ; nn.MaxPool2d({k}, {s}, {m})(x) ; ops.max_pool2d(x, {k}, {s})
AvgPool         | x := array(FLOATS, [number(1, 2), number(1, 2), number(2, 5), number(2, 5)], special=False) ; k := number(1, 2) ; s := number(1, 2) ; m := one("'valid'", "'same'") ; ops.AvgPool({k}, {s}, {m})(x) ; nn.AvgPool2d({k}, {s}, {m})(x) ; ops.avg_pool2d(x, {k}, {s})
MaxPool1d       | x := array(F32, [number(1, 2), number(1, 2), number(2, 6)], special=False) ; k := number(1, 2) ; s := number(1, 2) ; m := one("'valid'", "'same'") ; nn.MaxPool1d({k}, {s}, {m})(x) ; nn.AvgPool1d({k}, {s}, {m})(x)
AdaptiveAvgPool2D | x := array(F32, [number(1, 2), 2, number(1, 5), number(1, 5)]) ; o := (number(1, 3), number(1, 3)) ; ops.AdaptiveAvgPool2D({o})(x) ; ops.adaptive_avg_pool2d(x, {o}) ; nn.AdaptiveAvgPool2d({o})(x)
Conv2D          | g := one(1, 2) ; x := array(F32, [number(1, 2), 2, number(3, 5), number(3, 5)], special=False) ; k := number(1, 3) ; w := array(F32, [2, 2 // g, k, k], special=False) ; s := number(1, 2) ; m := one("'valid'", "'same'") ; p := number(0, 1) ; ops.Conv2D(2, {k}, pad_mode={m}, stride={s}, group={g})(x, w) ; ops.Conv2D(2, {k}, pad_mode="pad", pad={p}, stride={s}, group={g})(x, w) ; ops.conv2d(x, w, None, {s}, {m}, groups={g})
Conv2DTranspose | x := array(F32, [1, 2, number(1, 3), number(1, 3)], special=False) ; k := number(1, 3) ; w := array(F32, [2, 2, k, k], special=False) ; s := number(1, 2) ; ops.Conv2DTranspose(2, {k}, stride={s})(x, w, {(1, 2, (x.shape[2] - 1) * s + k, (x.shape[3] - 1) * s + k)})
Conv1d          | x := array(F32, [number(1, 2), 2, number(3, 5)], special=False) ; k := number(1, 3) ; s := number(1, 2) ; m := one("'valid'", "'same'") ; nn.Conv1d(2, 3, {k}, {s}, {m}, weight_init="ones")(x)
Conv3D          | x := array(F32, [1, 1, number(2, 3), 3, 3], special=False) ; w := array(F32, [2, 1, 2, 2, 2], special=False) ; m := one("'valid'", "'same'") ; ops.Conv3D(2, 2, pad_mode={m})(x, w)
MaxPool3D       | x := array(F32, [1, number(1, 2), number(2, 3), number(2, 4), 3], special=False) ; k := number(1, 2) ; m := one("'valid'", "'same'") ; ops.MaxPool3D({k}, 1, {m})(x)
ResizeBilinear  | x := array(F32, [1, number(1, 2), number(1, 4), number(1, 4)]) ; o := (number(1, 5), number(1, 5)) ; a := flag() ; ops.ResizeBilinear({o}, {a})(x) ; ops.ResizeBilinear({o}, half_pixel_centers={a})(x)
ResizeNearestNeighbor | x := array(F32, [1, number(1, 2), number(1, 4), number(1, 4)]) ; o := (number(1, 5), number(1, 5)) ; a := flag() ; ops.ResizeNearestNeighbor({o}, {a})(x)
interpolate     | x := array(F32, [1, 1, number(1, 4), number(1, 4)]) ; o := (number(1, 5), number(1, 5)) ; a := flag() ; ops.interpolate(x, {o}, mode="bilinear", align_corners={a}) ; ops.interpolate(x, {o}, mode="nearest") ; ops.interpolate(x, {o}, mode="bicubic", align_corners={a})
embedding       | w := array(F32, [4, number(1, 3)]) ; i := indices(shape(1, 2), 4) ; ops.embedding(i, w) ; ops.gather(w, i, 0)

recurrent layers | b := flag() ; x := array(F32, [number(1, 3), number(1, 2), 2], special=False) ; n := one("RNN", "LSTM", "GRU") ; d := flag() ; k := number(1, 2) ; (ms.set_seed(1), nn.{n}(2, 3, {k}, batch_first={b}, bidirectional={d}))[1](x)[0]
recurrent cells | x := array(F32, [number(1, 3), 2], special=False) ; h := array(F32, [x.shape[0], 3], special=False) ; c := array(F32, [x.shape[0], 3], special=False) ; (ms.set_seed(1), nn.LSTMCell(2, 3))[1](x, (h, c)) ; (ms.set_seed(1), nn.GRUCell(2, 3))[1](x, h) ; (ms.set_seed(1), nn.RNNCell(2, 3))[1](x, h)
MultiheadAttention | x := array(F32, [number(1, 2), number(1, 3), 4], special=False) ; y := array(F32, [x.shape[0], number(1, 3), 4], special=False) ; n := one(1, 2, 4) ; (ms.set_seed(1), nn.MultiheadAttention(4, {n}, batch_first=True))[1](x, x, x)[0] ; (ms.set_seed(1), nn.MultiheadAttention(4, {n}, batch_first=True))[1](x, y, y)[0]
Dropout         | x := array(FLOATS, special=False) ; p := one(0.5, 0.25, 0.9, 0.0) ; (ms.set_seed(1), nn.Dropout(p={p}).set_train())[1](x) ; ops.Dropout(1 - {p}, 3, 5)(x)[0] ; (ms.set_seed(1), ops.dropout(x, {p}))[1]
Conv layers     | g := one(1, 2) ; x := array(F32, [number(1, 2), 2, number(3, 5), number(3, 5)], special=False) ; k := number(1, 3) ; s := number(1, 2) ; m := one("'valid'", "'same'") ; c := flag() ; (ms.set_seed(1), nn.Conv2d(2, 4, {k}, {s}, {m}, group={g}, has_bias={c}))[1](x) ; (ms.set_seed(1), nn.Conv2dTranspose(2, 4, {k}, {s}, {m}, group={g}, has_bias={c}))[1](x)
Conv3d layers   | x := array(F32, [1, 2, number(2, 3), 3, 3], special=False) ; k := number(1, 2) ; s := number(1, 2) ; m := one("'valid'", "'same'") ; (ms.set_seed(1), nn.Conv3d(2, 2, {k}, {s}, {m}))[1](x) ; (ms.set_seed(1), nn.Conv3dTranspose(2, 2, {k}, {s}, {m}))[1](x)
layers with norms | x := array(F32, [number(1, 3), 2, number(1, 3), 2], special=False) ; y := array(F32, [number(1, 3), 4], special=False) ; (ms.set_seed(1), nn.Conv2dBnAct(2, 3, 1, has_bn=True, activation="relu"))[1](x) ; (ms.set_seed(1), nn.DenseBnAct(4, 2, has_bn=True, activation="tanh"))[1](y) ; nn.SyncBatchNorm(2)(x) ; nn.LayerNorm((4,))(y) ; nn.LayerNorm({x.shape[2:]}, 2, 2, epsilon=1e-3)(x)
other layers    | x := array(F32, [number(1, 2), number(1, 2), number(2, 3), number(2, 3)]) ; i := indices([2], 4) ; p := number(0, 2) ; n := one("'relu'", "'tanh'", "'sigmoid'", "'gelu'", "'leakyrelu'", "'softmax'") ; (ms.set_seed(1), nn.Embedding(4, 3))[1](i) ; nn.Pad(((0, 0), (0, 1), (1, {p}), (0, 1)))(x) ; nn.Pad(((0, 0), (0, 0), (1, 1), (0, 1)), "SYMMETRIC")(x) ; nn.ZeroPad2d(({p}, 0, 1, 2))(x) ; nn.get_activation({n})(x) ; nn.PReLU({x.shape[1]}, 0.3)(x) ; nn.MatMul()(x, x.swapaxes(2, 3))
old names       | x := array(FLOATS) ; y := like(x) ; a := axes(x) or () ; ops.tensor_add(x, y) ; ops.reduce_sum(x, {a}) ; ops.reduce_mean(x, {a}) ; ops.stop_gradient(x) * y ; ops.equal(x, y)
one_hot function | i := indices(shape(0, 3), 4, ("int32", "int64")) ; d := number(1, 5) ; a := one(-1, 0) ; ops.one_hot(i, {d}, Tensor(1.0, ms.float32), Tensor(0.0, ms.float32), {a}) ; ops.one_hot(i, {d})

complex one     | x := array(("complex64", "complex64", "complex128")) ; n := one("abs", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sqrt", "rsqrt", "square", "reciprocal", "neg", "conj", "real", "imag", "angle", "sigmoid", "log1p", "expm1", "asin", "acos", "atan", "asinh", "acosh", "sum", "mean", "prod", "ones_like", "zeros_like") ; ops.{n}(x) ; -x ; x.T
complex two     | x := array(("complex64", "complex64", "complex128")) ; y := broadcast(x, one(x.dtype, x.dtype, "float32")) ; n := one("add", "sub", "mul", "div", "pow", "equal", "not_equal", "xlogy", "tensor_div") ; ops.{n}(x, y) ; ops.{n}(y, x) ; x * 2 ; x + y
complex gradients | x := array(F32, special=False) ; y := like(x, special=False) ; n := one("exp", "sin", "cos", "sqrt", "square", "neg", "conj", "log", "sinh", "tanh") ; ops.real(ops.{n}(ops.Complex()(x, y))) ; ops.imag(ops.{n}(ops.Complex()(x, y))) ; ops.abs(ops.Complex()(x, y)) ; ops.real(ops.Complex()(x, y) * ops.Complex()(y, x))

mint arithmetic | x := array() ; y := second(x) ; s := one(2, 0.5, -1) ; mint.add(x, {y}, alpha={s}) ; mint.sub(x, {y}, alpha={s}) ; mint.div(x, {y}) ; mint.div(x, {y}, rounding_mode="floor") ; mint.mul(x, {y}) ; mint.pow(x, {y}) ; mint.remainder(x, {y})
mint reductions | x := array() ; a := axis(x) ; k := flag() ; mint.sum(x, {a}, {k}) ; mint.mean(x, {a}, {k}) ; mint.max(x, {a}, {k}) ; mint.min(x, {a}, {k}) ; mint.prod(x, {a}, {k}) ; mint.argmax(x, {a}, {k}) ; mint.amax(x, {a}, {k}) ; mint.all(x, {a}, {k}) ; mint.cumsum(x, {a}) ; mint.logsumexp(x, {a}, {k}) ; mint.norm(x, 2, {a}, {k}) ; mint.var(x, {a}, keepdim={k})
mint shapes     | x := array(low=1) ; y := like(x) ; a := axis(x) ; n := number(1, 3) ; mint.cat((x, y), {a}) ; mint.stack((x, y), {a}) ; mint.split(x, {n}, {a}) ; mint.chunk(x, {n}, {a}) ; mint.flatten(x, {a}) ; mint.unsqueeze(x, {a}) ; mint.transpose(x, {a}, 0) ; mint.flip(x, ({a},)) ; mint.narrow(x, {a}, 0, 1) ; mint.tril(x) ; mint.tile(x, ({n},)) ; mint.isclose(x, y)
mint functions  | x := array(FLOATS, low=1) ; a := axis(x) ; n := one("relu", "gelu", "silu", "sigmoid", "tanh", "softplus", "elu", "leaky_relu", "mish", "logsigmoid", "hardswish", "hardsigmoid") ; mint.nn.functional.{n}(x) ; mint.nn.functional.softmax(x, {a}) ; mint.softmax(x, {a}) ; mint.nn.functional.log_softmax(x, {a}) ; mint.nn.functional.layer_norm(x, {x.shape[-1:]})
mint matmul     | n := number(1, 4) ; x := array(F32, [number(1, 3), n]) ; y := array(F32, [n, number(1, 3)]) ; w := array(F32, [2, n]) ; mint.matmul(x, y) ; mint.mm(x, y) ; mint.nn.functional.linear(x, w) ; mint.addmm(mint.mm(x, y), x, y, beta=0.5)
numpy functions | x := array(FLOATS) ; y := like(x) ; a := axis(x) ; k := flag() ; mnp.stack([x, y], {a}) ; mnp.sqrt(x) ; mnp.flip(x, {a}) ; mnp.flip(x) ; mnp.zeros_like(x) ; mnp.ones_like(x) ; mnp.greater(x, y) ; mnp.less_equal(x, y) ; mnp.sum(x, axis={a}, keepdims={k}) ; mnp.mean(x, {a}, {k}) ; mnp.where(x > 0, x, y) ; mnp.concatenate((x, y), {a}) ; mnp.add(x, y) ; mnp.expand_dims(x, {a})

cross_entropy   | n := number(1, 3) ; c := number(1, 4) ; x := array(F32, [n, c], special=False) ; t := indices([n], c, ("int32",)) ; r := one("'mean'", "'sum'", "'none'") ; s := one(0.0, 0.1) ; ops.cross_entropy(x, t, reduction={r}, label_smoothing={s}) ; nn.CrossEntropyLoss(reduction={r})(x, t) ; nn.CrossEntropyLoss(ignore_index=0, reduction={r})(x, t)
nll_loss        | n := number(1, 3) ; c := number(1, 4) ; x := array(F32, [n, c]) ; t := indices([n], c, ("int32",)) ; w := array(F32, [c], values="positive") ; r := one("'mean'", "'sum'", "'none'") ; ops.nll_loss(x, t, reduction={r}) ; ops.nll_loss(x, t, w, reduction={r})
SoftmaxCrossEntropyWithLogits | n := number(1, 3) ; c := number(1, 4) ; x := array(F32, [n, c], special=False) ; y := array(F32, [n, c], values="unit") ; t := indices([n], c, ("int32",)) ; r := one("'mean'", "'sum'", "'none'") ; nn.SoftmaxCrossEntropyWithLogits(reduction={r})(x, y) ; nn.SoftmaxCrossEntropyWithLogits(True, {r})(x, t) ; ops.SoftmaxCrossEntropyWithLogits()(x, y)
SigmoidCrossEntropyWithLogits | x := array(FLOATS, special=False) ; y := like(x, values="unit") ; ops.SigmoidCrossEntropyWithLogits()(x, y)
BCEWithLogitsLoss | x := array(F32, special=False) ; y := like(x, values="unit") ; w := like(x, values="positive") ; r := one("'mean'", "'sum'", "'none'") ; ops.BCEWithLogitsLoss({r})(x, y, w, w) ; nn.BCEWithLogitsLoss({r})(x, y) ; ops.binary_cross_entropy_with_logits(x, y, w, w, {r})
BinaryCrossEntropy | x := array(FLOATS, values="unit") ; y := like(x, values="unit") ; w := like(x, values="positive") ; r := one("'mean'", "'sum'", "'none'") ; ops.BinaryCrossEntropy({r})(x, y, w) ; nn.BCELoss(reduction={r})(x, y) ; ops.binary_cross_entropy(x, y, w, {r})
MSELoss         | x := array(FLOATS) ; y := broadcast(x, exact=True) ; r := one("'mean'", "'sum'", "'none'") ; nn.MSELoss({r})(x, y) ; ops.mse_loss(x, y, {r})
L1Loss          | x := array(FLOATS) ; y := like(x) ; r := one("'mean'", "'sum'", "'none'") ; nn.L1Loss({r})(x, y) ; nn.MAELoss({r})(x, y) ; ops.l1_loss(x, y, {r})
SmoothL1Loss    | x := array(FLOATS) ; y := like(x) ; b := one(1.0, 0.5) ; r := one("'mean'", "'sum'", "'none'") ; nn.SmoothL1Loss({b}, {r})(x, y) ; ops.SmoothL1Loss({b}, {r})(x, y) ; ops.smooth_l1_loss(x, y, {b}, {r})
HuberLoss       | x := array(F32) ; y := like(x) ; d := one(1.0, 0.5) ; r := one("'mean'", "'sum'", "'none'") ; nn.HuberLoss({r}, {d})(x, y) ; ops.huber_loss(x, y, {r}, {d})
KLDivLoss       | x := array(F32, low=1) ; y := like(x, values="unit") ; r := one("'mean'", "'sum'", "'none'", "'batchmean'") ; ops.kl_div(x, y, {r}) ; nn.KLDivLoss({r})(x, y)
DiceLoss        | x := array(F32, low=1, values="unit") ; y := like(x, values="unit") ; nn.DiceLoss()(x, y)
CosineEmbeddingLoss | x := array(F32, [number(1, 3), 2], special=False) ; y := like(x, special=False) ; t := constant([one(1, -1) for n in range(x.shape[0])]) ; nn.CosineEmbeddingLoss(0.1)(x, y, t)
CTCLoss         | t := number(2, 4) ; c := number(3, 4) ; x := array(F32, [t, 1, c], special=False, view=False) ; n := number(1, min(2, t - 1)) ; v := indices([n], c - 1, ("int32",)) ; i := constant([[0, k] for k in range(n)], "int64") ; l := constant([t], "int32") ; ops.CTCLoss()(x, i, v, l)[0]
ctc_loss        | t := number(2, 4) ; c := number(3, 4) ; x := array(F32, [t, 1, c], special=False, view=False) ; n := number(1, min(2, t // 2)) ; v := constant([[one(*range(1, c)) for k in range(n)]]) ; l := constant([t]) ; m := constant([n]) ; r := one("'mean'", "'sum'", "'none'") ; ops.ctc_loss(ops.log_softmax(x), v, l, m, 0, {r})[0]
Dense           | x := array(F32, low=1, empty=False) ; nn.Dense({x.shape[-1]}, 2, weight_init="ones", has_bias=False)(x)
"""


@cache
def table() -> dict[str, list[str]]:
    """Every operator's line in parts; the elementwise ones from the registry come first."""
    from ms2torch import ops  # noqa: F401  (fills the registry)
    from ms2torch._core.operators.registry import OPS

    found = {}
    for name, definition in sorted(OPS.items()):
        if name != definition.name or name.startswith(_OTHER_KINDS):
            continue
        takes = list(inspect.signature(definition.kernel).parameters)
        if len(takes) == 1 and takes[0] in _ONE | {"inputs"} and name not in NOT_UNARY:
            found[name] = ["x := array()", *_spellings(definition, "x")]
        elif len(takes) == 2 and takes[0] in _ONE and takes[1] in _OTHER and name not in NOT_BINARY:
            found[name] = ["x := array()", "y := second(x)", *_spellings(definition, "x, {y}")]
    for line in LINES.strip().splitlines():
        if line.strip():
            name, rest = line.split("|", 1)
            found[name.strip()] = [part.strip() for part in rest.split(" ; ")]
    return found


def _spellings(definition, operands) -> list[str]:
    forms = [f"ops.{definition.name}({operands})"]
    if definition.primitive is not None:
        forms.append(f"ops.{definition.primitive.__name__}()({operands})")
    if definition.name in definition.methods:
        forms.append(f"x.{definition.name}({operands[3:]})")
    return forms


def cases(name: str):
    """The strategy that draws cases of an operator."""
    parts = table()[name]
    given = [p.partition(":=")[::2] for p in parts if ":=" in p]
    spellings = [p for p in parts if ":=" not in p]

    @st.composite
    def one(draw):
        names = _vocabulary(Draws(draw))
        operands = []
        for variable, expression in given:
            value = eval(expression, names)
            names[variable.strip()] = value
            if isinstance(value, Operand):
                value.name = variable.strip()
                operands.append(value)
        template = draw(st.sampled_from(spellings))
        call = re.sub(r"\{(.*?)\}(?!\})", lambda m: str(eval(m[1], names)), template)
        used = [o for o in operands if re.search(rf"\b{o.name}\b", call)]
        return Case(tuple(f"{o.name} = {o.text}" for o in used), call,
                    tuple(o.name for o in used if "float" in o.dtype), _facts(used))

    return one()


def _vocabulary(draws: Draws) -> dict:
    words = {w: getattr(draws, w) for w in dir(draws) if not w.startswith("_")}
    kinds = {k: getattr(inputs, k) for k in ("FLOATS", "INTS", "ANY", "WHOLE", "F32")}
    return {**words, **kinds}


def _facts(operands) -> dict:
    return {"dtypes": tuple(o.dtype for o in operands), "shapes": tuple(o.shape for o in operands),
            "special": any(o.special for o in operands), "empty": any(0 in o.shape for o in operands),
            "view": any(o.view for o in operands), "scalar": any(not o.shape for o in operands)}
