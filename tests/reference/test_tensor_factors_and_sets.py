"""Methods of Tensor: factors of matrices, shrinking, sets, draws."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

from tests.reference.judge import case, data


@case(each={"dtype": ["float32", "float64"]})
def test_matrices(dtype):
    x = Tensor(data((3, 3), dtype) + 2 * np.eye(3, dtype=dtype))
    y = Tensor(data((3, 3), dtype, seed=1) + 3 * np.eye(3, dtype=dtype))
    q, r = x.qr()
    return x.adjoint(), x.inner(y), y.lstsq(x), q @ r, x.geqrf()


@case()
def test_complete_qr_has_square_factors():
    x = Tensor(data((4, 2)))
    return [part.shape for part in x.qr(False)], [part.shape for part in x.qr()], x.qr(False)[1].abs()


@case()
def test_orgqr():
    reflectors, factors = Tensor(data((3, 2))).geqrf()
    return reflectors.orgqr(factors)


@case(each={"lambd": [0.0, 0.5, 1.5]})
def test_shrinking(lambd):
    x = Tensor(data((3, 4)))
    return x.hardshrink(lambd), x.soft_shrink(lambd), Tensor(data((2, 2), "float16")).hardshrink()


@case()
def test_approximate_equal():
    x = Tensor(data((3, 2)))
    return x.approximate_equal(x + 1e-6), x.approximate_equal(x + 0.1), x.approximate_equal(x + 0.1, 0.2)


@case()
def test_random_categorical_has_a_class_for_every_draw():
    drawn = Tensor(np.array([[0.0, -1e9, -1e9], [-1e9, -1e9, 0.0]], np.float32)).random_categorical(
        4, dtype=ms.int32
    )
    return drawn


@case()
def test_set_takes_another_tensor_s_elements():
    x, y = Tensor(data((2, 3))), Tensor(data((4,), seed=1))
    return x.set_(y), x, x.shape


@case(each={"layer": ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"]})
def test_batch_norms_of_mint_start_again(layer):
    from mindspore import mint

    norm = getattr(mint.nn, layer)(2)
    norm.running_mean.set_data(Tensor([3.0, 4.0]))
    norm.running_var.set_data(Tensor([3.0, 4.0]))
    norm.weight.set_data(Tensor([3.0, 4.0]))
    norm.bias.set_data(Tensor([3.0, 4.0]))
    norm.num_batches_tracked.set_data(Tensor(5, ms.float32))
    seen = [norm.reset_running_stats()]
    seen += [p.asnumpy().copy() for p in norm.get_parameters()]
    norm.reset_parameters()
    return seen, [p.asnumpy() for p in norm.get_parameters()], isinstance(norm, nn.Cell)
