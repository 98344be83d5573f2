"""Q-learning: `self.train` and `self.type` of the user, targets by set_data, tied or mixed."""
import argparse
import random
from collections import deque

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from mindspore import Tensor, context

parser = argparse.ArgumentParser()
parser.add_argument("--device_target", default="Ascend")
context.set_context(mode=context.PYNATIVE_MODE, device_target=parser.parse_args().device_target)
random.seed(0)
np.random.seed(0)
ms.set_seed(0)


class Env:
    def reset(self):
        self.s = np.array([0.1, -0.2, 0.05, 0.0], np.float32)
        self.t = 0
        return self.s

    def step(self, a):
        self.s = np.clip(
            self.s * 0.9 + (a - 0.5) * np.array([0.3, -0.2, 0.1, 0.4], np.float32), -2, 2
        ).astype(np.float32)
        self.t += 1
        return self.s, float(-np.abs(self.s).sum()), self.t >= 20, {}


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(4, 16, weight_init="normal")
        self.fc2 = nn.Dense(16, 2, weight_init="uniform")
        self.act = nn.ReLU()
        self.train = False
        self.type = "dqn"

    def construct(self, x):
        return self.fc2(self.act(self.fc1(x)))


class WithLoss(nn.Cell):
    def __init__(self, backbone, loss):
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss = loss
        self.gather = ops.GatherD()

    def construct(self, x, act, label):
        out = self._backbone(x)
        out = self.gather(out, 1, act)
        return self._loss(out, label)


class DQN:
    def __init__(self):
        self.policy, self.target = Net(), Net()
        self.opt = nn.Adam(self.policy.trainable_params(), 0.01)
        loss = WithLoss(self.policy, nn.MSELoss())
        self.train_cell = nn.TrainOneStepCell(loss, self.opt)
        self.train_cell.set_train()
        self.steps = 0
        self.mem = deque(maxlen=200)
        self.load()

    def load(self):
        for tp, pp in zip(self.target.get_parameters(), self.policy.get_parameters()):
            tp.set_data(pp.data)

    def soft(self, tau):
        for tp, pp in zip(self.target.get_parameters(), self.policy.get_parameters()):
            tp.set_data(tp.data * (1 - tau) + pp.data * tau)

    def act(self, s):
        if random.random() > 0.2:
            q = self.policy(Tensor(s, ms.float32).expand_dims(0))
            return int(q.argmax(1)[0].asnumpy())
        return random.randrange(2)

    def learn(self):
        b = random.sample(self.mem, 16)
        s, a, r, n, d = zip(*b)
        s, n = Tensor(np.array(s), ms.float32), Tensor(np.array(n), ms.float32)
        a = Tensor(np.array(a), ms.int32).expand_dims(1)
        r = Tensor(np.array(r), ms.float32)
        d = Tensor(np.float32(d))
        nq = self.target(n).max(axis=1)
        y = r + 0.9 * nq * (1 - d)
        return self.train_cell(s, a, y.expand_dims(1))


env, agent = Env(), DQN()
for ep in range(6):
    s = env.reset()
    tot = 0
    while True:
        a = agent.act(s)
        n, r, d, _ = env.step(a)
        agent.mem.append((s, a, r, n, d))
        s = n
        tot += r
        if len(agent.mem) >= 32:
            l = agent.learn()
            agent.steps += 1
            if agent.steps % 10 == 0:
                agent.load()
            elif agent.steps % 3 == 0:
                agent.soft(0.1)
            if agent.steps % 15 == 0:
                print(agent.steps, float(l), l.asnumpy().item())
        if d:
            break
    print("episode", ep, round(tot, 4))
print([float(p.asnumpy().sum()) for p in agent.target.get_parameters()])
print([float(p.asnumpy().sum()) for p in agent.policy.get_parameters()])
print(agent.policy.type, agent.policy.train)
