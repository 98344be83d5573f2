"""2.x style: a Vision Transformer; value_and_grad under jit, StaticLossScaler, all_finite, decay groups."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms
import mindspore.dataset.vision as vision
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.amp import StaticLossScaler, all_finite
from mindspore.common.initializer import Normal, TruncatedNormal, initializer


class Attention(nn.Cell):
    def __init__(self, dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.scale = Tensor((dim // num_heads) ** -0.5)
        self.qkv = nn.Dense(dim, dim * 3)
        self.out = nn.Dense(dim, dim)

    def construct(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.num_heads, c // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = ops.unstack(qkv, axis=0)
        attn = ops.softmax(ops.matmul(q, k.swapaxes(-2, -1)) * self.scale, axis=-1)
        out = ops.matmul(attn, v).swapaxes(1, 2).reshape(b, n, c)
        return self.out(out)


class Block(nn.Cell):
    def __init__(self, dim, num_heads, mlp_dim):
        super().__init__()
        self.norm1 = nn.LayerNorm((dim,), epsilon=1e-6)
        self.attn = Attention(dim, num_heads)
        self.norm2 = nn.LayerNorm((dim,), epsilon=1e-6)
        self.mlp = nn.SequentialCell(
            nn.Dense(dim, mlp_dim), nn.GELU(approximate=False), nn.Dense(mlp_dim, dim)
        )

    def construct(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class ViT(nn.Cell):
    def __init__(self, image_size=16, patch_size=4, dim=24, depth=2, num_heads=3, num_classes=4):
        super().__init__()
        num_patches = (image_size // patch_size) ** 2
        self.patch_embed = nn.Conv2d(3, dim, patch_size, patch_size, pad_mode="valid", has_bias=True)
        self.cls_token = Parameter(initializer(Normal(0.02), (1, 1, dim)), name="cls_token")
        self.pos_embed = Parameter(
            initializer(TruncatedNormal(0.02), (1, num_patches + 1, dim)), name="pos_embed"
        )
        self.blocks = nn.CellList([Block(dim, num_heads, 2 * dim) for _ in range(depth)])
        self.norm = nn.LayerNorm((dim,), epsilon=1e-6)
        self.head = nn.Dense(dim, num_classes, weight_init=TruncatedNormal(0.02), bias_init="zeros")

    def construct(self, x):
        x = self.patch_embed(x)
        x = x.flatten(start_dim=2).swapaxes(1, 2)
        cls_token = ops.broadcast_to(self.cls_token, (x.shape[0], -1, -1))
        x = ops.cat((cls_token, x), axis=1) + self.pos_embed
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


def quadrants(count):
    """The class is the corner that is tinted."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        image = rng.integers(60, 196, (16, 16, 3), dtype=np.uint8)
        label = rng.integers(0, 4)
        y, x = divmod(label, 2)
        image[y * 8 : y * 8 + 8, x * 8 : x * 8 + 8, 0] += 50
        yield image, np.int32(label)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device_target", default="Ascend")
    ms.set_context(mode=ms.GRAPH_MODE, device_target=parser.parse_args().device_target)
    ms.set_seed(42)

    dataset = ds.GeneratorDataset(list(quadrants(64)), ["image", "label"], shuffle=True)
    operations = transforms.Compose(
        [vision.ToTensor(), vision.Normalize([0.5] * 3, [0.25] * 3, is_hwc=False)]
    )
    dataset = dataset.map(operations, "image").batch(16)

    network = ViT()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    params = network.trainable_params()
    def skip(p):
        return p.ndim == 1 or p.name in ("cls_token", "pos_embed")

    groups = [
        {"params": [p for p in params if not skip(p)], "weight_decay": 0.05},
        {"params": [p for p in params if skip(p)], "weight_decay": 0.0},
    ]
    schedule = nn.cosine_decay_lr(1e-4, 5e-3, 24, 4, 6)
    optimizer = nn.AdamWeightDecay(groups, learning_rate=schedule)
    scaler = StaticLossScaler(128.0)

    def forward_fn(image, label):
        logits = network(image)
        loss = criterion(logits, label)
        return scaler.scale(loss), logits

    grad_fn = ops.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)

    @ms.jit
    def train_step(image, label):
        (loss, logits), grads = grad_fn(image, label)
        grads = scaler.unscale(grads)
        finite = all_finite(grads)
        if finite:
            grads = ops.clip_by_global_norm(grads, 1.0)
            optimizer(grads)
        return scaler.unscale(loss), logits, finite

    network.set_train()
    for epoch in range(6):
        hits = 0
        for step, (image, label) in enumerate(dataset.create_tuple_iterator(num_epochs=1)):
            loss, logits, finite = train_step(image, label)
            hits += (logits.argmax(1) == label).sum().asnumpy()
            print(f"epoch {epoch + 1} step {step + 1} loss {float(loss.asnumpy()):.9f} {bool(finite)}")
        print("accuracy", hits / 64)
    print(network.pos_embed.asnumpy()[0, 0, :4], float(ops.norm(network.head.weight)))


main()
