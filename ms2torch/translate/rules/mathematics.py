"""Arithmetic, reductions, matrices and orders: operators that PyTorch has under another name or with other arguments."""

from __future__ import annotations

from ms2torch._naming import generations

from .table import rule, table

_PLACES = "places are int64, MindSpore's int32 | 下标是 int64，MindSpore 是 int32"

table(
    "ops",
    f"""
subtract | torch.sub({{input}}, {{other}}, alpha={{alpha?}})
multiply | torch.mul({{input}}, {{other}})
true_divide | torch.true_divide({{dividend}}, {{divisor}})
floor_divide | torch.floor_divide({{input}}, {{other}})
floor_mod FloorMod | torch.remainder({{x}}, {{y}})
remainder | torch.remainder({{input}}, {{other}})
fmod | torch.fmod({{input}}, {{other}})
hypot | torch.hypot({{input}}, {{other}})
logaddexp | torch.logaddexp({{input}}, {{other}})
logaddexp2 | torch.logaddexp2({{input}}, {{other}})
fmax | torch.fmax({{input}}, {{other}})
fmin | torch.fmin({{input}}, {{other}})
copysign | torch.copysign({{x}}, {{other}})
nextafter | torch.nextafter({{input}}, {{other}})
heaviside | torch.heaviside({{input}}, {{values}})
gcd | torch.gcd({{input}}, {{other}})
lcm | torch.lcm({{input}}, {{other}})
bitwise_and | torch.bitwise_and({{input}}, {{other}})
bitwise_or | torch.bitwise_or({{input}}, {{other}})
bitwise_xor | torch.bitwise_xor({{input}}, {{other}})
bitwise_left_shift | {{input}} << {{other}}
bitwise_right_shift | {{input}} >> {{other}}
trunc | torch.trunc({{input}})
frac | torch.frac({{x}})
exp2 | torch.exp2({{input}})
expm1 | torch.expm1({{input}})
log2 | torch.log2({{input}})
log10 | torch.log10({{input}})
asinh arcsinh | torch.asinh({{input}})
acosh arccosh | torch.acosh({{input}})
atanh arctanh | torch.atanh({{input}})
sinc | torch.sinc({{input}})
sgn | torch.sgn({{input}})
signbit | torch.signbit({{input}})
lgamma | torch.lgamma({{input}})
digamma | torch.digamma({{input}})
polygamma | torch.polygamma({{n}}, {{input}})
deg2rad | torch.deg2rad({{x}})
rad2deg | torch.rad2deg({{x}})
isneginf | torch.isneginf({{input}})
isposinf | torch.isposinf({{input}})
nan_to_num | torch.nan_to_num({{input}}, {{nan?}}, {{posinf?}}, {{neginf?}})
isclose | torch.isclose({{input}}, {{other}}, rtol={{rtol?}}, atol={{atol?}}, equal_nan={{equal_nan?}})
SquaredDifference | ({{x}} - {{y}}) ** 2
var | torch.var({{input}}, dim={{axis?}}, correction={{ddof}}, keepdim={{keepdims?}}) | divides by n unless told, PyTorch by n - 1 | 默认除以 n，PyTorch 除以 n - 1
amax | torch.amax({{input}}, dim={{axis?}}, keepdim={{keepdims?}})
amin | torch.amin({{input}}, dim={{axis?}}, keepdim={{keepdims?}})
aminmax | torch.aminmax({{input}}, dim={{axis}}, keepdim={{keepdims?}})
median | torch.median({{input}}, dim={{axis}}, keepdim={{keepdims?}})
argmin | torch.argmin({{input}}, dim={{axis?}}, keepdim={{keepdims?}})
Argmin | torch.argmin({{x}}, dim={{axis}}) | {_PLACES}
argsort | torch.argsort({{input}}, dim={{axis?}}, descending={{descending?}}) | {_PLACES}
msort | torch.msort({{input}})
cummax | torch.cummax({{input}}, dim={{axis}})
cummin | torch.cummin({{input}}, dim={{axis}})
cumprod | torch.cumprod({{input}}, dim={{dim}}, dtype={{dtype?}})
logcumsumexp | torch.logcumsumexp({{input}}, dim={{axis}})
nansum | torch.nansum({{input}}, dim={{axis?}}, keepdim={{keepdims?}})
nanmean | torch.nanmean({{input}}, dim={{axis?}}, keepdim={{keepdims?}})
diff | torch.diff({{x}}, n={{n?}}, dim={{axis?}}, prepend={{prepend?}}, append={{append?}})
cov | torch.cov({{input}}, correction={{correction?}})
histc | torch.histc({{input}}, bins={{bins?}}, min={{min?}}, max={{max?}})
bincount | torch.bincount({{input}}, {{weights?}}, minlength={{minlength?}}).float() | PyTorch's are integers | PyTorch 的结果是整数
searchsorted | torch.searchsorted({{sorted_sequence}}, {{values}}, right={{right?}})
bucketize | torch.bucketize({{input}}, torch.tensor({{boundaries}}), right={{right?}})
unique_consecutive | torch.unique_consecutive({{input}}, return_inverse={{return_inverse?}}, return_counts={{return_counts?}}, dim={{dim?}})
index_select | torch.index_select({{input}}, {{axis}}, {{index}})
narrow | {{input}}.narrow({{axis}}, {{start}}, {{length}})
permute | {{input}}.permute({{axis*}})
swapdims | {{input}}.swapaxes({{dim0}}, {{dim1}})
moveaxis movedim | torch.movedim({{x}}, {{source}}, {{destination}})
fliplr | torch.fliplr({{input}})
flipud | torch.flipud({{input}})
rot90 | torch.rot90({{input}}, {{k}}, {{dims}})
repeat_elements | torch.repeat_interleave({{x}}, {{rep}}, dim={{axis}})
tensor_split | torch.tensor_split({{input}}, {{indices_or_sections}}, dim={{axis?}})
hsplit | torch.hsplit({{input}}, {{indices_or_sections}})
vsplit | torch.vsplit({{input}}, {{indices_or_sections}})
dsplit | torch.dsplit({{input}}, {{indices_or_sections}})
scatter | {{input}}.scatter({{axis}}, {{index}}.long(), {{src}})
diag | torch.diag({{input}})
diagonal | torch.diagonal({{input}}, offset={{offset?}}, dim1={{dim1?}}, dim2={{dim2?}})
trace | torch.trace({{input}})
cross | torch.cross({{input}}, {{other}}, dim={{dim?}})
inner | torch.inner({{input}}, {{other}})
vecdot | torch.linalg.vecdot({{x}}, {{y}}, dim={{axis?}})
mv | torch.mv({{mat}}, {{vec}})
kron | torch.kron({{input}}, {{other}})
tensor_dot | torch.tensordot({{x1}}, {{x2}}, {{axes}})
addmm | torch.addmm({{input}}, {{mat1}}, {{mat2}}, beta={{beta?}}, alpha={{alpha?}})
addmv | torch.addmv({{input}}, {{mat}}, {{vec}}, beta={{beta?}}, alpha={{alpha?}})
addr | torch.addr({{x}}, {{vec1}}, {{vec2}}, beta={{beta?}}, alpha={{alpha?}})
addbmm | torch.addbmm({{input}}, {{batch1}}, {{batch2}}, beta={{beta?}}, alpha={{alpha?}})
baddbmm | torch.baddbmm({{input}}, {{batch1}}, {{batch2}}, beta={{beta?}}, alpha={{alpha?}})
addcdiv | torch.addcdiv({{input}}, {{tensor1}}, {{tensor2}}, value={{value?}})
addcmul | torch.addcmul({{input}}, {{tensor1}}, {{tensor2}}, value={{value?}})
cdist | torch.cdist({{x1}}, {{x2}}, p={{p?}})
dist | torch.dist({{input}}, {{other}}, {{p?}})
det | torch.linalg.det({{input}})
slogdet | torch.linalg.slogdet({{input}})
inv | torch.linalg.inv({{x}})
inverse | torch.linalg.inv({{input}})
matrix_norm | torch.linalg.matrix_norm({{A}}, ord={{ord?}}, dim={{axis?}}, keepdim={{keepdims?}})
vector_norm | torch.linalg.vector_norm({{x}}, ord={{ord?}}, dim={{axis?}}, keepdim={{keepdims?}})
numel | {{input}}.numel()
is_complex | {{input}}.is_complex()
is_floating_point | {{input}}.is_floating_point()
real | torch.real({{input}})
imag | torch.imag({{input}})
conj | torch.conj({{input}})
angle | torch.angle({{input}})
view_as_real | torch.view_as_real({{input}})
fft | torch.fft.fft({{input}}, n={{n?}}, dim={{dim?}}, norm={{norm?}})
ifft | torch.fft.ifft({{input}}, n={{n?}}, dim={{dim?}}, norm={{norm?}})
rfft | torch.fft.rfft({{input}}, n={{n?}}, dim={{dim?}}, norm={{norm?}})
irfft | torch.fft.irfft({{input}}, n={{n?}}, dim={{dim?}}, norm={{norm?}})
fft2 | torch.fft.fft2({{input}}, s={{s?}}, dim={{dim?}}, norm={{norm?}})
ifft2 | torch.fft.ifft2({{input}}, s={{s?}}, dim={{dim?}}, norm={{norm?}})
tril_indices | torch.tril_indices({{row}}, {{col}}, {{offset?}})
triu_indices | torch.triu_indices({{row}}, {{col}}, {{offset?}})
vander | torch.vander({{x}}, {{N?}})
combinations | torch.combinations({{input}}, {{r?}}, with_replacement={{with_replacement?}})
cartesian_prod | torch.cartesian_prod({{inputs}})
block_diag | torch.block_diag({{inputs}})
LinSpace | torch.linspace({{start}}, {{stop}}, {{num}})
""",
)


@rule("ops.CumSum", "torch.cumsum(x, dim=axis)")
@rule("ops.CumProd", "torch.cumprod(x, dim=axis)")
def cumulative(call):
    for name in ("exclusive", "reverse"):
        if call.value(name, False) is not False:
            call.refuse(f"{name}=True has no counterpart")
    sums = call.name.endswith("CumSum")
    return "torch.cumsum({input}, dim={axis})" if sums else "torch.cumprod({x}, dim={axis})"


@rule("ops.count_nonzero", "torch.count_nonzero(x, dim=axis)", "int64; MindSpore's is int32", "结果是 int64，MindSpore 是 int32")
def count_nonzero(call):
    if call.value("keep_dims", False) is not False:
        call.refuse("keep_dims=True has no counterpart")
    if call.value("axis", ()) == ():
        return "torch.count_nonzero({x})"
    return "torch.count_nonzero({x}, dim={axis})"


@rule(
    "ops.std",
    "torch.std(input, dim=axis, correction=ddof, keepdim=keepdims)",
    "divides by n unless told, PyTorch by n - 1",
    "默认除以 n，PyTorch 除以 n - 1",
)
def std(call):
    if generations.has_old_meaning("mindspore.ops.std"):
        call.refuse("before 2.0 it gives the mean too")
    return "torch.std({input}, dim={axis?}, correction={ddof}, keepdim={keepdims?})"
