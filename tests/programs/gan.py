"""Two networks, two optimizers: as train cells in GRAPH_MODE, then as functions under jit."""
import argparse

import mindspore as ms
import numpy as np
from mindspore import Tensor, context, nn, ops
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P

parser = argparse.ArgumentParser()
parser.add_argument("--device_target", default="Ascend")
context.set_context(mode=context.GRAPH_MODE, device_target=parser.parse_args().device_target)
ms.set_seed(3)


class G(nn.Cell):
    def __init__(self):
        super().__init__()
        self.main = nn.SequentialCell(
            nn.Dense(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dense(16, 6), nn.Tanh()
        )

    def construct(self, z):
        return self.main(z)


class D(nn.Cell):
    def __init__(self):
        super().__init__(auto_prefix=True)
        self.net = nn.SequentialCell([nn.Dense(6, 16), nn.LeakyReLU(0.2), nn.Dense(16, 1)])

    def construct(self, x):
        return self.net(x)


class GenWithLoss(nn.Cell):
    def __init__(self, netG, netD, loss_fn):
        super().__init__(auto_prefix=True)
        self.netG, self.netD, self.loss_fn = netG, netD, loss_fn

    def construct(self, latent):
        fake = self.netG(latent)
        out = self.netD(fake)
        return self.loss_fn(out, ops.ones_like(out))


class DisWithLoss(nn.Cell):
    def __init__(self, netG, netD, loss_fn):
        super().__init__(auto_prefix=True)
        self.netG = netG
        self.netD = netD
        self.loss_fn = loss_fn

    def construct(self, real, latent):
        fake = self.netG(latent)
        out1 = self.netD(real)
        l1 = self.loss_fn(out1, ops.ones_like(out1))
        out2 = self.netD(ops.stop_gradient(fake))
        l2 = self.loss_fn(out2, ops.zeros_like(out2))
        return l1 + l2


class TrainOneStepG(nn.Cell):
    """user's own with GradOperation, r1.x"""

    def __init__(self, G, optimizer, sens=1.0):
        super().__init__()
        self.optimizer = optimizer
        self.G = G
        self.G.set_grad()
        self.G.set_train()
        self.G.netD.set_grad(False)
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens
        self.weights = optimizer.parameters
        self.net = G

    def construct(self, z):
        loss = self.net(z)
        sens = P.Fill()(P.DType()(loss), P.Shape()(loss), self.sens)
        grads = self.grad(self.net, self.weights)(z, sens)
        return F.depend(loss, self.optimizer(grads))


class DCGAN(nn.Cell):
    def __init__(self, tG, tD):
        super().__init__(auto_prefix=True)
        self.tG = tG
        self.tD = tD

    def construct(self, real, z):
        ld = self.tD(real, z).view(-1).mean()
        lg = self.tG(z).view(-1).mean()
        return ld, lg


g, d = G(), D()
bce = nn.BCEWithLogitsLoss()
gl, dl = GenWithLoss(g, d, bce), DisWithLoss(g, d, bce)
og = nn.Adam(g.trainable_params(), 0.01, beta1=0.5)
od = nn.Adam(d.trainable_params(), 0.01, beta1=0.5)
print([p.name for p in g.trainable_params()], [p.name for p in d.trainable_params()])
net = DCGAN(TrainOneStepG(gl, og), nn.TrainOneStepCell(dl, od))
net.set_train()
r = np.random.RandomState(0)
X = r.randn(12, 8, 6).astype(np.float32)
Z = r.randn(12, 8, 4).astype(np.float32)
for i in range(12):
    a, b = net(Tensor(X[i]), Tensor(Z[i]))
    print(i, a, b)
print(g.main[0].weight.asnumpy()[0], d.net[2].bias.asnumpy(), g.main[1].moving_variance.asnumpy()[:4])
print([p.name for p in net.get_parameters()][:6])


# functional
def forward_g(real, z):
    fake = g(z)
    o = d(fake)
    return bce(o, ops.ones_like(o)), fake


def forward_d(real, fake):
    o1 = d(real)
    o2 = d(fake)
    return (bce(o1, ops.ones_like(o1)) + bce(o2, ops.zeros_like(o2))) / 2


grad_g = ms.value_and_grad(forward_g, None, g.trainable_params(), has_aux=True)
grad_d = ms.value_and_grad(forward_d, None, d.trainable_params())


@ms.jit
def step(real, z):
    (lg, fake), gg = grad_g(real, z)
    og(gg)
    ld, gd = grad_d(real, fake)
    od(gd)
    return lg, ld


for i in range(8):
    lg, ld = step(Tensor(X[i]), Tensor(Z[i]))
    print(f"[{i}] G {float(lg.asnumpy()):.5f} D {float(ld.asnumpy()):.5f}")
print(g.main[0].weight.asnumpy()[1], d.net[0].bias.asnumpy()[:4])
