"""Writes rng_record.json beside this file: run `record_rng.py` with the Python that has the real MindSpore.

One function per stream, named as the record that test_rng.py reads. Each gives numpy arrays, of which the
record keeps dtype, shape, first values (their bytes in hexadecimal) and the SHA-256 of all bytes.
"""
import hashlib
import json
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.common.initializer import (
    _init_random_normal,
    _init_random_uniform,
    _init_truncated_normal,
)
from mindspore.common.seed import _get_graph_seed

SEEDS = ((3, 5), (3, 0), (0, 5), (1, 0), (2**31 - 2, 2**31 - 2))


def integers(seeds, count, low, high):
    return ops.UniformInt(*seeds)((count,), Tensor(low, ms.int32), Tensor(high, ms.int32)).asnumpy()


def weights(draw, *parameters, seed=1, shape=(7,)):
    np.random.seed(seed)
    return draw(*parameters, shape)


def normal_weights():
    return [weights(_init_random_normal, 0.5, 1.5, shape=(n,)) for n in (1, 2, 5, 70001)] + [
        weights(_init_random_normal, 0.0, 0.02, seed=s, shape=(300, 100)) for s in range(3)]


def uniform_weights():
    return [weights(_init_random_uniform, -0.1, 0.3, shape=(n,)) for n in (1, 2, 5, 70001)] + [
        weights(_init_random_uniform, 0, 1, seed=s, shape=(300, 100)) for s in range(3)]


def truncated_normal_weights():
    return [weights(_init_truncated_normal, *parameters, shape=(30001,)) for parameters in (
        (-2, 2, 0, 1), (-2, 2, 0, 0.02), (-0.1, 0.3, 0.1, 0.7), (1, 9, 0, 1), (-30, -6, 0, 1))]


def seeds_of_operators():
    found = []
    for seed in (0, 1, 4294967295):
        ms.set_seed(seed)
        found += [_get_graph_seed(s, name) for name in ("a", "b") for s in (None, 0, 5, 5, 0, 2**33)]
    return [np.array(found)]


def normals():
    stream = ops.StandardNormal(3, 5)
    return [ops.StandardNormal(*s)((501,)).asnumpy() for s in SEEDS] + [
        ops.StandardNormal(3, 5)((200, 500)).asnumpy()] + [
        stream((n,)).asnumpy() for n in (7, 4, 7, 4, 7)]


def laplaces():
    stream = ops.StandardLaplace(3, 5)
    return [ops.StandardLaplace(*s)((501,)).asnumpy() for s in SEEDS] + [
        ops.StandardLaplace(3, 5)((200, 500)).asnumpy()] + [stream((n,)).asnumpy() for n in (7, 4, 7)]


def uniforms():
    stream = ops.UniformReal(3, 5)
    return [ops.UniformReal(*s)((501,)).asnumpy() for s in SEEDS] + [
        ops.UniformReal(3, 5)((200, 500)).asnumpy()] + [
        stream((n,)).asnumpy() for n in (7, 4, 7, 4, 7)]


def uniform_integers():
    stream = ops.UniformInt(3, 5)
    low, high = Tensor(0, ms.int32), Tensor(100, ms.int32)
    return [integers((3, 5), 50000, low, high) for low, high in (
        (0, 100), (-5, 2**30 + 12345), (-2**31, 2**31 - 1), (5, 6), (-7, 2**31 - 1))] + [
        stream((n,), low, high).asnumpy() for n in (7, 4, 7, 4, 7)]


def dropout_masks():
    ones = {n: Tensor(np.ones(n, np.float32)) for n in (50, 7)}
    stream = ops.Dropout(0.5, 3, 5)
    return [ops.Dropout(p, 3, 5)(Tensor(np.ones((100, 1000), np.float32)))[1].asnumpy()
            for p in (0.1, 0.3, 1 / 3, 0.5, 0.9, 1.0)] + [
        ops.Dropout(0.7, *s)(ones[50])[1].asnumpy() for s in SEEDS] + [
        stream(ones[n])[1].asnumpy() for n in (50, 7, 50, 7)]


def dropout_layers():
    ms.set_seed(1)
    layers = [nn.Dropout(p=0.4).set_train() for _ in range(3)]
    x = Tensor(np.ones((4, 25), np.float32))
    return [layer(x).asnumpy() for _ in range(2) for layer in layers]


def samples():
    one, two = Tensor(np.arange(10, dtype=np.float32)), Tensor(np.arange(20, dtype=np.float32).reshape(2, 10))
    stream = ops.Multinomial(3, 5)
    return [ops.Multinomial(*s)(w, 300).asnumpy() for s in SEEDS for w in (one, two)] + [
        stream(one, 7).asnumpy() for _ in range(3)]


def shuffles():
    ms.set_seed(1)
    return [ops.shuffle(Tensor(np.arange(n))).asnumpy() for n in (1, 2, 9, 10, 1000, 50000)] + [
        ops.shuffle(Tensor(np.arange(30).reshape(10, 3))).asnumpy()]


def permutations():
    return [ops.randperm(n, seed, offset).asnumpy() for n, seed, offset in (
        (10, 0, 0), (11, 7, 0), (10, 7, 1), (1, 3, 0), (5000, 70, 3), (70000, 2, 0))]


def functions():
    ms.set_seed(1)
    return [f().asnumpy() for f in (
        lambda: ops.randn(6), lambda: ops.rand(6), lambda: ops.standard_normal((6,)), lambda: ops.randn(6),
        lambda: ops.rand(6), lambda: ops.standard_normal((6,), seed=7), lambda: ops.randint(0, 1000, (6,)),
        lambda: ops.dropout(Tensor(np.ones(60, np.float32)), 0.5),
        lambda: ops.dropout(Tensor(np.ones(60, np.float32)), 0.5, seed=7))]


def kept(array):
    array = np.ascontiguousarray(array)
    return {"dtype": str(array.dtype), "shape": list(array.shape),
            "head": array.reshape(-1)[:4].tobytes().hex(),
            "sha256": hashlib.sha256(array.tobytes()).hexdigest()}


if __name__ == "__main__":
    ms.set_context(mode=ms.PYNATIVE_MODE)
    record = {"mindspore": ms.__version__}
    for function in (normal_weights, uniform_weights, truncated_normal_weights, seeds_of_operators,
                     normals, laplaces, uniforms, uniform_integers, dropout_masks, dropout_layers, samples,
                     shuffles, permutations, functions):
        record[function.__name__] = [kept(array) for array in function()]
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in record.items()]
    Path(__file__).with_name("rng_record.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
