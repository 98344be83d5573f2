"""A student that learns a teacher's softened scores: the logarithms of both are approximated, and their
divergence is a sum whose terms cancel. The optimizers' states have other names than the weights: a Cell is
put around the student later, and the gate's are renamed, whose first update is in the second step. Gradients
are so small that the place of Adam's eps counts."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(5)
rng = np.random.RandomState(5)


def scores(width):
    return nn.SequentialCell(nn.Dense(6, width), nn.ReLU(), nn.Dense(width, 4))


class Distilling(nn.Cell):
    def __init__(self, student, teacher):
        super().__init__()
        self.student, self.teacher, self.divergence = student, teacher, nn.KLDivLoss(reduction="batchmean")

    def construct(self, x, gates):
        learnt, taught = self.student(x) * gates, ops.stop_gradient(self.teacher(x))
        return 9e-5 * self.divergence(ops.log_softmax(learnt / 3, -1), ops.softmax(taught / 3, -1))


teacher, student, gate = scores(12), scores(8), nn.Dense(6, 4)
for p in teacher.get_parameters():
    p.set_data(Tensor(0.4 * rng.randn(*p.shape).astype(np.float32)))
    p.requires_grad = False
of_student = nn.Adam(student.trainable_params(), 1e-2)
of_gate = nn.Adam(gate.trainable_params(), 1e-2, beta1=0.8)
of_gate.update_parameters_name("gate.")
distilling = Distilling(student, teacher)


def loss(x):
    return distilling(x, ops.sigmoid(gate(x)))


students = ms.value_and_grad(loss, None, of_student.parameters)
gates = ms.value_and_grad(loss, None, of_gate.parameters)
student.set_train()
for i in range(3):
    x = Tensor(rng.randn(16, 6).astype(np.float32))
    value, gradients = students(x)
    of_student(gradients)
    if i:
        value, gradients = gates(x)
        of_gate(gradients)
    print(value)
