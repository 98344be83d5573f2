"""Metrics: values, shapes, several updates, subclasses, errors."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, train
from mindspore.train.metrics import get_metrics

from tests.reference.judge import case, data

SCORES = [data((6, 4), seed=1), data((6, 4), seed=2)]
LABELS = [np.array([0, 1, 2, 3, 1, 0]), np.array([3, 3, 1, 2, 0, 1])]
IMAGES = [data((2, 3, 4, 5), seed=3), data((2, 3, 4, 5), seed=4)]
IMAGE_LABELS = [data((2, 4, 5), "uint8", seed=5) % 3, data((2, 4, 5), "uint8", seed=6) % 3]
BITS = [data((5, 3), "bool", seed=7).astype(np.int32), data((5, 3), "bool", seed=8).astype(np.int32)]
OTHER_BITS = [data((5, 3), "bool", seed=9).astype(np.int32), data((5, 3), "bool", seed=10).astype(np.int32)]
MASKS = [
    data((2, 3, 4, 4), "bool", seed=11).astype(np.float32),
    data((2, 3, 4, 4), "bool", seed=12).astype(np.float32),
]
REGIONS = [
    np.array([[3, 0, 1, 0], [1, 3, 0, 0], [1, 0, 2, 0]]),
    np.array([[0, 2, 1, 0], [1, 2, 1, 0], [0, 0, 1, 3]]),
]


def onehot(labels, classes):
    return np.moveaxis(np.eye(classes, dtype=np.int32)[labels], -1, 1)


def over(metric, *batches, wrap=Tensor, **eval_options):
    """eval() after an update per batch, then again after clear and one batch."""
    metric.clear()
    for batch in batches:
        metric.update(*[wrap(x) for x in batch])
    first = metric.eval(**eval_options)
    metric.clear()
    metric.update(*batches[0])
    return first, metric.eval(**eval_options)


BATCHES = {
    "scores": list(zip(SCORES, LABELS, strict=True)),
    "onehot": [(s, onehot(y, 4)) for s, y in zip(SCORES, LABELS, strict=True)],
    "images": list(zip(IMAGES, IMAGE_LABELS, strict=True)),
    "onehot_images": [(s, onehot(y, 3)) for s, y in zip(IMAGES, IMAGE_LABELS, strict=True)],
}


# classes


@case(each={"name": ["Accuracy", "Precision", "Recall", "F1"], "kind": list(BATCHES)})
def test_classification(name, kind):
    return over(getattr(train, name)(), *BATCHES[kind])


@case(each={"name": ["Accuracy", "Precision", "Recall"]})
def test_multilabel(name):
    return over(getattr(train, name)("multilabel"), *zip(BITS, OTHER_BITS, strict=True))


@case(each={"name": ["Precision", "Recall"]})
def test_multilabel_images_and_average(name):
    batch = tuple(m.astype(np.int32) for m in MASKS)
    return [over(getattr(train, name)("multilabel"), batch, average=average) for average in (False, True)]


@case
def test_multilabel_accuracy_of_images():
    return over(train.Accuracy("multilabel"), tuple(MASKS), (MASKS[0], MASKS[0]))


@case(each={"name": ["Precision", "Recall", "F1"]})
def test_average_over_classes(name):
    return over(getattr(train, name)(), *BATCHES["scores"], average=True)


@case(each={"beta": [0.5, 2]})
def test_fbeta(beta):
    return over(train.Fbeta(beta), *BATCHES["scores"])


@case(each={"k": [1, 2, 3], "kind": ["scores", "onehot"]})
def test_top_k(k, kind):
    return over(train.TopKCategoricalAccuracy(k), *BATCHES[kind])


@case
def test_top_1_and_top_5():
    batch = (data((4, 7), seed=1), np.array([0, 6, 3, 2]))
    return over(train.Top1CategoricalAccuracy(), batch), over(train.Top5CategoricalAccuracy(), batch)


# errors and losses


@case(each={"name": ["MAE", "MSE"]})
def test_errors_of_predictions(name):
    return (
        over(getattr(train, name)(), (SCORES[0], SCORES[1]), (SCORES[1], SCORES[1])),
        over(getattr(train, name)(), (data((4, 1)), data((4,), seed=1))),
    )


@case
def test_loss():
    metric = train.Loss()
    metric.update(Tensor(2.0))
    metric.update(Tensor([1.0, 4.0]))
    metric.update(np.array([0.5], np.float64))
    return metric.eval()


@case
def test_dice():
    return over(train.Dice(), tuple(MASKS), (MASKS[0], MASKS[0])), train.Dice(smooth=1.0)(*MASKS)


@case(each={"ignore": [None, 1]})
def test_perplexity(ignore):
    chances = [np.exp(s) / np.exp(s).sum(-1, keepdims=True) for s in SCORES]
    return over(train.Perplexity(ignore), *zip(chances, LABELS, strict=True))


# similarity, text, curves


@case(each={"similarity": ["cosine", "dot"], "reduction": ["none", "sum", "mean"], "zero": [True, False]})
def test_cosine_similarity(similarity, reduction, zero):
    metric = train.CosineSimilarity(similarity, reduction, zero)
    metric.update(data((4, 3)))
    return metric.eval()


@case(each={"n": [1, 2, 4], "smooth": [False, True]})
def test_bleu(n, smooth):
    candidates = [["i", "have", "a", "pen", "on", "my", "desk"], ["the", "cat", "is", "on", "my", "mat"]]
    references = [
        [["i", "have", "a", "pen", "in", "my", "desk"], ["there", "is", "a", "pen", "on", "the", "desk"]],
        [["a", "cat", "is", "on", "my", "mat", "now"]],
    ]
    metric = train.BleuScore(n, smooth)
    metric.update(candidates, references)
    return metric.eval()


@case
def test_bleu_of_nothing_in_common():
    metric = train.BleuScore()
    metric.update([["a", "b"]], [[["c", "d"]]])
    return metric.eval()


@case
def test_roc_of_two_classes():
    y = np.array([1, 0, 1, 1, 0, 1])
    return [
        train.ROC(pos_label=p)(Tensor(np.array([0.3, 0.7, 0.4, 0.7, 0.2, 0.9])), Tensor(y)) for p in (1, 0)
    ]


@case
def test_roc_of_many_classes_and_auc():
    fpr, tpr, thresholds = train.ROC(class_num=4)(Tensor(data((4, 4))), Tensor(np.array([0, 1, 2, 3])))
    return fpr, tpr, thresholds, [train.auc(x, y) for x, y in zip(fpr, tpr, strict=True)]


@case
def test_auc():
    x, y = np.array([0.1, 0.5, 0.9]), np.array([1.0, 3.0, 2.0])
    return (
        train.auc(x, y),
        train.auc(x[::-1], y),
        train.auc(x[[1, 0, 2]], y, reorder=True),
        train.auc(x[:, None], y),
    )


# confusion matrices


@case(each={"normalize": ["no_norm", "target", "prediction", "all"]})
def test_confusion_matrix(normalize):
    return (
        over(train.ConfusionMatrix(4, normalize), *BATCHES["scores"]),
        over(train.ConfusionMatrix(4, normalize), (LABELS[0], LABELS[1])),
        train.ConfusionMatrix(2, normalize, 0.3)(np.array([0.1, 0.4, 0.6]), np.array([0, 0, 1])),
    )


NAMES = [
    "sensitivity",
    "specificity",
    "precision",
    "npv",
    "miss rate",
    "Fall Out",
    "fdr",
    "for",
    "pt",
    "ts",
    "accuracy",
    "ba",
    "F1 score",
    "mcc",
    "fm",
    "informedness",
    "mk",
]


@case(each={"name": NAMES})
def test_confusion_matrix_metrics(name):
    return (
        over(train.ConfusionMatrixMetric(metric_name=name), tuple(MASKS), (MASKS[1], MASKS[0])),
        over(train.ConfusionMatrixMetric(False, name, True), tuple(MASKS), (MASKS[1], MASKS[0])),
    )


@case(each={"decrease": ["mean", "sum"]})
def test_confusion_matrix_metric_by_sample(decrease):
    empty = MASKS[0].copy()
    empty[0, 1] = 0
    return over(train.ConfusionMatrixMetric(True, "sensitivity", True, decrease), (MASKS[1], empty))


# surfaces


@case(each={"distance": ["euclidean", "chessboard", "taxicab"]})
def test_surface_distances(distance):
    return [
        metric(*REGIONS, label)
        for label in (0, 1, 2)
        for metric in (
            train.HausdorffDistance(distance),
            train.HausdorffDistance(distance, 90.0, True, False),
            train.MeanSurfaceDistance(False, distance),
            train.MeanSurfaceDistance(True, distance),
            train.RootMeanSquareDistance(False, distance),
            train.RootMeanSquareDistance(True, distance),
        )
    ]


@case
def test_surfaces_of_which_one_is_empty():
    a, b = np.array([[0, 1], [1, 1]]), np.array([[2, 2], [2, 2]])
    return [
        m(a, b, 0)
        for m in (
            train.HausdorffDistance(),
            train.MeanSurfaceDistance(True),
            train.RootMeanSquareDistance(True),
        )
    ]


class Sum(nn.Cell):
    def construct(self, x):
        flat = x.reshape((x.shape[0], -1))
        return flat[:, :4] + flat[:, 4:8]


@case(each={"box": [None, [0, 0, 1, 2, 0, -1]]})
def test_occlusion_sensitivity(box):
    metric = train.OcclusionSensitivity(margin=1, n_batch=3, b_box=box)
    metric.update(Sum(), Tensor(data((1, 1, 4, 4))), Tensor(2))
    return metric.eval()


# the base class


class Correct(train.Metric):
    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self.right = self.total = 0

    @train.rearrange_inputs
    def update(self, *inputs):
        y_pred, y = (self._convert_data(x) for x in inputs)
        self.right += int((y_pred.argmax(1) == y).sum())
        self.total += len(y)

    def eval(self):
        return self.right / self.total


@case
def test_subclass_with_indexes():
    metric = Correct()
    before = metric.indexes
    after = metric.set_indexes([2, 0])
    value = metric(Tensor(LABELS[0]), Tensor(1.0), Tensor(SCORES[0]))
    return before, after is metric, metric.indexes, value


@case
def test_loss_with_indexes():
    return train.Loss().set_indexes([0])(Tensor(3.0), Tensor(SCORES[0]), Tensor(LABELS[0]))


@case
def test_names_and_get_metrics():
    made = get_metrics({"acc"})
    one = {"loss": nn.Loss()}
    return (
        train.names(),
        [type(m).__name__ for m in made.values()],
        get_metrics(one) is one,
        get_metrics(None),
        type(train.get_metric_fn("topk", 3)).__name__,
        nn.Accuracy is train.Accuracy,
        nn.get_metric_fn("mae")(SCORES[0], SCORES[1]),
    )


@case
def test_what_a_sum_is_kept_as():
    metric = train.Accuracy()
    metric.update(*BATCHES["scores"][0])
    loss = train.Loss()
    loss.update(Tensor(2.0))
    return (
        metric._correct_num,
        metric._total_num,
        metric._class_num,
        loss._sum_loss,
        loss._total_num,
        [type(x).__name__ for x in (metric.eval(), loss.eval(), train.MAE()(SCORES[0], SCORES[1]))],
    )


# bad input


class Half(train.Metric):
    def clear(self):
        pass


EMPTY = [
    "Accuracy",
    "Precision",
    "Recall",
    "F1",
    "Top1CategoricalAccuracy",
    "MAE",
    "MSE",
    "Loss",
    "Dice",
    "Perplexity",
    "ROC",
    "BleuScore",
    "CosineSimilarity",
    "HausdorffDistance",
    "OcclusionSensitivity",
]


@case(each={"name": EMPTY}, raises=True)
def test_eval_before_update(name):
    getattr(train, name)().eval()


@case(
    each={
        "name": [
            "Accuracy",
            "Precision",
            "Recall",
            "F1",
            "Top5CategoricalAccuracy",
            "MAE",
            "MSE",
            "Dice",
            "Perplexity",
            "ROC",
            "BleuScore",
            "HausdorffDistance",
        ]
    },
    raises=True,
)
def test_wrong_number_of_inputs(name):
    getattr(train, name)().update(SCORES[0])


BAD = {
    "abstract": lambda: Half(),
    "k type": lambda: train.TopKCategoricalAccuracy(1.0),
    "k value": lambda: train.TopKCategoricalAccuracy(0),
    "beta": lambda: train.Fbeta(0),
    "smooth": lambda: train.Dice(1),
    "negative smooth": lambda: train.Dice(-1.0),
    "ignore_label": lambda: train.Perplexity(1.0),
    "similarity": lambda: train.CosineSimilarity("l1"),
    "n_gram": lambda: train.BleuScore(5),
    "class_num": lambda: train.ROC(1.0),
    "normalize": lambda: train.ConfusionMatrix(2, "rows"),
    "threshold": lambda: train.ConfusionMatrix(2, "all", 1),
    "metric_name": lambda: (
        train.ConfusionMatrixMetric(metric_name="x").update(*MASKS)
        or train.ConfusionMatrixMetric(metric_name="x").eval()
    ),
    "decrease": lambda: train.ConfusionMatrixMetric(decrease="max"),
    "distance": lambda: train.HausdorffDistance("l1"),
    "name": lambda: train.get_metric_fn("nothing"),
    "metrics list": lambda: get_metrics(["acc"]),
    "metrics values": lambda: get_metrics({"acc": 1}),
    "metrics set": lambda: get_metrics({"nothing"}),
    "indexes": lambda: train.Loss().set_indexes((0, 1)),
    "input type": lambda: train.Accuracy().update("ab", [1]),
    "average": lambda: train.F1().eval(1),
    "dimensions": lambda: train.Accuracy().update(SCORES[0], LABELS[0][:, None]),
    "label shape": lambda: train.Accuracy().update(SCORES[0], LABELS[0][:3]),
    "multilabel dimensions": lambda: train.Accuracy("multilabel").update(BITS[0], BITS[0][0]),
    "multilabel shape": lambda: train.Recall("multilabel").update(BITS[0], BITS[0][:2]),
    "multilabel values": lambda: train.Recall("multilabel").update(BITS[0] + 1, BITS[0]),
    "too many classes": lambda: train.Precision().update(SCORES[0], LABELS[0] + 2),
    "too many classes for F1": lambda: train.F1().update(SCORES[0], LABELS[0] + 2),
    "loss dimensions": lambda: train.Loss().update(SCORES[0]),
    "dice shapes": lambda: train.Dice().update(SCORES[0], SCORES[0][:2]),
    "perplexity shapes": lambda: train.Perplexity().update(SCORES[0], LABELS[0][:2]),
    "auc type": lambda: train.auc([0, 1], [0, 1]),
    "auc lengths": lambda: train.auc(np.arange(3), np.arange(2)),
    "auc short": lambda: train.auc(np.arange(1), np.arange(1)),
    "auc order": lambda: train.auc(np.array([0, 2, 1]), np.arange(3)),
    "roc shapes": lambda: train.ROC(3).update(SCORES[0], LABELS[0]),
    "roc no negatives": lambda: train.ROC()(np.array([0.1, 0.2]), np.array([1, 1])),
    "bleu lengths": lambda: train.BleuScore().update([["a"]], []),
    "confusion dimensions": lambda: train.ConfusionMatrix(3).update(IMAGES[0], LABELS[0]),
    "confusion values": lambda: train.ConfusionMatrixMetric().update(MASKS[0], MASKS[1] + 0.5),
    "missing label": lambda: train.HausdorffDistance().update(*REGIONS, 7),
}


@case(each={"what": list(BAD)}, raises=True)
def test_bad_input(what):
    BAD[what]()


@case(raises="The argument 'eval_type' must be in {")
def test_bad_eval_type():
    train.Accuracy(3)


@case(each={"name": ["Accuracy", "Precision", "Recall", "F1"]}, raises=True)
def test_number_of_classes_changes(name):
    metric = getattr(train, name)()
    metric.update(SCORES[0], LABELS[0])
    metric.update(data((3, 5)), np.array([0, 1, 2]))


@case
def test_exports():
    return [ms.Accuracy is train.Accuracy, ms.Metric is nn.Metric, ms.get_metric_fn is train.get_metric_fn]
