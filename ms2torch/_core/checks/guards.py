"""Primitives whose kernels here would take inputs that MindSpore refuses: they look at them first, at the
price of about a microsecond. Those of every network's forward pass stay out."""

from pathlib import Path

from ms2torch._core.checks.calls import PRIMITIVES_BEHIND
from ms2torch._core.checks.overloads import OVERLOADS
from ms2torch._core.checks.single_forms import SINGLE_FORMS

GUARDED = frozenset((
    "Adam", "AdamNoUpdateParam", "AdaptiveAvgPool3D", "AdaptiveMaxPool3D", "Addcdiv", "Addcmul",
    "AdjustSaturation", "ApplyAdaMax", "ApplyAdadelta", "ApplyAdagrad", "ApplyAdagradDA", "ApplyAdagradV2",
    "ApplyAdamWithAmsgrad", "ApplyAdamWithAmsgradV2", "ApplyAddSign", "ApplyCenteredRMSProp", "ApplyFtrl",
    "ApplyGradientDescent", "ApplyMomentum", "ApplyProximalAdagrad", "ApplyProximalGradientDescent",
    "ApplyRMSProp", "ApproximateEqual", "BCEWithLogitsLoss", "BartlettWindow", "BatchToSpaceND",
    "Bernoulli", "BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "BesselJ0", "BesselJ1", "BesselK0",
    "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1", "Betainc", "Bincount", "BlackmanWindow",
    "BoundingBoxDecode", "CTCLoss", "ChannelShuffle", "CheckNumerics", "CheckValid", "CholeskySolve",
    "ClipByNorm", "Coalesce", "Col2Im", "CombinedNonMaxSuppression", "CompareAndBitpack", "Complex",
    "ComplexAbs", "Conj", "CropAndResize", "CumulativeLogsumexp", "DataFormatVecPermute",
    "DeformableOffsets", "DenseToCSRSparseMatrix", "DiagPart", "Digamma", "Eig", "EmbeddingLookup", "Eps",
    "ExtractGlimpse", "FractionalMaxPool", "FractionalMaxPool3DWithFixedKsize", "FusedSparseAdam",
    "FusedSparseFtrl", "FusedSparseLazyAdam", "FusedSparseProximalAdagrad", "GatherD", "Ger",
    "GridSampler3D", "HSVToRGB", "HShrink", "HammingWindow", "Heaviside", "Histogram", "IOU", "Igamma",
    "Igammac", "Im2Col", "InTopK", "IndexAdd", "IndexFill", "IndexPut", "InplaceAdd", "InplaceIndexAdd",
    "InplaceSub", "InplaceUpdateV2", "Invert", "IsClose", "KLDivLoss", "L2Loss", "L2Normalize", "Lgamma",
    "ListDiff",
    "LogNormalReverse", "LogSpace", "LogUniformCandidateSampler", "LowerBound", "LpNorm", "Lstsq",
    "LuSolve", "LuUnpack", "MatrixBandPart", "MatrixDiagPartV3", "MatrixDiagV3", "MatrixInverse",
    "MatrixLogarithm", "MatrixPower", "MatrixSetDiagV3", "MatrixSolve", "MatrixSolveLs",
    "MatrixTriangularSolve", "MaxPool3D", "MaxUnpool2D", "MaxUnpool3D", "Median", "MirrorPad",
    "MultiMarginLoss", "MultinomialWithReplacement", "Mvlgamma", "NMSWithMask", "NextAfter",
    "NoRepeatNGram", "NonDeterministicInts", "NonMaxSuppressionWithOverlaps", "NthElement", "OneHot",
    "Orgqr", "PReLU", "ParameterizedTruncatedNormal", "Pdist", "Polar", "Polygamma", "PopulationCount",
    "ROIAlign", "RandomCategorical", "RandomChoiceWithMask", "RandomGamma", "RandomPoisson", "Renorm",
    "ResizeArea", "ReverseSequence", "RightShift", "Rint", "SGD", "STFT", "ScaleAndTranslate", "Scatter",
    "ScatterAddWithAxis", "ScatterNdAdd", "ScatterNdDiv", "ScatterNdMax", "ScatterNdMin", "ScatterNdMul",
    "ScatterNdSub", "ScatterSub", "SeLU", "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd",
    "SegmentSum", "SigmoidCrossEntropyWithLogits", "SolveTriangular", "Sort", "SparseApplyAdagradV2",
    "SparseApplyFtrl", "SparseApplyRMSProp", "SparseSegmentMean", "SparseSoftmaxCrossEntropyWithLogits",
    "SparseTensorDenseAdd", "SparseTensorDenseMatmul", "SparseToDense", "SquareSumAll", "SubAndFilter",
    "TensorScatterDiv", "TensorScatterElements", "TensorScatterMax", "TensorScatterMin", "TensorScatterMul",
    "TensorScatterSub", "TensorScatterUpdate", "TopK", "Trace", "TridiagonalMatMul", "Tril",
    "UniformCandidateSampler", "UniformInt", "UniqueWithPad", "UnsortedSegmentMax", "UnsortedSegmentMin",
    "UnsortedSegmentProd", "UpperBound", "Zeta",
))

# Functions that hand their arguments to their Primitive as they are: what that asks of kinds and dtypes comes
# first there too.
DIRECT = frozenset(f"ops.{name}" for name in (
    "adaptive_avg_pool3d", "bartlett_window", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e",
    "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e", "bessel_y0",
    "bessel_y1", "bitwise_and", "bitwise_or", "bitwise_xor", "blackman_window", "check_valid", "digamma",
    "fmax", "gather_d", "hypot", "igamma", "igammac", "imag", "inplace_add", "inplace_sub", "inv",
    "invert", "iou", "isclose", "isnan", "lcm", "lgamma", "lrn", "lu_solve", "lu_unpack",
    "matrix_band_part", "matrix_diag_part", "matrix_set_diag", "mish", "mvlgamma", "orgqr", "polar",
    "population_count", "relu6", "reverse_sequence", "scatter_add", "scatter_div", "scatter_max",
    "scatter_min", "scatter_mul", "scatter_nd_add", "scatter_nd_div", "scatter_nd_max", "scatter_nd_min",
    "scatter_nd_mul", "scatter_nd_sub", "scatter_update", "selu", "softsign", "sort",
    "tensor_scatter_div", "tensor_scatter_max", "tensor_scatter_min", "tensor_scatter_mul",
    "tensor_scatter_sub", "tril", "truncate_mod", "unique_with_pad", "unsorted_segment_max",
    "unsorted_segment_min", "unsorted_segment_prod", "xdivy",
))


def _read() -> tuple[dict[str, dict[str, list[str]]], frozenset[str]]:
    looking, apart = {}, set()
    for line in Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines():
        called, _, kinds = line.partition("\t")
        if kinds:
            looking[called] = {place: told.split(",") for place, _, told in
                               (part.partition(":") for part in kinds.split(";"))}
        else:
            apart.add(called)
    others = {n for n in PRIMITIVES_BEHIND if not n.startswith("ops.")}
    return looking, frozenset(apart) | OVERLOADS.keys() | SINGLE_FORMS.keys() | others


# Calls of which the same holds by the table of refused calls, with the kinds that are wrong by argument; and
# methods and mint functions that have words of their own there (guards.tsv, which sweep_errors.py writes).
LOOKING, APART = _read()
