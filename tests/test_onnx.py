"""Networks leave as ONNX files and torch.export programs that compute what the network computes."""

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch._core.torch_private import EXPORTS

pytestmark = pytest.mark.skipif(not EXPORTS, reason="torch 2.6 exports")


class Residual(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3)
        self.norm = nn.BatchNorm2d(3)
        self.pool = nn.MaxPool2d(3, 2, "same")
        self.dense = nn.Dense(3, 2)

    def construct(self, image):
        x = ops.relu(self.norm(self.conv(image)) + image)
        return self.dense(self.pool(x).mean((2, 3)))


@pytest.fixture
def net():
    ms.set_seed(3)
    made = Residual()
    made.norm.moving_mean.set_data(Tensor([0.5, -0.5, 1.0]))
    return made


@pytest.fixture
def image():
    return Tensor(np.random.default_rng(0).normal(size=(2, 3, 8, 8)).astype(np.float32))


def onnx_result(path, **inputs):
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    model = onnx.load(path)
    return model.graph, ReferenceEvaluator(model).run(None, inputs)[0]


@pytest.fixture
def exporter():
    pytest.importorskip("onnx")
    pytest.importorskip("onnxscript")


def test_export_writes_the_network_in_evaluation(tmp_path, net, image, exporter):
    net.set_train(True)
    ms.export(net, image, file_name=str(tmp_path / "net"), file_format="ONNX")
    assert net.training and [p.name for p in tmp_path.iterdir()] == ["net.onnx"]
    graph, result = onnx_result(tmp_path / "net.onnx", image=image.asnumpy())
    assert [i.name for i in graph.input] == ["image"]
    np.testing.assert_allclose(result, net.set_train(False)(image).asnumpy(), rtol=1e-5, atol=1e-6)


def test_names_and_open_axes(tmp_path, net, image, exporter):
    ms.onnx.export(net, image, file_name=str(tmp_path / "net.onnx"), input_names=["x"], output_names=["y"],
                   dynamic_axes={"x": {0: "batch"}})
    five = np.concatenate([image.asnumpy()] * 2 + [image.asnumpy()[:1]])
    graph, result = onnx_result(tmp_path / "net.onnx", x=five)
    assert graph.output[0].name == "y" and graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"
    np.testing.assert_allclose(result, net.set_train(False)(Tensor(five)).asnumpy(), rtol=1e-5, atol=1e-6)


class Highest(nn.Cell):
    def construct(self, x):
        return ops.topk(x, 2)[1]


def test_the_highest_are_found(tmp_path, exporter):
    x = np.array([[3, 1, 2], [1, 5, 4]], np.float32)
    ms.export(Highest(), Tensor(x), file_name=str(tmp_path / "net"), file_format="ONNX")
    assert onnx_result(tmp_path / "net.onnx", x=x)[1].tolist() == [[0, 2], [1, 2]]


def test_export_refuses_in_words(tmp_path, net, image):
    with pytest.raises(ValueError, match=r"must be one of \['AIR', 'ONNX', 'MINDIR'\], but got PB"):
        ms.export(net, image, file_name="net", file_format="PB")
    with pytest.raises(NotImplementedError, match="MINDIR"):
        ms.export(net, image, file_name="net", file_format="AIR")
    with pytest.raises(ValueError, match=r"only support nn\.Cell object"):
        ms.export(len, image, file_name="net", file_format="ONNX")
    with pytest.raises(ValueError, match="'input_names' must be isinstance of"):
        ms.onnx.export(net, image, file_name="net", input_names="x")


def test_without_the_exporters_packages_the_error_names_them(tmp_path, net, image, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(NotImplementedError, match="pip install onnx onnxscript"):
        ms.export(net, image, file_name=str(tmp_path / "net"), file_format="ONNX")
    assert not list(tmp_path.iterdir())


def test_torch_export_gives_a_program_of_torch_alone(tmp_path, net, image):
    net.set_train(False)
    program = torch.export.export(ms.to_torch(net), (image.torch(),))
    assert {str(n.target) for n in program.graph.nodes if n.op == "call_function"} >= {"aten.conv2d.default"}
    torch.export.save(program, tmp_path / "net.pt2")
    again = torch.export.load(tmp_path / "net.pt2").module()
    assert torch.equal(again(image.torch()), net(image).torch())


class Placed(ms.nn.Cell):
    def construct(self, place, x):
        spread = ms.ops.scatter_nd(place, x, (4, 3))
        return ms.ops.gather_nd(spread, place), ms.ops.tensor_scatter_add(spread, place, x)


def test_indices_of_a_program_that_is_exported_have_no_numbers_to_look_at():
    place, x = ms.Tensor([[0], [2]], ms.int32), ms.ops.ones((2, 3))
    program = torch.export.export(ms.to_torch(Placed()), (place.torch(), x.torch()))
    for ours, theirs in zip(Placed()(place, x), program.module()(place.torch(), x.torch()), strict=True):
        assert torch.equal(ours.torch(), theirs)
    with pytest.raises(RuntimeError, match="should be smaller than the value of shape"):
        Placed()(place + 3, x)


def test_torch_func_differentiates_a_cell(net, image):
    net.set_train(False)
    module, x = ms.to_torch(net), image.torch()
    before = {name: p.detach().clone() for name, p in module.named_parameters()}

    def loss(weights):
        return torch.func.functional_call(module, weights, (x,)).square().sum()

    found = torch.func.grad(loss)(before)
    expected = ms.grad(lambda i: net(i).square().sum(), None, net.trainable_params())(image)
    for parameter, g in zip(net.trainable_params(), expected, strict=True):
        torch.testing.assert_close(found[parameter.name], g.torch())
    assert all(torch.equal(p, before[name]) for name, p in module.named_parameters())
