"""``mindspore.numpy``, which reads as numpy does."""

from __future__ import annotations

from .operators import reduction
from .table import rule, table

table(
    "numpy",
    """
concatenate | torch.cat({arrays}, dim={axis?})
stack | torch.stack({arrays}, dim={axis?})
squeeze | torch.squeeze({a}, {axis?})
expand_dims | {a}.unsqueeze({axis})
transpose | {a}.permute({axes*})
reshape | {x}.reshape({new_shape*})
where | torch.where({condition}, {x}, {y})
sqrt | torch.sqrt({x})
exp | torch.exp({x})
log | torch.log({x})
abs | torch.abs({x})
square | torch.square({x})
maximum | torch.maximum({x1}, {x2})
minimum | torch.minimum({x1}, {x2})
matmul | torch.matmul({x1}, {x2})
tile | {a}.tile({reps})
broadcast_to | {array}.expand({shape*})
flip | torch.flip({m}, {axis})
ones_like | torch.ones_like({a})
zeros_like | torch.zeros_like({a})
eye | torch.eye({N}, {M?})
full | torch.full({shape}, {fill_value}, dtype={dtype?})
zeros | torch.zeros({shape}, dtype={dtype?})
ones | torch.ones({shape}, dtype={dtype?})
clip | torch.clamp({x}, {xmin}, {xmax})
meshgrid | torch.meshgrid({xi}, indexing={indexing})
linspace | torch.linspace({start}, {stop}, {num})
sin | torch.sin({x})
cos | torch.cos({x})
tan | torch.tan({x})
tanh | torch.tanh({x})
arctan2 | torch.atan2({x1}, {x2})
log1p | torch.log1p({x})
sign | torch.sign({x})
floor | torch.floor({x})
ceil | torch.ceil({x})
isnan | torch.isnan({x})
add | torch.add({x1}, {x2})
subtract | torch.sub({x1}, {x2})
multiply | torch.mul({x1}, {x2})
divide | torch.true_divide({x1}, {x2})
power | torch.pow({x1}, {x2})
outer | torch.outer({a}, {b})
swapaxes | torch.swapaxes({x}, {axis1}, {axis2})
moveaxis | torch.moveaxis({a}, {source}, {destination})
hstack | torch.hstack({tup})
vstack | torch.vstack({tup})
tril | torch.tril({m}, {k?})
triu | torch.triu({m}, {k?})
diag | torch.diag({v}, {k?})
diagonal | torch.diagonal({a}, offset={offset?}, dim1={axis1?}, dim2={axis2?})
identity | torch.eye({n})
full_like | torch.full_like({a}, {fill_value}, dtype={dtype?})
roll | torch.roll({a}, {shift}, {axis?})
ravel | {x}.flatten()
column_stack | torch.column_stack({tup})
split array_split | torch.tensor_split({x}, {indices_or_sections}, dim={axis?})
norm | torch.linalg.norm({x}, ord={ord?}, dim={axis?}, keepdim={keepdims?})
tensordot | torch.tensordot({a}, {b}, {axes?})
inner | torch.inner({a}, {b})
std | torch.std({x}, dim={axis?}, correction={ddof}, keepdim={keepdims?}) | divides by n unless told, PyTorch by n - 1 | 默认除以 n，PyTorch 除以 n - 1
var | torch.var({x}, dim={axis?}, correction={ddof}, keepdim={keepdims?}) | divides by n unless told, PyTorch by n - 1 | 默认除以 n，PyTorch 除以 n - 1
argmax | torch.argmax({a}, dim={axis?}) | places are int64, MindSpore's int32 | 下标是 int64，MindSpore 是 int32
argmin | torch.argmin({a}, dim={axis?}) | places are int64, MindSpore's int32 | 下标是 int64，MindSpore 是 int32
equal | {x1} == {x2}
not_equal | {x1} != {x2}
less | {x1} < {x2}
less_equal | {x1} <= {x2}
greater | {x1} > {x2}
greater_equal | {x1} >= {x2}
logical_and | torch.logical_and({x1}, {x2})
logical_or | torch.logical_or({x1}, {x2})
logical_not | torch.logical_not({a})
isfinite | torch.isfinite({x})
isinf | torch.isinf({x})
negative | -{a}
remainder mod | torch.remainder({x1}, {x2})
floor_divide | torch.floor_divide({x1}, {x2})
round | torch.round({a}, decimals={decimals?})
arcsin | torch.asin({x})
arccos | torch.acos({input})
arctan | torch.atan({x})
sinh | torch.sinh({x})
cosh | torch.cosh({x})
exp2 | torch.exp2({x})
expm1 | torch.expm1({x})
log2 | torch.log2({x})
log10 | torch.log10({x})
absolute fabs | torch.abs({x})
true_divide | torch.true_divide({x1}, {x2})
reciprocal | torch.reciprocal({x})
trunc fix | torch.trunc({x})
arcsinh | torch.asinh({x})
arccosh | torch.acosh({x})
arctanh | torch.atanh({x})
logical_xor | torch.logical_xor({x1}, {x2})
fmod | torch.fmod({x1}, {x2})
hypot | torch.hypot({x1}, {x2})
logaddexp | torch.logaddexp({x1}, {x2})
rad2deg | torch.rad2deg({x})
deg2rad | torch.deg2rad({x})
copysign | torch.copysign({x1}, {x2})
trace | torch.trace({a})
diff | torch.diff({a}, n={n?}, dim={axis?})
kron | torch.kron({a}, {b})
repeat | torch.repeat_interleave({a}, {repeats}, dim={axis?})
take_along_axis | torch.take_along_dim({arr}, {indices}.long(), {axis})
isclose | torch.isclose({a}, {b}, rtol={rtol?}, atol={atol?}, equal_nan={equal_nan?})
count_nonzero | torch.count_nonzero({x}, dim={axis?})
rot90 | torch.rot90({a}, {k?}, {axes?})
empty | torch.empty({shape}, dtype={dtype?})
""",
)

reduction("numpy.sum", "a", "axis", "keepdims", "sum")
reduction("numpy.mean", "a", "axis", "keepdims", "mean")
reduction("numpy.max numpy.amax", "a", "axis", "keepdims", "amax")
reduction("numpy.min numpy.amin", "a", "axis", "keepdims", "amin")


@rule("numpy.cumsum numpy.cumprod", "torch.<name>(x, dim=axis)", "all elements in a row without an axis", "不给轴时展平")
def running(call):
    x = "{a}" if call.value("axis") is not None else "{a}.flatten()"
    axis = "{axis}" if "axis" in call else "0"
    return f"torch.{call.name.rpartition('.')[2]}({x}, dim={axis}, dtype={{dtype?}})"


@rule("numpy.dot", "torch.tensordot(a, b, ([-1], [-2]))")
def dot(call):
    """Sums over the last axis of one and the last but one of the other."""
    call.helper("dot")
    return "dot({a}, {b})"
