"""What a model of mindcv 0.3.0 is and gives: mindcv_models.py FOLDER NAMES, on MindSpore or under
ms2torch.

Every parameter is set to numbers that its name decides, so that two runs need to share nothing. Writes
NAME.json: a digest of all parameters' names, shapes and dtypes, their count, and the outputs for one
random image.
"""

import hashlib
import json
import sys
import zlib
from pathlib import Path

# One small model of each family that MindSpore's CPU build runs. Not XCiT: with weights like these its
# unbounded attention lets rounding grow fivefold from block to block.
MODELS = [
    "BiT_resnet50", "cait_xxs24_224", "coat_lite_tiny", "coat_tiny", "convit_tiny", "convnext_tiny",
    "convnextv2_atto", "crossvit_9", "densenet121", "dpn92", "edgenext_xx_small", "efficientnet_b0",
    "efficientnet_v2_s", "ghostnet_050", "googlenet", "hrnet_w32", "inception_v3", "inception_v4",
    "mixnet_s", "mlp_mixer_s_p32", "mnasnet_050", "mobilenet_v1_025", "mobilenet_v2_035_96",
    "mobilenet_v3_small_075", "mobilevit_xx_small", "nasnet_a_4x1056", "pit_ti", "pnasnet",
    "poolformer_s12", "pvt_v2_b0", "regnet_x_200mf", "regnet_y_200mf", "repmlp_t224", "repvgg_a0",
    "res2net50", "resnest14", "resnet18", "resnext50_32x4d", "resnetv2_50", "senet154", "seresnet18",
    "shufflenet_v1_g3_05", "shufflenet_v2_x0_5", "skresnet18", "squeezenet1_0", "swin_tiny",
    "swinv2_tiny_window8", "vgg11", "visformer_tiny", "vit_b_32_224", "xception",
]


def size(name):
    """Pixels that a model is made for."""
    special = {
        "inception_v3": 299,
        "inception_v4": 299,
        "xception": 299,
        "swinv2_tiny_window8": 256,
        "mobilenet_v2_035_96": 96,
    }
    return special.get(name, 224)


def values(name, shape):
    """Numbers for ``name`` that keep activations in order: 1 or 0 with noise, or scaled to the fan."""
    import numpy as np

    noise = np.random.RandomState(zlib.crc32(name.encode())).randn(*shape)
    if "variance" in name:
        return 1 + 0.2 * np.abs(noise)
    if "gamma" in name or (len(shape) < 2 and not any(word in name for word in ("bias", "beta", "mean"))):
        return 1 + 0.1 * noise
    return noise / np.sqrt(max(1, np.prod(shape[1:]))) if len(shape) > 1 else 0.1 * noise


def facts(name):
    """Builds the model, sets its weights, runs it."""
    import mindspore as ms
    import numpy as np
    from mindcv.models import create_model

    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = create_model(name, num_classes=10)
    net.set_train(False)
    rows = []
    for param in net.get_parameters():
        rows.append((param.name, tuple(param.shape), str(param.dtype)))
        if "Float" in rows[-1][2]:
            param.set_data(ms.Tensor(np.asarray(values(param.name, param.shape), param.asnumpy().dtype)))
    image = np.random.RandomState(1).randn(1, 3, size(name), size(name)).astype(np.float32)
    outputs = net(ms.Tensor(image))
    outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
    return {
        "parameters": len(rows),
        "digest": hashlib.sha256(repr(rows).encode()).hexdigest()[:16],
        "outputs": [out.asnumpy().ravel().astype(float).round(9).tolist() for out in outputs],
    }


if __name__ == "__main__":
    for one in sys.argv[2:] or MODELS:
        Path(sys.argv[1], f"{one}.json").write_text(json.dumps(facts(one)))
