"""Networks with branches and loops, for ``networks.py``."""

import mindspore as ms
from mindspore import Tensor, nn, ops


class Branch(nn.Cell):
    """An if over a Tensor."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Dense(3, 3), nn.Dense(3, 3)

    def construct(self, x):
        if x.sum() > 0:
            y = self.one(x)
        else:
            y = ops.relu(self.two(x)) - 1
        return y * 2


class Loop(nn.Cell):
    """A while over a Tensor."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 3)

    def construct(self, x, n):
        i = Tensor(0, ms.int32)
        while i < n:
            x = ops.tanh(self.fc(x))
            i += 1
        return x, i


class Nested(nn.Cell):
    """A loop with an if inside."""

    def construct(self, x, n):
        total = x * 0
        i = Tensor(0, ms.int32)
        while i < n:
            if i % 2 == 0:
                total = total + x
            else:
                total = total * 2
            i = i + 1
        return total


class Early(nn.Cell):
    """Returns from within branches."""

    def construct(self, x):
        if x.max() > 100:
            return x
        if x.min() < -1:
            return x * 2
        return x - 1


class Unrolled(nn.Cell):
    """A for that the compiler unrolls, with branches on values inside."""

    def construct(self, x):
        out = x * 0
        for i in range(5):
            if x[i % 4].sum() > 0:
                out = out + x * i
            elif i == 3:
                out = out - 1
        return out


class Growing(nn.Cell):
    """A while that ends by a value, with an if inside."""

    def construct(self, x):
        s = ops.abs(x.sum())
        while s < 50:
            s = s * 1.5 + 1
            if s > 20:
                s = s + 5
        return s


class Left(nn.Cell):
    """A loop that ends in the middle."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3)

    def construct(self, x, n):
        i = Tensor(0, ms.int32)
        while i < n:
            x = ops.tanh(self.dense(x)) + 0.5
            i = i + 1
            if x.sum() > 4:
                break
        return x


class Returned(nn.Cell):
    """A loop in a loop: the inner one is left by break, or both at once by return."""

    def construct(self, x, n):
        i = Tensor(0, ms.int32)
        total = x * 0
        while i < n:
            j = Tensor(0, ms.int32)
            while j < n:
                total = total + 0.5
                j = j + 1
                if total.sum() > 20:
                    return total * 100
                if j > i:
                    break
            i = i + 1
        return total + x
