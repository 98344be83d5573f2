"""What real releases gave: MindSpore 1.0.0 (in graph mode), 2.0.0, 2.7.0, 2.8.0 and 2.9.0 on a CPU ran
each of these cases; 2.10's answers are in ``tests/reference``.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Parameter, Tensor, nn, ops
from ms2torch._naming import generation, generations

IMAGE = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)


@pytest.fixture
def api():
    yield generation.set_api
    generation.set_api(None)


def of(values, dtype=np.float32):
    return Tensor(np.array(values, dtype))


def shown(x):
    if isinstance(x, (tuple, list)):
        return [shown(v) for v in x]
    return str(x.dtype), x.asnumpy().tolist()


def test_floats_made_float64(api):
    api("1.0")
    assert [x.dtype for x in (Tensor(3.5), Tensor([1.5]), Tensor((1.5, 2)))] == [ms.float64] * 3
    assert Tensor(3).dtype == Tensor([1, 2]).dtype == ms.int64
    assert Tensor(3.5, ms.float32).dtype == Parameter(1.5, name="p").dtype == ms.float32
    assert (Tensor(2.0) * of([1, 2])).dtype == ms.float64
    for choice in ("2.0", None):
        api(choice)
        assert Tensor(3.5).dtype == Tensor([1.5]).dtype == ms.float32


def test_size_was_a_method(api):
    api("1.0")
    assert of([1, 2]).size() == of([1, 2]).size == 2
    for choice in ("1.1", None):
        api(choice)
        with pytest.raises(TypeError, match="'int' object is not callable"):
            of([1, 2]).size()


def test_a_parameter_was_cloned_under_a_prefix(api):
    p = Parameter(of([1, 2]), name="a")
    api("1.0")
    for twin in (p.clone("pre"), p.clone(prefix="pre")):
        assert twin.name == "pre.a" and shown(twin) == ("Float32", [1, 2])
    assert shown(p.clone("pre", init="zeros")) == ("Float32", [0, 0])
    assert ms.ParameterTuple([p]).clone("moment", init="zeros")[0].name == "moment.a"
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'prefix'"):
        p.clone()
    for choice in ("2.0", None):
        api(choice)
        assert p.clone().name == "a"
        with pytest.raises(ValueError, match="the class corresponding to 'pre' was not found"):
            p.clone("pre")


def test_names_that_tell_are_taken_until_the_release_that_refuses_them(api):
    row = of([0], np.int32), of([[1, 2]])
    x = of(IMAGE)
    wanted = shown(ops.MaxPool(2, 1, "valid")(x)), shown(ops.AvgPool(2, 1, "same")(x))
    for choice in (None, "1.0"):
        api(choice)
        assert shown(ops.MaxPool(ksize=2, strides=1, padding="valid")(x)) == wanted[0]
        assert shown(ops.AvgPool(ksize=2, strides=1, padding="same")(x)) == wanted[1]
        assert ms.RowTensor(*row, dense_shape=(3, 2)).dense_shape == (3, 2)
        assert ms.SparseTensor(of([[0, 1]], np.int64), of([1]), dense_shape=(3, 2)).shape == (3, 2)
        assert nn.Dropout(0.9, ms.float32).keep_prob == 0.9
        assert shown(ops.Roll(shift=1, axis=0)(of([1, 2, 3]))) == ("Float32", [3, 1, 2])
    api("2.0")
    assert shown(ops.Roll(shift=1, axis=0)(of([1, 2, 3]))) == ("Float32", [3, 1, 2])
    for call, words in (
        (lambda: ops.MaxPool(ksize=2), "unexpected keyword argument 'ksize'"),
        (lambda: ms.RowTensor(*row, dense_shape=(3, 2)), "unexpected keyword argument 'dense_shape'"),
        (lambda: nn.Dropout(0.9, ms.float32), "the type of 'p' should be one of"),
    ):
        with pytest.raises(TypeError, match=words):
            call()


def test_positions_before_2_0(api):
    """The orders of 1.10's documentation; each result is that of the call by the later names."""
    x, weight = of(IMAGE), of(np.ones((1, 2, 2, 2)))
    calls = [
        (lambda: ops.interpolate(x, None, (1.0, 1.0, 2.0, 2.0), None, "align_corners", "bilinear"),
         lambda: ops.interpolate(x, (6, 8), mode="bilinear", align_corners=True)),
        (lambda: ops.interpolate(x, None, None, (5, 5), "half_pixel", "bilinear"),
         lambda: ops.interpolate(x, (5, 5), mode="bilinear")),
        (lambda: ops.conv2d(x, weight, "same"), lambda: ops.conv2d(x, weight, pad_mode="same")),
        (lambda: ops.conv2d(x, weight, "pad", 1, 2),
         lambda: ops.conv2d(x, weight, pad_mode="pad", padding=1, stride=2)),
        (lambda: ops.avg_pool2d(x, (2, 2), 1, "same"), lambda: ops.AvgPool((2, 2), 1, "same")(x)),
        (lambda: ops.avg_pool2d(x, 2, strides=2, pad_mode="valid"), lambda: ops.avg_pool2d(x, 2, 2)),
    ]
    wanted = [shown(later()) for _, later in calls]
    signature = inspect.signature(ops.conv2d)
    api("1.10")
    assert [shown(earlier()) for earlier, _ in calls] == wanted
    api("2.0")
    assert [shown(later()) for _, later in calls] == wanted and inspect.signature(ops.conv2d) == signature
    for earlier, _ in calls:
        with pytest.raises((TypeError, ValueError)):
            earlier()


def test_gradients_before_2_0(api):
    x, y, v = of([1, 2]), of([3, 4]), of([10, 1])

    def product(x, y):
        return x * y

    def square(x):
        return x * x

    for choice in (None, "1.8"):
        api(choice)
        assert shown(ms.grad(product, 0, False)(x, y)) == ("Float32", [3, 4])
        assert shown(ms.grad(product, (0, 1), True)(x, y, v)) == [("Float32", [30, 4]), ("Float32", [10, 2])]
    assert shown(ms.vjp(square, x, v)) == [("Float32", [1, 4]), ("Float32", [20, 4])]
    assert shown(ms.vjp(product, (x, y), v)[1]) == [("Float32", [30, 4]), ("Float32", [10, 2])]
    api("2.0")
    with pytest.raises(TypeError, match="The weights you provided is expected to be a tensor"):
        ms.grad(product, 0, False)(x, y)
    assert shown(ms.vjp(square, x)[1](v)) == [("Float32", [20, 4])]


# Expressions, and what each release gave, from that one on.
MEASURED = {
    "ops.max(X, 1)": {
        "2.0": [("Float32", [2, 4]), ("Int32", [1, 1])],
        "2.7": [("Float32", [2, 4]), ("Int64", [1, 1])],
    },
    "ops.ArgMaxWithValue(1)(X)": {"2.0": [("Int32", [1, 1]), ("Float32", [2, 4])],
                                  "2.7": [("Int64", [1, 1]), ("Float32", [2, 4])]},
    "X.min(axis=1, return_indices=True)[1]": {"2.0": ("Int32", [0, 0]), "2.7": ("Int64", [0, 0])},
    "X.argmax_with_value(1)[1]": {"2.0": ("Int32", [1, 1]), "2.7": ("Int64", [1, 1])},
    "ops.min(X)[1]": {"2.0": ("Int32", 0), "2.7": ("Int64", 0)},
    "ops.unique_consecutive(of([3, 3, 1]), True, True)": {
        "2.0": [("Float32", [3, 1]), ("Int32", [0, 0, 1]), ("Int32", [2, 1])],
        "2.7": [("Float32", [3, 1]), ("Int64", [0, 0, 1]), ("Int64", [2, 1])]},
    "ops.range(of(0, 'int32'), of(3, 'int32'), of(1, 'int32'))": {
        "2.0": ("Int32", [0, 1, 2]), "2.7": ("Int64", [0, 1, 2])},
    "ops.cumprod(of([1, 2], 'int8'), 0)": {
        "2.0": ("Int8", [1, 2]),
        "2.9": ("Int8", [1, 2]),
        "2.10": ("Int64", [1, 2]),
    },
    "of([2], 'int32').cumprod(0)": {"2.0": ("Int32", [2]), "2.9": ("Int32", [2]), "2.10": ("Int64", [2])},
    "ms.grad(lambda x: ops.clamp(x, 0.0, 2.0).sum())(of([-1, 0, 1, 2, 3]))": {
        "2.0": ("Float32", [0, 0.5, 1, 0.5, 0]),
        "2.7": ("Float32", [0, 1, 1, 1, 0]),
        "2.10": ("Float32", [0, 1, 1, 1, 0]),
    },
    "ms.grad(lambda x: x.clip(0.0, 2.0).sum())(of([-1, 0, 2]))": {
        "2.0": ("Float32", [0, 0.5, 0.5]), "2.7": ("Float32", [0, 1, 1])},
    "ops.clamp(of([1, 2, 3], 'int32'), 1.5, 3)": {
        "2.0": ("Int32", [1, 2, 3]), "2.8": ("Int32", [1, 2, 3]), "2.9": ("Float32", [1.5, 2, 3])},
    "ops.mul(of([1], 'int8'), Tensor(2))": {"2.7": ("Int64", [2]), "2.8": ("Int8", [2])},
    "of([1.5], 'float16') * of(2)": {
        "2.0": ("Float32", [3]),
        "2.7": ("Float32", [3]),
        "2.8": ("Float16", [3]),
    },
    "of([1.5], 'float16') / of(2)": {
        "2.0": ("Float32", [0.75]),
        "2.8": ("Float32", [0.75]),
        "2.9": ("Float16", [0.75]),
    },
    "ops.Div()(of([1.5], 'float16'), of(2))": {"2.8": ("Float32", [0.75]), "2.9": ("Float16", [0.75])},
    "ops.equal(2, of([1, 2]))": {"2.0": ("Bool", [False, True]), "2.8": ("Bool", [False, True])},
    "ops.less(2, of([1, 3]))": {"2.0": ("Bool", [False, True]), "2.8": ("Bool", [False, True])},
}


@pytest.mark.parametrize("expression", MEASURED)
def test_what_a_release_gave(api, expression):
    scope = {**globals(), "X": of([[1, 2], [3, 4]])}
    for release, wanted in MEASURED[expression].items():
        api(release)
        assert shown(eval(expression, scope)) == wanted, release


def test_a_number_first_is_refused_since_2_9(api):
    for choice in ("2.9", "2.10", None):
        api(choice)
        with pytest.raises(TypeError, match="Failed calling Equal with"):
            ops.equal(2, of([1, 2]))


def test_the_step_that_get_lr_counted(api):
    for choice, counted in (("2.0", 2), ("2.7", 1), (None, 1)):
        api(choice)
        optimizer = nn.SGD([Parameter(of([1, 2]), name="w")], [0.1, 0.2, 0.3])
        optimizer((of([1, 1]),))
        assert optimizer.get_lr().asnumpy() == np.float32(0.2)
        assert optimizer.global_step.asnumpy().tolist() == [counted]


VIEWS = {
    "reshape": lambda x: x.reshape(4), "view": lambda x: x.view(4), "T": lambda x: x.T,
    "transpose": lambda x: x.transpose(1, 0), "flatten": lambda x: x.flatten(),
    "expand_dims": lambda x: x.expand_dims(0), "squeeze": lambda x: x.squeeze(),
    "split": lambda x: ops.split(x, 1)[0], "broadcast_to": lambda x: x.broadcast_to((2, 2, 2)),
    "stop_gradient": ops.stop_gradient,
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_had_memory_of_its_own(api, name):
    for choice, shared in (("2.0", False), ("2.7", True), (None, True)):
        api(choice)
        x = of([[1, 2], [3, 4]])
        y = VIEWS[name](x)
        y[0] = 9
        assert (x.asnumpy().tolist() != [[1, 2], [3, 4]]) is shared
        x, before = of([[1, 2], [3, 4]]), of([[1, 2], [3, 4]])
        y, before = VIEWS[name](x), VIEWS[name](before).asnumpy()
        x[0] = 9
        assert (y.asnumpy().tolist() != before.tolist()) is shared


def test_a_part_was_written_back_all_the_same(api):
    api("2.0")
    x = of([[1, 2], [3, 4]])
    y = x[0]
    y[0] = 9
    assert x.asnumpy().tolist() == [[9, 2], [3, 4]]
    y = x[0]
    x[0] = 5
    assert y.asnumpy().tolist() == [9, 2]
    z = x
    z[1] = 0
    assert x.asnumpy().tolist() == [[5, 5], [0, 0]]


def test_how_layers_were_shown(api):
    net = nn.SequentialCell([nn.SequentialCell([nn.Dense(2, 3), nn.ReLU()]), nn.ReLU()])
    dense = "Dense{}input_channels=2, output_channels=3, has_bias=True{}"
    for choice in ("1.0", "2.0"):
        api(choice)
        assert str(net) == (f"SequentialCell<\n  (0): SequentialCell<\n    (0): {dense.format('<', '>')}\n"
                            "    (1): ReLU<>\n    >\n  (1): ReLU<>\n  >")
    for choice in ("2.7", None):
        api(choice)
        assert str(net) == (f"SequentialCell(\n  (0): SequentialCell(\n    (0): {dense.format('(', ')')}\n"
                            "    (1): ReLU()\n  )\n  (1): ReLU()\n)")


def test_what_is_left_out_is_no_change_that_is_followed():
    assert generations.LEFT_OUT.keys().isdisjoint(generations.CHANGES)
    assert all(change.before and change.since for change in generations.LEFT_OUT.values())


def test_check_is_silent_where_only_the_environment_chose(api, tmp_path, monkeypatch):
    from ms2torch.scan import program

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("from mindspore import ops\nops.interpolate(x, None, None, (8, 8))\n")
    # (Without a release it is a call of 2.10, which has no such mode.)
    assert [finding.kind for finding in program.scan("a.py")[0]] == ["api", "argument"]
    api("1.10")
    assert program.scan("a.py")[0] == []


def test_a_translation_tells_what_operators_meant(tmp_path):
    pytest.importorskip("libcst")
    from ms2torch.translate.outcome import Outcome

    said = "\n".join(Outcome("a.py", "b.py", api="2.0").sentences())
    assert "not written out: integers divide to integers" in said and "has memory of its own" in said
    assert "Python's floats" not in said
    assert "not written out" not in "\n".join(Outcome("a.py", "b.py", api="2.10").sentences())
    assert "not written out" not in "\n".join(Outcome("a.py", "b.py").sentences())


def test_translate_writes_by_the_chosen_release(tmp_path, monkeypatch, capsys):
    pytest.importorskip("libcst")
    from ms2torch.translate import command

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(
        "import numpy as np\nfrom mindspore import ops, Tensor\n"
        "x = Tensor(np.arange(12).reshape(1, 1, 3, 4).astype(np.float32))\n"
        'print(ops.interpolate(x, None, None, (6, 8), "align_corners", "bilinear").sum())\n'
        "print(ops.max(x.reshape(3, 4), 1)[0])\n")
    assert command.main(["a.py", "--api", "1.10", "--run", "a.py", "-o", "out"]) == 1
    said = capsys.readouterr().out
    assert "interpolate is kept" in said and "MS2TORCH_API=1.10 in the environment" in said
    assert "ms2torch.to_torch(ms2torch.ops.interpolate)" in (tmp_path / "out" / "a.py").read_text()
    assert "The whole program differs" not in said
    assert not generation.is_set()
