"""What mindyolo 0.5.0's families are, give and learn: mindyolo_models.py FOLDER NAMES, on MindSpore or
under ms2torch.

The wheel has no configurations, so each family is a small network of its own layers with its own head and
loss. Every parameter is set to numbers that its name decides. NAME.json: parameters, outputs, and one
training step as mindyolo makes it (its loss, groups, optimizer and moving average).
"""

import hashlib
import json
import sys
from pathlib import Path

ANCHORS = [[12, 16, 19, 36, 40, 28], [36, 75, 76, 55, 72, 146], [142, 110, 192, 243, 459, 401]]
FLAT = [[142, 110], [192, 243], [459, 401], [36, 75], [76, 55], [72, 146], [12, 16], [19, 36], [40, 28]]
CLASSES = 5


def conv(width, kernel=3, stride=2):
    return [-1, 1, "ConvNormAct", [width, kernel, stride]]


def pyramid(block, deepest, head, down=conv):
    """Four stages of ``block`` from stride 4 to 32, ``deepest`` after them, two ways up, and ``head``."""
    stages = [conv(8), conv(16), [-1, 1, *block(16)], down(32), [-1, 1, *block(32)]]
    stages += [down(64), [-1, 1, *block(64)], down(128), [-1, 1, *block(128)]]
    last = len(stages) + len(deepest) - 1
    up = [[-1, 1, "Upsample", ["None", 2]], [[-1, 6], 1, "Concat", []], [-1, 1, *block(64)]]
    up += [[-1, 1, "Upsample", ["None", 2]], [[-1, 4], 1, "Concat", []], [-1, 1, *block(32)]]
    return stages + deepest, [*up, [[last + 6, last + 3, last], 1, *head]]


def families():
    """Name: (network's, loss's, further settings)."""
    anchored = {"anchors": ANCHORS}
    free = {"reg_max": 16, "max_channels": 1024}

    def decoupled(kind):
        return [kind, ["nc", "reg_max", "stride"]]

    darknet = pyramid(
        lambda c: ("Bottleneck", [c]), [[-1, 1, "SPPF", [128]]], ["YOLOv3Head", ["nc", "anchors", "stride"]]
    )
    four = pyramid(
        lambda c: ("C3", [c]),
        [[-1, 1, "SP", [5]]],
        ["YOLOv4Head", ["nc", "anchors"]],
    )
    four[1][-1][0] = four[1][-1][0][::-1]  # from stride 32 to 8
    five = pyramid(
        lambda c: ("C3", [c]), [[-1, 1, "SPPF", [128]]], ["YOLOv5Head", ["nc", "anchors", "stride"]]
    )
    five[0][0] = [-1, 1, "Focus", [8, 3]]
    seven = pyramid(
        lambda c: ("RepConv", [c, 3, 1]),
        [[-1, 1, "SPPCSPC", [128]]],
        ["YOLOv7Head", ["nc", "anchors", "stride"]],
        lambda c: [-1, 1, "DownC", [c]],
    )
    seven[0][0] = [-1, 1, "ReOrg", []]
    eight = pyramid(lambda c: ("C2f", [c, True]), [[-1, 1, "SPPF", [128]]], decoupled("YOLOv8Head"))
    masks = pyramid(
        lambda c: ("C2f", [c, True]),
        [[-1, 1, "SPPF", [128]]],
        ["YOLOv8SegHead", ["nc", "reg_max", 8, 16, "stride"]],
    )
    nine = pyramid(
        lambda c: ("RepNCSPELAN4", [c, c, c // 2, 1]),
        [[-1, 1, "SPPELAN", [128, 64]]],
        decoupled("YOLOv9Head"),
        lambda c: [-1, 1, "ADown" if c > 32 else "AConv", [c]],
    )
    # The auxiliary branch: each stage's features made as wide as the main one's.
    aux = len(nine[0]) + 6
    nine[1][-1:] = [
        [9, 1, "CBLinear", [[32, 64, 128]]],
        [4, 1, "ELAN1", [32, 32, 16]],
        [[aux, aux + 1], 1, "CBFuse", [[0]]],
        [6, 1, "ConvNormAct", [64, 3, 1]],
        [[aux, aux + 3], 1, "CBFuse", [[1]]],
        [8, 1, "ConvNormAct", [128, 3, 1]],
        [[aux, aux + 5], 1, "CBFuse", [[2]]],
        [[aux + 2, aux + 4, aux + 6, aux - 1, aux - 4, aux - 7], 1, *decoupled("YOLOv9Head")],
    ]
    ten = pyramid(
        lambda c: ("C2fCIB", [c, True, True]),
        [[-1, 1, "SPPF", [128]], [-1, 1, "PSA", [128]]],
        decoupled("YOLOv10Head"),
        lambda c: [-1, 1, "SCDown", [c, 3, 2]],
    )
    eleven = pyramid(
        lambda c: ("C3k2", [c, c > 32]),
        [[-1, 1, "SPPF", [128]], [-1, 1, "C2PSA", [128]]],
        decoupled("YOLOv11Head"),
    )
    x = pyramid(
        lambda c: ("DWC3", [c]),
        [[-1, 1, "SPPF", [128]]],
        ["YOLOXHead", ["nc", "stride"]],
        lambda c: [-1, 1, "DWConvNormAct", [c, 3, 2]],
    )
    box = {"box": 0.05, "obj": 1.0, "cls": 0.5, "anchor_t": 4.0, "cls_pw": 1, "obj_pw": 1}
    box |= {"label_smoothing": 0.1, "fl_gamma": 1.5}
    dense = {"box": 7.5, "cls": 0.5, "dfl": 1.5, "reg_max": 16}
    old = {
        "box": 0.05,
        "obj": 1,
        "cls": 0.5,
        "label_smoothing": 0.1,
        "ignore_threshold": 0.7,
        "iou_threshold": 0.213,
    }
    plain = box | {"fl_gamma": 0.0, "label_smoothing": 0.0}
    return {
        "yolov3": (darknet, anchored, "YOLOv3Loss", plain),
        "yolov4": (four, {"anchors": FLAT}, "YOLOv4Loss", old),
        "yolov5": (five, anchored, "YOLOv5Loss", box),
        "yolov7": (seven, anchored, "YOLOv7Loss", plain),
        "yolov8": (eight, free, "YOLOv8Loss", dense),
        "yolov8-seg": (
            masks,
            free,
            "YOLOv8SegLoss",
            dense | {"nm": 8, "overlap": True, "max_object_num": 300},
        ),
        "yolov9": (nine, free, "YOLOv9Loss", dense),
        "yolov10": (ten, free, "YOLOv10Loss", dense),
        "yolov11": (eleven, free | {"scale": "n"}, "YOLOv11Loss", dense),
        "yolox": (x, {}, "YOLOXLoss", {"input_size": (128, 128), "use_l1": True}),
    }


MODELS = list(families())


def targets():
    """Six boxes on two images, a last row of padding each: (image, class, x, y, w, h)."""
    import numpy as np

    random = np.random.RandomState(2)
    rows = np.zeros((2, 4, 6), np.float32)
    rows[..., 1] = -1
    rows[:, :3, 0] = [[0], [1]]
    rows[:, :3, 1] = random.randint(0, CLASSES, (2, 3))
    rows[:, :3, 2:4] = random.uniform(0.3, 0.7, (2, 3, 2))
    rows[:, :3, 4:] = random.uniform(0.15, 0.5, (2, 3, 2))
    return rows


def flat(result):
    """All Tensors in nested ``result`` as flat arrays."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (tuple, list)):
        return [array for one in result for array in flat(one)]
    return [result.asnumpy().ravel().astype(float)] if hasattr(result, "asnumpy") else []


def sampled(array):
    """What the record keeps of a flat array: its size, sum, largest magnitude and some sixty elements."""
    return [array.size, array.sum(), abs(array).max(), *array[:: max(1, array.size // 60)]]


def digest(net):
    """How many parameters there are, and a digest of all names, shapes, dtypes and which are trained."""
    rows = [(p.name, tuple(p.shape), str(p.dtype), p.requires_grad) for p in net.get_parameters()]
    return {"parameters": len(rows), "digest": hashlib.sha256(repr(rows).encode()).hexdigest()[:16]}


def facts(name):
    """Builds the family, sets its weights, runs it, trains one step."""
    import mindspore as ms
    import numpy as np
    from mindcv_models import values
    from mindyolo.models import create_loss, create_model
    from mindyolo.optim import EMA, create_group_param, create_optimizer
    from mindyolo.utils.config import Config
    from mindyolo.utils.train_step_factory import create_train_step_fn, get_gradreducer, get_loss_scaler

    ms.set_context(mode=ms.PYNATIVE_MODE)
    (backbone, head), more, loss_name, settings = families()[name]
    stride = [8, 16, 32]
    config = Config(
        dict(depth_multiple=1.0, width_multiple=1.0, stride=stride, backbone=backbone, head=head, **more)
    )
    net = create_model(name.split("-")[0], model_cfg=config, num_classes=CLASSES)
    for param in net.get_parameters():
        fixed = any(word in param.name for word in ("stride", "anchor", "convert_matrix", "dfl"))
        if "Float" in str(param.dtype) and not fixed:
            param.set_data(ms.Tensor(np.asarray(values(param.name, param.shape), param.asnumpy().dtype)))
    image = ms.Tensor(np.random.RandomState(1).rand(2, 3, 128, 128).astype(np.float32))

    net.set_train(False)
    # yolov10's first output is sorted by scores, of which some are as good as equal.
    outputs = [sampled(a) for a in flat(net(image))[name == "yolov10" :]]

    net.set_train(True)
    anchors = {"anchors": config.anchors} if "anchors" in config else {}
    loss = create_loss(loss_name, nc=CLASSES, stride=stride, strides=stride, **anchors, **settings)
    groups = create_group_param(
        net.trainable_params(), gp_weight_decay=5e-4, group_param="filter_bias_and_bn"
    )
    optimizer = create_optimizer(groups, "momentum", lr=0.01, momentum=0.9, nesterov=False, loss_scale=1.0)
    ema = EMA(net, create_model(name.split("-")[0], model_cfg=config, num_classes=CLASSES))
    ema.clone_from_model()
    segments = name.endswith("seg")
    step = create_train_step_fn(
        "segment" if segments else "detect", net, loss, optimizer, 1.0, get_loss_scaler("static", 16.0),
        get_gradreducer(False, optimizer.parameters), ema=ema, clip_grad=True,
    )  # fmt: skip
    label = [ms.Tensor(targets())]
    if segments:
        regions = np.zeros((2, 32, 32), np.float32)
        for i, j in np.ndindex(2, 3):
            regions[i, 8 * j : 8 * j + 8, 4:20] = j + 1
        label.append(ms.Tensor(regions))
    total, items, grads, finite = step(image, *label)
    moved = [np.linalg.norm(p.asnumpy() - values(p.name, p.shape)) for p in net.trainable_params()]
    averages = [float(np.abs(p.asnumpy()).sum()) for p in ema.ema_weight]
    return digest(net) | {
        "outputs": outputs,
        "losses": [*total.asnumpy().ravel().astype(float), *items.asnumpy().ravel().astype(float)],
        "gradients": [float(np.linalg.norm(g.asnumpy())) for g in grads],
        "moved": [float(x) for x in moved],
        "averages": averages,
        "finite": bool(finite),
    }


if __name__ == "__main__":
    for one in sys.argv[2:] or MODELS:
        Path(sys.argv[1], f"{one}.json").write_text(json.dumps(facts(one)))
