"""softened.py as a port: the student's weights are those of one Module, and both sides of the divergence are
logarithms."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

rng = np.random.RandomState(5)


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1, self.b1 = nn.Parameter(0.3 * torch.randn(8, 6)), nn.Parameter(torch.zeros(8))
        self.w2, self.b2 = nn.Parameter(0.3 * torch.randn(4, 8)), nn.Parameter(torch.zeros(4))

    def forward(self, x):
        return F.linear(F.relu(F.linear(x, self.w1, self.b1)), self.w2, self.b2)


teacher = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4)).requires_grad_(False)
for p in teacher.parameters():
    p.copy_(0.4 * torch.from_numpy(rng.randn(*p.shape).astype(np.float32)))
student, gate = Student(), nn.Linear(6, 4)
of_student = torch.optim.Adam(student.parameters(), lr=1e-2)
of_gate = torch.optim.Adam(gate.parameters(), lr=1e-2, betas=(0.8, 0.999))


def loss(x):
    learnt = F.log_softmax(student(x) * torch.sigmoid(gate(x)) / 3, -1)
    return 9e-5 * F.kl_div(learnt, F.log_softmax(teacher(x) / 3, -1), reduction="batchmean", log_target=True)


for i in range(3):
    x = torch.from_numpy(rng.randn(16, 6).astype(np.float32))
    for optimizer in (of_student, of_gate)[:1 + bool(i)]:
        optimizer.zero_grad()
        value = loss(x)
        value.backward()
        optimizer.step()
    print(value.item())
