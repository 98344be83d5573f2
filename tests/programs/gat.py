"""2.x style: graph attention by messages along edges: gather and unsorted segment operators."""

import argparse

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import XavierUniform, initializer

NODES, CLASSES = 48, 3


class GATConv(nn.Cell):
    """Each node is a sum of its neighbours', weighted by attention over the edges that come in."""

    def __init__(self, in_feat, out_feat, heads, concat=True):
        super().__init__()
        self.heads, self.out_feat, self.concat = heads, out_feat, concat
        gain = np.sqrt(2)
        self.fc = nn.Dense(in_feat, heads * out_feat, weight_init=XavierUniform(gain), has_bias=False)
        self.attn_s = Parameter(initializer(XavierUniform(gain), (1, heads, out_feat)), name="attn_s")
        self.attn_d = Parameter(initializer(XavierUniform(gain), (1, heads, out_feat)), name="attn_d")
        self.bias = Parameter(initializer("zeros", (heads * out_feat if concat else out_feat,)), name="bias")

    def construct(self, x, source, target, count):
        h = self.fc(x).reshape(-1, self.heads, self.out_feat)
        from_source = (h * self.attn_s).sum(-1)
        from_target = (h * self.attn_d).sum(-1)
        edge = ops.leaky_relu(ops.gather(from_source, source, 0) + ops.gather(from_target, target, 0), 0.2)
        highest = ops.unsorted_segment_max(edge, target, count)
        edge = ops.exp(edge - ops.gather(ops.stop_gradient(highest), target, 0))
        total = ops.unsorted_segment_sum(edge, target, count)
        weight = edge / (ops.gather(total, target, 0) + 1e-16)
        message = ops.gather(h, source, 0) * weight.expand_dims(-1)
        out = ops.unsorted_segment_sum(message, target, count)
        out = out.reshape(-1, self.heads * self.out_feat) if self.concat else out.mean(1)
        return out + self.bias


class GATNet(nn.Cell):
    def __init__(self, in_feat, hidden, heads, classes):
        super().__init__()
        self.layer1 = GATConv(in_feat, hidden, heads)
        self.layer2 = GATConv(hidden * heads, classes, heads, concat=False)
        self.elu = nn.ELU()

    def construct(self, x, source, target, count):
        return self.layer2(self.elu(self.layer1(x, source, target, count)), source, target, count)


def ring():
    """Three arcs of a ring with chords inside each arc; features tell the arc with noise."""
    rng = np.random.default_rng(3)
    label = np.arange(NODES) * CLASSES // NODES
    edges = {(i, (i + 1) % NODES) for i in range(NODES)} | {(i, i) for i in range(NODES)}
    for _ in range(60):
        i, j = rng.choice(np.flatnonzero(label == rng.integers(CLASSES)), 2, replace=False)
        edges |= {(i, j), (j, i)}
    source, target = np.array(sorted(edges), np.int32).T
    feature = np.eye(CLASSES)[label] + rng.normal(0, 1.2, (NODES, CLASSES))
    return feature.astype(np.float32), source, target, label.astype(np.int32)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device_target", default="CPU")
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target=parser.parse_args().device_target)
    ms.set_seed(7)
    feature, source, target, label = (Tensor(x) for x in ring())
    train = Tensor(np.arange(NODES) % 2 == 0)
    net = GATNet(CLASSES, 6, 2, CLASSES)
    optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=0.02, weight_decay=5e-4)

    def forward(x):
        logits = net(x, source, target, NODES)
        loss = ops.cross_entropy(logits, label, reduction="none")
        return ops.masked_select(loss, train).mean(), logits

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
    for step in range(40):
        (loss, logits), grads = grad_fn(feature)
        optimizer(grads)
        if step % 2 == 0:
            right = (logits.argmax(-1) == label).float()
            test = (right * (1 - train.float())).sum() / (1 - train.float()).sum()
            print(f"{step:3d} loss {loss.item():.9f} test {test.item():.4f}")
    print(net.layer1.attn_s.asnumpy().ravel()[:4], net.layer2.bias.asnumpy())
