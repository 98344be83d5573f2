"""Operators on bounding boxes."""
import numpy as np
from mindspore import Tensor, ops

from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case, data

GIVEN = lines("""
ops.IOU()(A([[0,0,10,10],[5,5,15,15],[0,0,3,3.]],"float32"), A([[0,0,10,10],[4,4,8,9.]],"float32"))
ops.IOU("iof")(A([[0,0,10,10],[5,5,15,15],[0,0,3,3.]],"float32"), A([[0,0,10,10],[4,4,8,9.]],"float32"))
ops.iou(A([[0,0,10,10],[5,5,15,15],[0,0,3,3.]],"float16"), A([[0,0,10,10],[4,4,8,9.]],"float16"))
ops.CheckValid()(A([[0,0,10,10],[-1,5,15,15],[0,0,30,3.]],"float32"), A([20,20,1.],"float32"))
ops.check_valid(A([[0,0,10,10],[-1,5,15,15],[0,0,39,3.],[0,0,40,3.]],"float32"), A([20,20,2.],"float32"))
ops.BoundingBoxEncode()(A([[4,1,2,1],[2,2,2,3]],"float32"), A([[3,1,2,2],[1,2,1,4]],"float32"))
ops.BoundingBoxEncode(means=(0.1,0.,0.2,0.), stds=(0.1,0.1,0.2,0.2))(A([[0,0,10,12],[2,2,20,30]],"float32"), A([[3,1,20,22],[1,2,11,14]],"float32"))
ops.BoundingBoxDecode(max_shape=(768,1280), means=(0.,0.,0.,0.), stds=(1.,1.,1.,1.), wh_ratio_clip=0.016)(A([[4,1,2,1],[2,2,2,3]],"float32"), A([[3,1,2,2],[1,.2,.1,.4]],"float32"))
ops.BoundingBoxDecode(max_shape=(30,30), means=(0.1,0.,0.,0.), stds=(.1,.1,.2,.2))(A([[4,1,20,10],[2,2,12,13]],"float32"), A([[3,1,2,2],[1,.2,.1,.4]],"float32"))
ops.NMSWithMask(0.1)(A([[100.0, 100.0, 50.0, 68.0, 0.63], [150.0, 75.0, 165.0, 115.0, 0.55],[12.0, 190.0, 288.0, 200.0, 0.9], [28.0, 130.0, 106.0, 172.0, 0.3]],"float32"))
ops.BoundingBoxDecode(max_shape=(20,30))(A([[4,1,25,18],[2,2,12,13]],"float32"), A([[1,1,2,2],[1,.2,.1,.4]],"float32"))
ops.NMSWithMask(0.5)(A([[0,0,10,10,.5],[1,1,11,11,.9],[20,20,30,30,.7],[0,0,9,10,.6]],"float32"))
ops.NMSWithMask(0.3)(A([[0,0,10,10,.5],[1,1,11,11,.9],[20,20,30,30,.7],[0,0,9,10,.6]],"float32"))
ops.view_as_real(T((2,),"complex64"))
""")  # noqa: E501


@case(each={"line": GIVEN})
def test_value(line):
    return evaluate(line)


@case(raises=True)
def test_a_mode_that_is_none():
    return evaluate('ops.iou(A([[0,0,10,10]],"float32"), A([[0,0,10,10]],"float32"), "bad")')


@case(each={"scores": [[0.9, 0.5, 0.5], [0.1, 0.2, 0.1, 0.2, 0.1, 0.3], [0.5] * 9]})
def test_equal_scores_and_corners_in_any_order(scores):
    corners = np.round(6 * np.abs(data((len(scores), 4))))
    boxes = np.concatenate([corners, np.array(scores)[:, None]], 1)
    return ops.NMSWithMask(0.2)(Tensor(boxes.astype(np.float32)))
