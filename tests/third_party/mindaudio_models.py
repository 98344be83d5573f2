"""What mindaudio 0.3.0's families are, give and learn: mindaudio_models.py FOLDER NAMES, on MindSpore or
under ms2torch.

Small ones of each, all parameters set to numbers that their names decide, no dropout. NAME.json: parameters,
outputs, a loss as the package makes it, and the norm of each parameter's gradient.
"""

import json
import sys
from pathlib import Path

# Not ConvTasNet, FastSpeech2 and WaveGrad, which call MindSpore 1.9 as 2.10 does not let them, and not yet
# EcapaTDNN, whose gradients differ.
MODELS = ["conformer", "transformer_decoder", "deepspeech2", "tasnet"]


class Settings(dict):
    """A dict whose entries are attributes, at any depth."""

    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(name)
        return Settings(self[name]) if isinstance(self[name], dict) else self[name]


def build(name):
    """(the network, the function of its inputs to be minimised, inputs)."""
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor, nn, ops

    random = np.random.RandomState(3)

    def normal(*shape):
        return Tensor(random.randn(*shape).astype(np.float32))

    def whole(high, *shape):
        return Tensor(random.randint(1, high, shape).astype(np.int32))

    if name == "conformer":
        from mindaudio.loss.ctc_loss import CTC
        from mindaudio.models import ConformerEncoder

        class Recogniser(nn.Cell):
            def __init__(self):
                super().__init__()
                self.encoder = ConformerEncoder(
                    20, 32, 4, 48, 2, 0.0, 0.0, 0.0, cnn_module_kernel=7, global_cmvn=None
                )
                self.ctc = CTC(11, 32)

            def construct(self, xs, lengths, ys, ys_lengths):
                masks = ops.ones((2, 1, 15), ms.float32)
                out, _ = self.encoder(xs, masks, ops.ones((2, 15, 15), ms.float32))
                return self.ctc(out, lengths, ys, ys_lengths), out

        net = Recogniser()
        lengths = Tensor(np.array([15, 12], np.int32)), Tensor(np.array([4, 3], np.int32))
        return net, lambda *x: net(*x)[0], (normal(2, 63, 20), lengths[0], whole(11, 2, 4), lengths[1])
    if name == "transformer_decoder":
        from mindaudio.loss.label_smoothing_loss import LabelSmoothingLoss
        from mindaudio.models import TransformerDecoder

        net = TransformerDecoder(12, 32, 4, 48, 2, 0.0, 0.0, 0.0, 0.0)
        smoothing = LabelSmoothingLoss(12, -1, 0.1, True)
        causal = Tensor(np.tril(np.ones((2, 5, 5), np.float32)))
        inputs = normal(2, 9, 32), ops.ones((2, 1, 9), ms.float32), whole(12, 2, 5), causal
        target, present = whole(12, 2, 5), Tensor(np.array([[1] * 5, [1, 1, 1, 0, 0]], np.int32))
        return net, lambda *x: smoothing(net(*x)[0], target, present), inputs
    if name == "deepspeech2":
        from mindaudio.models import DeepSpeechModel

        net = DeepSpeechModel(
            2, "abcdef_", 24, 2, Settings(sample_rate=16000, window_size=0.02), bidirectional=True
        )
        return (
            net,
            lambda *x: net(*x)[0].square().mean(),
            (normal(2, 1, 161, 40), Tensor(np.array([40, 32], np.int32))),
        )
    if name == "tasnet":
        from mindaudio.models import TasNet

        net = TasNet(40, 24, 16, 2)
        return net, lambda *x: net(*x).square().mean(), (normal(2, 6, 40),)
    if name == "ecapa_tdnn":
        from mindaudio.loss.AdditiveAngularMargin import AdditiveAngularMargin
        from mindaudio.models.ecapatdnn import Classifier, EcapaTDNN

        class Speakers(nn.Cell):
            def __init__(self):
                super().__init__()
                self.embedding = EcapaTDNN(
                    20,
                    24,
                    channels=(32, 32, 32, 32, 96),
                    attention_channels=16,
                    se_channels=8,
                    res2net_scale=4,
                )
                self.classifier = Classifier(1, 0, 24, 6)

            def construct(self, x):
                return self.classifier(self.embedding(x).squeeze(1))

        net = Speakers()
        margin, entropy = AdditiveAngularMargin(0.2, 30), nn.SoftmaxCrossEntropyWithLogits(reduction="mean")
        hot = Tensor(np.eye(6, dtype=np.float32)[[1, 4]])
        return net, lambda x: entropy(margin(net(x), hot), hot), (normal(2, 30, 20),)


def facts(name):
    """Builds the family, sets its weights, runs it and its gradient."""
    import mindspore as ms
    import numpy as np
    from mindcv_models import values
    from mindyolo_models import digest, flat, sampled

    ms.set_context(mode=ms.PYNATIVE_MODE)
    net, loss, inputs = build(name)
    for param in net.get_parameters():
        if "Float" in str(param.dtype):
            param.set_data(ms.Tensor(np.asarray(values(param.name, param.shape), param.asnumpy().dtype)))
    net.set_train(False)
    outputs = [sampled(a) for a in flat(net(*inputs))]
    net.set_train(True)
    weights = ms.ParameterTuple(net.trainable_params())
    value, gradients = ms.value_and_grad(loss, None, weights)(*inputs)
    return digest(net) | {
        "outputs": outputs,
        "losses": flat(value)[0].tolist(),
        "gradients": [float(np.linalg.norm(g.asnumpy())) for g in gradients],
    }


if __name__ == "__main__":
    for one in sys.argv[2:] or MODELS:
        Path(sys.argv[1], f"{one}.json").write_text(json.dumps(facts(one)))
