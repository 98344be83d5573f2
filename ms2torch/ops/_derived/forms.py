"""Generated classes that compute what a definition does: their names, and where it is.

A name stands for the definition of the same name without its ending (``AddExt`` for ``add``, ``NarrowView``
for ``narrow``), in ``mint``, among the ``ops`` functions or among the Tensor methods; other pairs say so:
````. The arguments have MindSpore's order in both.
"""

from __future__ import annotations

import inspect
import re

from ms2torch._core.operators.registry import METHODS, MINT, OPS
from ms2torch._core.tensor.tensor import Tensor

_MINT = """
AcosExt AcoshExt AddExt AddScalar Addbmm AddcdivExt AddcmulExt Addmm Addmv AnyExt ArgMaxExt ArgMinExt
ArgSort AsinExt AsinhExt Atan2Ext AtanExt Baddbmm BincountExt BitwiseAndScalar BitwiseAndTensor BitwiseNot
BitwiseOrScalar BitwiseOrTensor BitwiseXorScalar BitwiseXorTensor BroadcastToView Any Chunk ChunkView
ClampScalar ClampTensor Clone ConvTbc CumminExt CumsumExt DiagExt Divs=div DivMod=div DivMods=div Dot
Embedding EmptyLike EqScalar EqualExt Exp2 FlattenExt FmodScalar FmodTensor Frac FullLike GeluExt
GreaterEqualScalar HistcExt ImagView IndexAddExt IndexSelect IsNegInf Kthvalue LerpScalar LessScalar
LinSpaceExt Log10 Log2 LogAddExp LogAddExp2 LogSumExp MatMulExt MeanExt MedianDim=median MedianExt=median Mm
Mv MishExt Muls=mul Max  Min  Nansum Narrow NarrowView NonZeroExt Norm OnesLikeExt Outer
PowScalarTensor PowTensorScalar ProdExt RealView RemainderScalarTensor RemainderTensorScalar
RemainderTensorTensor RepeatInterleaveInt=repeat_interleave RepeatInterleaveTensor ScatterAddExt
SelectExtView SeLUExt SortExt SplitTensor SplitTensorView=split SplitWithSizeView=split StackExt Std StdMean
SubExt SubScalar SumExt TExt Take TopkExt TraceExt TransposeExtView TriangularSolve TrilExt Var VarMean Vdot
ZerosLikeExt BatchMatMulExt=bmm MatrixInverseExt=inverse CountNonZero LinalgQr=qr
"""
_OPS = """
AdaptiveAvgPool1D AdaptiveAvgPool2DExt AdaptiveAvgPool3DExt AdaptiveMaxPool1D AddRmsNorm AvgPool1D AvgPool2D
AvgPool3DExt BoolNot CosineEmbeddingLoss Diagonal DiagonalView ExpandAs ExpandDimsView FFT FFT2 FFTFreq FFTN
FFTShift FloorDivScalar GatherNdExt Geqrf  HFFT HFFT2 HFFTN Hardtanh IFFT IFFT2 IFFTN IFFTShift
IHFFT IHFFT2 IHFFTN IRFFT IRFFT2 IRFFTN IndexFillScalar IndexFillTensor L1LossExt
 LeakyReLUExt MSELossExt MaskedFillScalar MaxUnpool2DExt OneHotExt PixelShuffle RFFT RFFT2
RFFTFreq RFFTN SelectV2=select SoftMarginLoss SoftplusExt Threshold TypeAs ScalarAdd ScalarDiv ScalarEq
ScalarFloorDiv ScalarGe ScalarGt ScalarLe ScalarLog ScalarLt ScalarMax ScalarMin ScalarMod ScalarMul
ScalarPow ScalarSub ScalarUadd ScalarUsub EluExt
FuncMaxPool2D=max_pool2d RandpermV2=randperm SparseSegmentMean
"""
_METHOD = """
Contiguous InplaceAddExt=add_ InplaceAddsExt=add_ InplaceAddmm=addmm_ InplaceClampScalar=clamp_
InplaceClampTensor=clamp_ InplaceCopy=copy_ InplaceDiv=div_ InplaceDivs=div_ InplaceDivMod=div_
InplaceDivMods=div_ InplaceErfinv=erfinv_ InplaceExp=exp_ InplaceFillDiagonal=fill_diagonal_
InplaceFillScalar=fill_ InplaceFillTensor=fill_ InplaceFloor=floor_ InplaceFloorDivide=floor_divide_
InplaceFloorDivides=floor_divide_  InplaceIndexCopy=index_copy_
InplaceIndexFillScalar=index_fill_ InplaceIndexFillTensor=index_fill_ InplaceIndexPut=index_put_
InnerInplaceIndexPut=index_put_ InplaceLog=log_ InplaceMaskedFillScalar=masked_fill_
InplaceMaskedFillTensor=masked_fill_ InplaceMaskedScatter=masked_scatter_ InplaceMul=mul_ InplaceMuls=mul_
InplacePut=put_ InplaceRemainderTensorScalar=remainder_ InplaceRemainderTensorTensor=remainder_
InplaceScatterAdd=scatter_add_ InplaceSigmoid=sigmoid_ InplaceSign=sign_ InplaceSubExt=sub_
InplaceSubScalar=sub_ InplaceTanh=tanh_ InplaceZero=zero_ NewEmpty NewFull NewOnes NewZeros View=view ViewAs
Index Repeat
"""
_ENDING = re.compile(r"(Ext|View|ExtView|Scalar|Tensor|TensorTensor|TensorScalar|ScalarTensor)$")


def _joined(name: str) -> str:
    return name.replace("_", "").lower()


def _pairs(text: str):
    for entry in text.split():
        name, _, of = entry.partition("=")
        yield name, _joined(of or _ENDING.sub("", name))


def _of(definition):
    """The kernel over torch tensors, or the function itself where it takes Tensors."""
    return getattr(definition, "kernel", None) or on_tensors(definition)


def on_tensors(function):
    """A computation that takes and gives Tensors, or writes to them."""

    def compute(*args, **kwargs):
        return function(*args, **kwargs)

    compute.__signature__ = inspect.signature(function)
    compute.on_tensors = True
    return compute


def by_method(name: str):
    """The computation of a Tensor method; what it takes after the positional ones goes by keyword."""
    return on_tensors(METHODS.get(name) or getattr(Tensor, name))


def table() -> dict[str, object]:
    """The computation of every class that is a name for a definition."""
    mint = {_joined(n): f for n, f in MINT.items()}
    ops = {_joined(n): d.functional for n, d in OPS.items()}
    methods = {}
    for n in dir(Tensor):
        if not n.startswith("__") and callable(getattr(Tensor, n)):
            methods.setdefault(_joined(n) + "_" * n.endswith("_"), n)
    found = {name: _of(mint[of] if of in mint else ops[of]) for name, of in _pairs(_MINT)}
    found |= {name: _of(ops[of] if of in ops else mint[of]) for name, of in _pairs(_OPS)}
    for entry in _METHOD.split():
        name, _, of = entry.partition("=")
        of = of or _ENDING.sub("", name)
        found[name] = by_method(methods[_joined(of) + "_" * of.endswith("_")])
    return found
