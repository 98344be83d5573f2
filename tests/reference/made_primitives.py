"""Primitives, and what each is made with in the case that reads its attributes: arguments, then names."""

MADE = {
    ("auto", ""): """
        AdamW ApplyAdamW AvgPoolGrad BatchNormElemt BatchNormGatherStatsWithCounts BatchNormGrad
        BatchNormGradExt BatchNormGradGrad BiasAddGrad BinaryCrossEntropyGrad BroadcastToView CdistGrad
        ChunkView CopyToDevice CopyToHost Correlate Detach Diagonal DiagonalView DistCommAllGather
        DistCommAllGatherIntoTensor DistCommAllReduce DistCommAllToAllVSingle DistCommIrecv DistCommIsend
        DistCommReduce DistCommReduceScatter DistCommReduceScatterTensor DropoutExt DropoutGenMaskExt
        EluExt Embedding ExpandDimsView FFNExt Free FusedInferAttentionScore GetData GridSampler2DGrad
        GridSampler3DGrad GroupedMatmul HShrinkGrad IncreFlashAttention InnerCommIrecv InnerCommIsend
        InnerInplaceIndexPut InplaceAddExt InplaceAddmm InplaceAddsExt InplaceBernoulliScalar
        InplaceBernoulliTensor InplaceCopy InplaceDiv InplaceDivMod InplaceDivMods InplaceDivs InplaceElu
        InplaceErfinv InplaceExp InplaceExponential InplaceFillDiagonal InplaceFillScalar
        InplaceFillTensor InplaceFloor InplaceFloorDivide InplaceFloorDivides InplaceGroupedMatmulAdd
        InplaceHardtanh InplaceIndexAddExt InplaceIndexCopy InplaceIndexPut InplaceLog
        InplaceMaskedFillScalar InplaceMaskedFillTensor InplaceMaskedScatter InplaceMatmulAdd InplaceMul
        InplaceMuls InplaceNormal InplacePut InplaceRandom InplaceReLU InplaceRemainderTensorScalar
        InplaceRemainderTensorTensor InplaceScatterAdd InplaceScatterSrc InplaceScatterSrcReduce
        InplaceScatterValue InplaceScatterValueReduce InplaceSiLU InplaceSigmoid InplaceSign
        InplaceSubExt InplaceSubScalar InplaceTanh InplaceThreshold InplaceToDevice InplaceUniform
        KVCacheScatterUpdate KvScaleCache LayerNormGrad LayerNormGradGrad LayerNormGradV3 LayerNormV3
        LogSoftmaxGrad LogitGrad MaximumGrad MaximumGradGrad MinimumGrad MlaPreprocess NLLLossGrad
        NarrowView OneHotExt PromptFlashAttention QuantBatchMatmul ResizeBicubicGrad ResizeBilinearGrad
        ResizeLinear1DGrad ResizeNearestNeighborGrad ResizeNearestNeighborV2Grad ScalarFloorDiv
        SelectExtView SequenceConcat SetData SilentCheckV2 SilentCheckV3 SliceExtView SmoothL1LossGrad
        SoftMarginLossGrad SoftShrinkGrad SplitTensorView SplitWithSizeView StackExt UnstackExtView
        UpdateToDevice UpdateToRemote UpsampleTrilinear3DGrad WeightQuantBatchMatmul""",
    ("auto", '"sum"'): """
        BiasAddGrad BinaryCrossEntropyGrad Correlate FFNExt GridSampler2DGrad GridSampler3DGrad
        NLLLossGrad ResizeLinear1DGrad SoftMarginLossGrad""",
    ("auto", "1"): """
        AvgPoolGrad BatchNormGrad BatchNormGradExt BatchNormGradGrad CdistGrad Diagonal EluExt
        FlashAttentionScore FlashAttentionScoreGrad FusedInferAttentionScore GluGrad GroupedMatmul
        HShrinkGrad IncreFlashAttention LayerNormGrad LayerNormGradGrad LayerNormGradV3 LayerNormV3
        LogSoftmaxGrad LogitGrad MaxPoolGradWithIndices MaxPoolGradWithMask MaxPoolWithIndices
        MaxPoolWithMask MaximumGrad MaximumGradGrad MinimumGrad OneHotExt PromptFlashAttention
        QuantBatchMatmul ResizeBicubicGrad ResizeBilinearGrad ResizeNearestNeighborGrad
        ResizeNearestNeighborV2Grad SequenceConcat SmoothL1LossGrad SoftShrinkGrad StackExt
        UpsampleTrilinear3DGrad WeightQuantBatchMatmul""",
    ("ops", ""): """
        AccumulateNV2 Adam AdamNoUpdateParam AdamWeightDecay AdaptiveMaxPool3D AddN AdjustHue
        AdjustSaturation AffineGrid AllReduce ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradDA
        ApplyAdamWithAmsgrad ApplyAdamWithAmsgradV2 ApplyAddSign ApplyCenteredRMSProp ApplyFtrl
        ApplyGradientDescent ApplyKerasMomentum ApplyMomentum ApplyPowerSign ApplyProximalAdagrad
        ApplyProximalGradientDescent ApplyRMSProp ApplyRotaryPosEmb ApproximateEqual ArgMaxWithValue
        ArgMinWithValue Argmax Argmin Assert Assign AssignAdd AssignSub AvgPool AvgPool3D
        BCEWithLogitsLoss BartlettWindow BasicLSTMCell BatchMatMul BatchNorm BatchToSpaceNDV2 Bernoulli
        BesselI0 BesselI0e BesselI1e BesselJ0 BesselJ1 BesselY0 BesselY1 BiasAdd BinaryCrossEntropy
        Bincount BitwiseAnd BitwiseOr BitwiseXor BlackmanWindow BoundingBoxEncode CTCGreedyDecoder
        CTCLoss CTCLossV2 Cast Cdist CeLU CheckNumerics CheckValid Cholesky CholeskyInverse CholeskySolve
        Coalesce CollectiveScatter CombinedNonMaxSuppression ComplexAbs ComputeAccidentalHits Concat
        ConjugateTranspose CopyWithSlice CountNonZero CropAndResize Cross CumProd CumSum
        CumulativeLogsumexp DataFormatDimMap DataFormatVecPermute Depend Digamma DivNoNan Dropout
        Dropout2D Dropout3D DropoutDoMask DropoutGenMask DynamicGRUV2 DynamicRNN DynamicShape
        EditDistance Eig Elu EmbeddingLookup Eps EqualCount EuclideanNorm Expand ExtractGlimpse FastGelu
        Fill FillV2 Fills FloatStatus Fmax Fmin FusedAdaFactor FusedAdaFactorWithGlobalNorm
        FusedCastAdamWeightDecay FusedSparseAdam FusedSparseLazyAdam FusedSparseProximalAdagrad
        FusedWeightScaleApplyMomentum GLU Gamma Gather GatherV2 Gelu Ger GridSampler2D GridSampler3D
        GroupTopk HShrink HammingWindow Heaviside Histogram HistogramSummary Hypot IOU IdentityN Igamma
        Igammac Imag ImageSummary IndexFill IndexPut InplaceUpdateV2 Invert IsClose IsNan KLDivLoss
        LARSUpdate LRN LayerNorm Lcm Lgamma ListDiff Log LogNormalReverse LogSoftmax LogSpace
        LogUniformCandidateSampler Logit LowerBound Lstsq LuUnpack MapCacheIdx MapUniform MatMul
        MatrixBandPart MatrixDiagPartV3 MatrixDiagV3 MatrixInverse MatrixLogarithm MatrixSetDiagV3
        MatrixSolve MatrixSolveLs MatrixTriangularSolve MaxPool MaxPool3D MaxPoolWithArgmax Median
        Meshgrid MirrorPad Mish Mod MulNoNan MultiMarginLoss MultilabelMarginLoss Multinomial NLLLoss
        NMSWithMask NanToNum NoRepeatNGram NonDeterministicInts NonMaxSuppressionV3
        NonMaxSuppressionWithOverlaps NthElement NuclearNorm OneHot Orgqr Ormqr Pack PadV3 Padding
        ParameterizedTruncatedNormal Partial Pdist Poisson Polygamma PopulationCount Print Pull Push
        PyExecute Qr Quantile RGBToHSV RNNTLoss RandomCategorical RandomChoiceWithMask RandomGamma
        RandomPoisson RandomShuffle Randperm RandpermV2 Range ReduceAll ReduceAny ReduceMax ReduceMean
        ReduceMin ReduceProd ReduceScatter ReduceScatterV ReduceStd ReduceSum ReshapeAndCache ResizeArea
        ResizeBicubic ResizeBilinearV2 ResizeLinear1D ResizeNearestNeighborV2 Rint RmsNorm SGD
        SampleDistortedBoundingBoxV2 ScalarCast ScalarSummary ScalarToArray ScalarToTensor
        ScaleAndTranslate ScatterAdd ScatterAddWithAxis ScatterDiv ScatterMax ScatterMin ScatterMul
        ScatterNdAdd ScatterNdDiv ScatterNdMax ScatterNdMin ScatterNdMul ScatterNdSub ScatterNdUpdate
        ScatterNonAliasingAdd ScatterSub ScatterUpdate SeLU SearchSorted SegmentMax SegmentMean
        SegmentMin SegmentProd SegmentSum SelectView SigmoidCrossEntropyWithLogits SmoothL1Loss
        SoftMarginLoss SoftShrink Softmax Softplus Softsign Sort SparseApplyProximalAdagrad
        SparseGatherV2 SparseSlice SparseTensorDenseAdd SparseTensorDenseMatmul SparseToDense Split
        SquareSumAll SquaredDifference Squeeze Stack StandardLaplace StandardNormal StridedSlice Sub
        SubAndFilter Svd Tan TensorDump TensorScatterDiv TensorScatterMax TensorScatterMin
        TensorScatterMul TensorScatterSub TensorScatterUpdate TensorSummary TensorToTuple TopK
        TransposeExtView TransposeView TridiagonalMatMul Tril TripletMarginLoss Triu TruncateDiv
        TruncateMod TruncatedNormal UniformInt UniformReal Unique UniqueConsecutive UniqueWithPad Unpack
        UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd Unstack UpperBound UpsampleTrilinear3D
        Xdivy""",
    ("ops", '"sum"'): """
        AllReduce BCEWithLogitsLoss BiasAdd BinaryCrossEntropy Einsum GridSampler2D GridSampler3D
        KLDivLoss Meshgrid MultilabelMarginLoss NLLLoss Primitive PrimitiveWithCheck PrimitiveWithInfer
        ReduceScatter ReduceScatterV ResizeLinear1D SoftMarginLoss""",
    ("ops", "(1,1,1,1),(0,0,0,0),(3,3)"): """
        DeformableOffsets""",
    ("ops", '(1,1,2,2,2),(1,1,1,1,1),"VALID"'): """
        ExtractVolumePatches""",
    ("ops", "(1,2)"): """
        AdaptiveMaxPool2D BoundingBoxDecode BroadcastTo NuclearNorm Pad ResizeNearestNeighbor ReverseV2""",
    ("ops", "(2,3),(1,2),(1,2)"): """
        ExtractImagePatches""",
    ("ops", "0.1,0.1"): """
        SparseApplyAdagradV2""",
    ("ops", "0.1,0.1,0.1"): """
        SparseApplyRMSProp""",
    ("ops", "0.1,0.1,0.1,-0.5"): """
        FusedSparseFtrl SparseApplyFtrl""",
    ("ops", "0.1,0.1,0.1,0.1,True"): """
        NeighborExchange""",
    ("ops", "0.5"): """
        ApplyAdagradV2 ApplyAdamWithAmsgrad ApproximateEqual BasicLSTMCell Dropout2D Dropout3D
        FillDiagonal LARSUpdate LogNormalReverse NMSWithMask Pdist SparseApplyAdadelta SparseApplyAdagrad""",
    ("ops", "1"): """
        AdamWeightDecay AdaptiveAvgPool2D AdaptiveAvgPool3D ApplyRotaryPosEmb ArgMaxWithValue
        ArgMinWithValue Argmax Argmin Assert AvgPool AvgPool3D BatchMatMul BatchNorm Bernoulli Broadcast
        CTCLossV2 Cdist CeLU ChannelShuffle Cholesky CholeskyInverse Col2Im CollectiveScatter
        ComputeAccidentalHits Concat ConfusionMatrix CountNonZero Cross CumProd CumSum Cummax Cummin
        Dropout DropoutGenMask DynamicShape Eig Elu GLU Gamma Gather HShrink Histogram
        HistogramFixedWidth Im2Col InTopK IndexAdd IndexPut InplaceAdd InplaceIndexAdd InplaceSub
        InplaceUpdate IsClose LRN LayerNorm LogSoftmax LogSpace LogUniformCandidateSampler Logit LpNorm
        Lstsq MatMul MatrixPower MaxPool MaxPool3D MaxPoolWithArgmax MaxPoolWithArgmaxV2 MaxUnpool2D
        MaxUnpool3D MultiMarginLoss Multinomial MultinomialWithReplacement Mvlgamma NanToNum
        NoRepeatNGram OneHot Pack Padding ParameterizedTruncatedNormal Poisson Push Qr Quantile RNNTLoss
        RandomChoiceWithMask RandomGamma RandomPoisson RandomShuffle Randperm RandpermV2 Range Reduce
        ReduceAll ReduceAny ReduceMax ReduceMean ReduceMin ReduceProd ReduceStd ReduceSum ResizeBicubic
        ResizeBilinearV2 ResizeNearestNeighborV2 ReverseSequence RmsNorm Roll SGD
        SampleDistortedBoundingBoxV2 ScatterAddWithAxis SmoothL1Loss SoftShrink Softmax Sort Split
        Squeeze Stack StandardLaplace StandardNormal StridedSlice Svd Tril TripletMarginLoss Triu
        UniformInt UniformReal UniqueConsecutive Unpack Unstack UpsampleTrilinear3D""",
    ("ops", "1,2,3"): """
        AlltoAll FFTWithSize MaxPool3DWithArgmax PagedAttention PagedAttentionMask""",
    ("ops", "1,2,True,5"): """
        UniformCandidateSampler""",
    ("ops", "2"): """
        DepthToSpace SpaceToDepth""",
    ("ops", "2,((0,0),(0,0))"): """
        BatchToSpace BatchToSpaceND SpaceToBatch SpaceToBatchND""",
    ("ops", "2,0,1.0"): """
        Renorm""",
    ("ops", "2,2"): """
        Conv2D Conv2DBackpropInput Conv2DTranspose Conv3D DepthwiseConv2dNative Dilation2D
        FractionalMaxPool3DWithFixedKsize FractionalMaxPoolWithFixedKsize Send TrilIndices TriuIndices""",
    ("ops", "2,2,0.5,2"): """
        ROIAlign""",
    ("ops", "3,4,1,True,False,0.0"): """
        LSTM""",
    ("ops", "8,4,8,True,True,False"): """
        STFT""",
    ("ops", "8,4,8,True,True,True"): """
        STFT""",
    ("ops", "True"): """
        Adam AdamNoUpdateParam AffineGrid ApplyAdagrad ApplyAdagradDA ApplyAdamWithAmsgradV2
        ApplyCenteredRMSProp ApplyFtrl ApplyKerasMomentum ApplyMomentum ApplyProximalAdagrad ApplyRMSProp
        BartlettWindow BlackmanWindow CTCGreedyDecoder CTCLoss CholeskySolve CombinedNonMaxSuppression
        CumulativeLogsumexp EditDistance EuclideanNorm ExtractGlimpse FusedAdaFactor
        FusedAdaFactorWithGlobalNorm FusedCastAdamWeightDecay FusedSparseAdam FusedSparseLazyAdam
        FusedSparseProximalAdagrad HammingWindow LuUnpack MatrixInverse MatrixSolve MatrixSolveLs
        MatrixTriangularSolve Median NthElement Ormqr ResizeArea ScatterAdd ScatterDiv ScatterMax
        ScatterMin ScatterMul ScatterNdAdd ScatterNdDiv ScatterNdMax ScatterNdMin ScatterNdMul
        ScatterNdSub ScatterNdUpdate ScatterSub ScatterUpdate SparseApplyProximalAdagrad
        SparseTensorDenseMatmul TopK""",
    ("ops", "[0.0,1.0]"): """
        Bucketize""",
    ("ops", "[1,2]"): """
        Cauchy""",
    ("ops", "[1,2],0,2"): """
        SplitV""",
    ("ops", "[1.0,1.5,1.5,1.0]"): """
        FractionalAvgPool FractionalMaxPool""",
    ("ops", "ms.int32"): """
        ListDiff LowerBound NonDeterministicInts RaggedRange RandomCategorical SearchSorted UpperBound""",
}
