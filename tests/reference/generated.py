"""Calls of generated operators that have a kernel on the CPU: name, inputs, tag, what it is made with."""

import mindspore as ms
import numpy as np

from tests.reference.judge import data

UNARY = [
    "AbsGrad",
    "ACosGrad",
    "AsinGrad",
    "AtanGrad",
    "AcoshGrad",
    "AsinhGrad",
    "EluGrad",
    "FastGeLUGrad",
    "HSigmoidGrad",
    "HSwishGrad",
    "HShrinkGrad",
    "SoftShrinkGrad",
    "ReLU6Grad",
    "ReluGrad",
    "ReciprocalGrad",
    "InvGrad",
    "RsqrtGrad",
    "SiLUGrad",
    "SigmoidGrad",
    "SqrtGrad",
    "SoftplusGrad",
    "TanhGrad",
    "LogSoftmaxGrad",
    "LogitGrad",
]


def halves(add):
    x, y = (np.abs(data((2, 3))) % 0.8 + 0.1).astype("float16"), data((2, 3), seed=1).astype("float16")
    for n in UNARY:
        add(n, [x, y])


def elementwise(add):
    x = data((2, 3))
    y = data((2, 3), seed=1)
    z = data((2, 3), seed=2)
    u = (np.abs(x) % 0.8 + 0.1).astype("float32")
    v = (np.abs(y) % 0.8 + 0.1).astype("float32")
    for n in UNARY:
        add(n, [u, y])
    add("GeLUGrad", [x, y, z])
    add("GluGrad", [data((2, 2)), data((2, 4))], axis=-1)
    add("PReLUGrad", [x, y, data((3,))])
    add("PReLUGrad", [x, y, data((1,))], "1")
    add("MaximumGrad", [x, y, z])
    add("MinimumGrad", [x, y, z])
    add("MaximumGrad", [x, x, z], "eq")
    add("MinimumGrad", [x, x, z], "eq")
    add("MaximumGrad", [x, data((3,)), z], "bc")
    add("MaximumGradGrad", [x, y, z, u])
    add("MinimumGradGrad", [x, y, z, u])
    for r in ("mean", "sum", "none"):
        d = np.array(2, "float32") if r != "none" else z
        add("BinaryCrossEntropyGrad", [u, v, d, x], r, reduction=r)
        add("KLDivLossGrad", [d, x, u], r, reduction=r)
        add("SmoothL1LossGrad", [x, y, d], r, beta=0.7, reduction=r)
        dl = d if r != "none" else data((2,))
        add(
            "NLLLossGrad",
            [
                x,
                dl,
                np.array([0, 2], "int32"),
                np.array([0.1, 0.2, 0.3], "float32"),
                np.array(0.4, "float32"),
            ],
            r,
            reduction=r,
        )
        add(
            "MultiMarginLossGrad",
            [dl, x, np.array([0, 2]), np.array([0.1, 0.2, 0.3], "float32")],
            r,
            reduction=r,
        )
    add("SigmoidCrossEntropyWithLogitsGrad", [x, u, z])
    add("MvlgammaGrad", [z, u + 3], p=2)
    add("LogSoftmaxGrad", [x, y], "a", axis=0)
    add("Correlate", [data((5,)), data((3,))])
    c = (x + 1j * y).astype("complex64")
    c2 = (u + 1j * z).astype("complex64")
    for n in [
        "TanhGrad",
        "SigmoidGrad",
        "SqrtGrad",
        "RsqrtGrad",
        "ReciprocalGrad",
        "InvGrad",
        "AsinGrad",
        "ACosGrad",
        "AcoshGrad",
        "AsinhGrad",
    ]:
        add(n, [c, c2], "c")


def layers(add):
    x = data((2, 3))
    y = data((2, 3), seed=1)
    z = data((2, 3), seed=2)
    i4 = data((2, 3, 4, 5))
    j4 = data((2, 3, 4, 5), seed=5)
    m = x.mean(1, keepdims=True)
    v = x.var(1, keepdims=True)
    g = data((3,), seed=3)
    add("LayerNormGrad", [x, y, v, m, g])
    add("LayerNormGradGrad", [x, y, v, m, g, z, data((3,), seed=9), data((3,), seed=8)])
    xx = data((2, 4, 3))
    yy = data((2, 4, 3), seed=3)
    gm = xx.reshape(2, 2, 6).mean(2)
    gv = 1 / np.sqrt(xx.reshape(2, 2, 6).var(2) + 1e-05)
    add("GroupNormGrad", [yy, xx, gm, gv, data((4,)), 2, True, True, True])
    bm = i4.mean((0, 2, 3))
    bv = i4.var((0, 2, 3))
    for training in (True, False):
        saved = [bm, bv, (1 / np.sqrt(bv + 1e-5)).astype("float32")]
        add("BatchNormGrad", [j4, i4, g, *saved], str(training), is_training=training)
    add(
        "BatchNormGradGrad",
        [i4, j4, g, bm, bv, data((2, 3, 4, 5), seed=8), data((3,), seed=6), data((3,), seed=7)],
        is_training=True,
    )
    add("LRNGrad", [i4, j4, i4], depth_radius=1, alpha=0.1)
    add("DropoutGrad", [x, np.ones((2, 3), "float32")], keep_prob=0.5)
    add(
        "Conv2DBackpropFilter",
        [data((2, 6, 2, 3)), i4, (6, 3, 3, 3)],
        out_channel=6,
        kernel_size=(3, 3),
        pad_mode="valid",
    )
    add(
        "Conv2DBackpropFilter",
        [data((2, 6, 4, 5)), i4, (6, 3, 3, 3)],
        "same",
        out_channel=6,
        kernel_size=(3, 3),
        pad_mode="same",
    )
    add(
        "Conv3DBackpropFilter",
        [data((1, 2, 4, 4, 4)), data((1, 3, 3, 3, 3)), (3, 2, 2, 2, 2)],
        out_channel=3,
        kernel_size=2,
    )
    add("GroupNorm", [xx, 2, data((4,)), data((4,))])
    p = data((1, 2, 4, 4))
    for fmt in ("VALID", "SAME"):
        n = 3 if fmt == "VALID" else 4
        add(
            "MaxPoolGradGrad",
            [p, data((1, 2, n, n)), data((1, 2, 4, 4), seed=2)],
            fmt,
            kernel_size=2,
            strides=1,
            pad_mode=fmt,
        )

    def mp(t, k=2):
        n = t.shape[2] - k + 1
        return np.stack(
            [np.stack([t[:, :, i : i + k, j : j + k].max((2, 3)) for j in range(n)], -1) for i in range(n)],
            -2,
        )

    add("MaxPoolGrad", [p, mp(p), data((1, 2, 3, 3), seed=2)], "r", kernel_size=2, strides=1)
    add("MaxPoolGradGrad", [p, mp(p), data((1, 2, 4, 4), seed=2)], "r", kernel_size=2, strides=1)
    p5 = data((1, 2, 4, 4, 4))
    add("MaxPool3DGrad", [p5, data((1, 2, 2, 2, 2)), data((1, 2, 2, 2, 2), seed=2)], kernel_size=2, strides=2)
    idx = np.array([[[[0, 3], [8, 15]], [[1, 2], [9, 10]]]])
    add("MaxPoolGradWithArgmax", [p, data((1, 2, 2, 2)), idx.astype("int32")], kernel_size=2, strides=2)
    add("MaxPoolGradWithArgmaxV2", [p, data((1, 2, 2, 2)), idx], kernel_size=2, strides=2)
    add("MaxPoolGradGradWithArgmax", [p, data((1, 2, 4, 4)), idx], kernel_size=2, strides=2)
    add(
        "MaxPool3DGradWithArgmax",
        [p5, data((1, 2, 2, 2, 2)), np.arange(16).reshape(1, 2, 2, 2, 2).astype("int32")],
        ksize=2,
        strides=2,
        pads=0,
    )
    add("AvgPool3DGrad", [(1, 2, 4, 4, 4), data((1, 2, 2, 2, 2))], kernel_size=2, strides=2)
    add("AdaptiveAvgPool2DGrad", [data((1, 2, 3, 3)), np.array([1, 2, 4, 4])])
    add("AdaptiveAvgPool3DGrad", [data((1, 2, 3, 3, 3)), np.array([1, 2, 4, 4, 4], "int32")])
    add("AdaptiveMaxPool2DGrad", [data((1, 2, 2, 2)), p, idx])
    add(
        "AdaptiveMaxPool3DGrad",
        [data((2, 2, 2, 2)), data((2, 4, 4, 4)), np.arange(16).reshape(2, 2, 2, 2).astype("int32")],
    )
    add(
        "FractionalMaxPool3DGradWithFixedKsize",
        [p5, data((1, 2, 2, 2, 2)), np.arange(16).reshape(1, 2, 2, 2, 2)],
    )
    add(
        "FractionalAvgPoolGrad",
        [np.array([1, 4, 4, 2]), data((1, 2, 2, 2)), np.array([0, 2, 4]), np.array([0, 1, 4])],
    )
    nh = data((1, 4, 4, 2))
    o = np.stack(
        [
            np.stack([nh[:, a:b, c:d].max((1, 2)) for c, d in ((0, 1), (1, 4))], 1)
            for a, b in ((0, 2), (2, 4))
        ],
        1,
    )
    add("FractionalMaxPoolGrad", [nh, o, data((1, 2, 2, 2)), np.array([0, 2, 4]), np.array([0, 1, 4])])


def images(add):
    im = data((1, 2, 3, 4))
    for ac, hp in ((False, False), (True, False), (False, True)):
        t = f"{ac:d}{hp:d}"
        add("ResizeBilinearGrad", [data((1, 2, 6, 5)), im], t, align_corners=ac, half_pixel_centers=hp)
        add("ResizeBicubicGrad", [data((1, 2, 6, 5)), im], t, align_corners=ac, half_pixel_centers=hp)
        add(
            "ResizeNearestNeighborV2Grad",
            [data((1, 2, 6, 5)), np.array([3, 4], "int32")],
            t,
            align_corners=ac,
            half_pixel_centers=hp,
        )
        add(
            "ResizeNearestNeighborGrad",
            [data((1, 2, 6, 5)), (3, 4)],
            t,
            align_corners=ac,
            half_pixel_centers=hp,
        )
    add("ResizeLinear1DGrad", [data((1, 2, 6)), data((1, 2, 3))])
    add(
        "ResizeLinear1DGrad",
        [data((1, 2, 6)), data((1, 2, 3))],
        "h",
        coordinate_transformation_mode="half_pixel",
    )
    add("GridSampler2DGrad", [data((1, 2, 3, 3)), data((1, 2, 4, 4)), data((1, 3, 3, 2)) * 0.5])
    add("GridSampler3DGrad", [data((1, 2, 3, 3, 3)), data((1, 2, 4, 4, 4)), data((1, 3, 3, 3, 3)) * 0.5])
    add("AffineGridGrad", [data((1, 3, 4, 2)), (1, 1, 3, 4)])
    add(
        "ROIAlignGrad",
        [data((1, 2, 2, 2)), np.array([[0, 0, 0, 3, 3]], "float32"), (1, 2, 4, 4)],
        pooled_height=2,
        pooled_width=2,
        spatial_scale=1.0,
    )
    add("UpsampleNearest1DGrad", [data((1, 2, 6)), (1, 2, 3), (6,), None])
    add("UpsampleNearest2DGrad", [data((1, 2, 6, 6)), (1, 2, 3, 3), (6, 6), None])
    add("UpsampleNearest3DGrad", [data((1, 1, 4, 4, 4)), (1, 1, 2, 2, 2), (4, 4, 4), None])
    add("UpsampleNearest3DGrad", [data((1, 1, 4, 4, 4)), (1, 1, 2, 2, 2), None, (2.0, 2.0, 2.0)], "s")
    add("UpsampleTrilinear3DGrad", [data((1, 1, 4, 4, 4)), (1, 1, 2, 2, 2), (4, 4, 4), None])
    add(
        "UpsampleTrilinear3DGrad",
        [data((1, 1, 4, 4, 4)), (1, 1, 2, 2, 2), (4, 4, 4), None],
        "a",
        align_corners=True,
    )
    x = data((4, 3))
    y = data((4, 3), seed=1)
    add("SliceGrad", [data((2, 2)), x, (1, 0), (2, 2)])
    add("StridedSliceGrad", [data((2, 2)), (4, 3), (0, 0), (4, 2), (2, 1)])
    add("FlattenGrad", [data((2, 6)), (2, 2, 3)])
    add("MirrorPadGrad", [data((1, 2, 6, 7)), np.array([[0, 0], [0, 0], [1, 1], [2, 1]])], mode="REFLECT")
    add(
        "MirrorPadGrad",
        [data((1, 2, 6, 7)), np.array([[0, 0], [0, 0], [1, 1], [2, 1]])],
        "s",
        mode="SYMMETRIC",
    )
    for mo in ("reflect", "edge", "circular"):
        add("PadV3Grad", [data((1, 2, 6, 7)), np.array([1, 2, 1, 1])], mo, mode=mo)
    add(
        "PadV3Grad",
        [data((1, 2, 6, 7)), np.array([1, 1, 2, 1])],
        "nc",
        mode="reflect",
        paddings_contiguous=False,
    )
    add("MaskedSelectGrad", [x, x > 0, data((int((x > 0).sum()),))])
    add("GatherDGradV2", [x, 0, np.array([[0, 1, 1], [3, 2, 1]]), data((2, 3))])
    add("SliceExt", [x, 0, 1, 3, 1])
    add("TraceGrad", [np.array(2, "float32"), np.array([3, 4])])
    add("TraceV2Grad", [np.array(2, "float32"), np.array([3, 4]), 0, 0, 1])
    add("BiasAddGrad", [data((2, 3, 4))])
    add("BiasAddGrad", [data((2, 3, 4))], "l", data_format="NHWC")
    c = np.abs(np.sqrt(((x[:, None] - y[None, :2]) ** 2).sum(-1))).astype("float32")
    add("CdistGrad", [data((4, 2)), x, y[:2], c], "2")
    add(
        "PdistGrad",
        [
            data((6,)),
            x,
            np.array([np.linalg.norm(x[i] - x[j]) for i in range(4) for j in range(i + 1, 4)], "float32"),
        ],
    )
    A = data((3, 3))
    L = np.linalg.cholesky(A @ A.T + np.eye(3)).astype("float32")
    add("MedianGrad", [np.array(2, "float32"), x, np.sort(x.ravel())[5], np.array(3)], global_median=True)
    add("MedianGrad", [data((3,)), x, data((3,)), np.array([0, 2, 3])], axis=0)
    add("L2NormalizeGrad", [x, x / np.linalg.norm(x, axis=0), y], axis=0)
    add(
        "SparseSegmentMeanGrad",
        [data((2, 3)), np.array([0, 2, 3], "int32"), np.array([0, 0, 1], "int32"), np.array(4, "int32")],
    )
    add(
        "SparseSegmentSqrtNGrad",
        [data((2, 3)), np.array([0, 2, 3], "int32"), np.array([0, 0, 1], "int32"), np.array(4, "int32")],
    )
    add("IgammaGradA", [np.abs(x) + 0.5, np.abs(y) + 0.5])
    add("TraceV2", [x, 0, 0, 1, None])
    add("SolveTriangular", [L, data((3, 2)), 0, True, False])
    add("TupleToTensor", [(1, 2, 3), None])
    add("ToDtype", [x, ms.float16])
    add("ViewDtype", [x, ms.int32])
    add("AsStrided", [x, (2, 2), (1, 2)])
    add("TransposeView", [x, (1, 0)])


def forms(add):
    x, y = data((2, 3)), data((2, 3), seed=1)
    add("AddExt", [x, data((3,)), 2])
    add("SubExt", [x, y, 2.5])
    add("SumExt", [x, (1,), True])
    add("MeanExt", [x, (0,)])
    add("ProdExt", [x, 1])
    add("MaxDim", [x, 1])
    add("MinDim", [x, 0, True])
    add("Max", [x])
    add("Min", [x])
    add("SoftplusExt", [x, 2, 1])
    add("Muls", [x, 3])
    add("Divs", [x, 3])
    add("DivMods", [x, 0.3, "floor"])
    add("MatMulExt", [x, data((3, 4))])
    add("BatchMatMulExt", [data((2, 2, 3)), data((2, 3, 4))])
    add("Narrow", [x, 1, 1, 2])
    add("NarrowView", [x, 1, 1, 2])
    add("TransposeExtView", [x, 0, 1])
    add("SelectExtView", [x, 1, 1])
    add("ClampScalar", [x, -0.5, 0.5])
    add("DivMod", [x, y, "trunc"])
    add("Any", [x])
    add("AnyExt", [x, 0])
    add("BroadcastToView", [x, (2, 2, 3)])
    add("ChunkView", [x, 2, 1])
    add("EqScalar", [x, 1])
    add("ExpandDimsView", [x, 1])
    add("ExpandAs", [data((3,)), x])
    add("FlattenExt", [x])
    add("NewZeros", [x, (2,)])
    add("PowTensorScalar", [x, 2])
    add("PowScalarTensor", [2, x])
    add("SplitTensor", [x, 1, 0])
    add("SplitWithSizeView", [x, (1, 2), 1])
    add("TExt", [x])
    add("View", [x, (3, 2)])
    add("ViewAs", [x, data((6,))])
    add("InplaceCopy", [x, y])
    add("FFT", [x])
    add("RFFT", [x])
    add("FFTShift", [x])
    add("PixelShuffle", [data((1, 4, 2, 2)), 2])
    add("UnstackExtView", [x])
