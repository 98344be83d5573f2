"""Checkpoint files when things go wrong: writers that die, damaged bytes; and parts too large to record."""

import os
import random
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import Parameter, Tensor
from ms2torch._core import protobuf
from ms2torch.parallel import _strategy_file
from ms2torch.parallel._strategy_file import Dimensions, ParallelLayouts
from ms2torch.train import _checkpoint_file, serialization


def parameter(values, name="w", dtype=ms.float32):
    return Parameter(Tensor(np.asarray(values), dtype), name=name)


@pytest.fixture
def saved(tmp_path):
    """A small checkpoint with every kind of value."""
    path = tmp_path / "x.ckpt"
    extra = {"epoch": 3, "note": "text", "ok": True}
    ms.save_checkpoint([parameter(np.arange(6.0).reshape(2, 3)), parameter([1, 2], "n", ms.int8)], str(path),
                       append_dict=extra)
    return path


def test_a_process_that_dies_while_it_writes_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.ckpt"
    ms.save_checkpoint([parameter([1.0, 2.0])], str(path))
    before = path.read_bytes()
    program = textwrap.dedent("""
        import os, sys
        import ms2torch as ms
        from ms2torch.train import _checkpoint_file

        pieces = _checkpoint_file._messages
        def dying(tag, value):
            for i, piece in enumerate(pieces(tag, value)):
                if tag == "second":
                    os._exit(9)
                yield piece
        _checkpoint_file._messages = dying
        big = ms.Parameter(ms.ops.ones((300_000,)), name="first")
        ms.save_checkpoint([big, ms.Parameter(ms.ops.ones((2,)), name="second")], sys.argv[1])
    """)
    assert subprocess.run([sys.executable, "-c", program, str(path)]).returncode == 9
    assert path.read_bytes() == before
    assert ms.load_checkpoint(str(path))["w"].asnumpy().tolist() == [1.0, 2.0]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(saved, monkeypatch):
    before = saved.read_bytes()
    monkeypatch.setattr(_checkpoint_file, "raw_bytes", lambda t: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        ms.save_checkpoint([parameter([1.0])], str(saved))
    assert os.listdir(saved.parent) == ["x.ckpt"] and saved.read_bytes() == before


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="No such file or directory"):
        ms.save_checkpoint([parameter([1.0])], str(tmp_path / "none" / "x.ckpt"))


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_no_damage_to_a_file_does_worse_than_a_value_error(saved, tmp_path, format):
    """1,500 files, cut or with bytes changed: each one loads or is refused in one way."""
    if format == "safetensors":
        found = {k: v for k, v in ms.load_checkpoint(str(saved)).items() if not isinstance(v, str)}
        saved = tmp_path / "y.safetensors"
        ms.save_checkpoint(found, str(saved), format=format)
    whole, draw = saved.read_bytes(), random.Random(0)
    path, refused = tmp_path / f"damaged.{format}", 0
    for _ in range(1500):
        content = bytearray(whole[: draw.randrange(len(whole))] if draw.random() < 0.2 else whole)
        for _ in range(draw.randrange(1, 4)):
            if content:
                content[draw.randrange(len(content))] = draw.choice((0, 1, 127, 128, 255, draw.randrange(99)))
        path.write_bytes(content)
        try:
            ms.load_checkpoint(str(path), format=format)
        except ValueError as err:
            refused += 1
            assert str(path) in str(err) or "parameter dict is empty" in str(err)
        except NotImplementedError as err:
            assert "MapParameter" in str(err)
    assert 300 < refused < 1500


@pytest.mark.parametrize("dims", [(2**40,), (2**31, 2**31), (3,), (0, 3)])
def test_a_shape_that_the_bytes_do_not_fill_is_refused_before_memory_is_asked_for(tmp_path, dims):
    shape = b"".join(b"\x08" + protobuf.varint(n) for n in dims)
    tensor = shape + protobuf.content(2, b"Float32") + protobuf.content(3, bytes(8))
    tag = protobuf.content(1, b"a")
    (tmp_path / "x.ckpt").write_bytes(protobuf.content(1, tag + protobuf.content(2, tensor)))
    with pytest.raises(ValueError, match="can not have 8 bytes"):
        ms.load_checkpoint(str(tmp_path / "x.ckpt"))


def test_large_tensors_go_into_slices_that_read_back_as_one(tmp_path, monkeypatch):
    """MindSpore's slices have 512 MiB; here 16 bytes stand for them."""
    monkeypatch.setattr(_checkpoint_file, "SLICE", 16)
    values = np.arange(21, dtype=np.float32).reshape(3, 7)
    ms.save_checkpoint([parameter(values), parameter([1.0], "after")], str(tmp_path / "x.ckpt"))
    content = (tmp_path / "x.ckpt").read_bytes()
    assert content.count(b"Float32") == 6 + 1                 # 84 bytes in slices of 16
    found = ms.load_checkpoint(str(tmp_path / "x.ckpt"))
    assert np.array_equal(found["w"].asnumpy(), values) and found["after"].asnumpy().tolist() == [1.0]


def test_nothing_of_a_file_is_unpickled(saved, monkeypatch):
    import pickle

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, None)
    assert len(ms.load_checkpoint(str(saved))) == 5


def test_asynchronous_saving_keeps_the_values_of_the_moment(tmp_path, monkeypatch):
    gate, write = threading.Event(), serialization._write
    monkeypatch.setattr(serialization, "_write", lambda *args: (gate.wait(10), write(*args)))
    weight = parameter([1.0, 2.0])
    ms.save_checkpoint([weight], str(tmp_path / "x.ckpt"), async_save=True)
    assert ms.async_ckpt_thread_status()
    weight.set_data(Tensor([5.0, 6.0]))
    weight._assign(torch.tensor([7.0, 8.0]))
    gate.set()
    found = ms.load_checkpoint(str(tmp_path / "x.ckpt"))["w"]    # waits for the writer
    assert found.asnumpy().tolist() == [1.0, 2.0]
    assert not ms.async_ckpt_thread_status()


def test_bits_survive_both_formats_and_conversion(tmp_path):
    bits = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16)
    half, brain = (Parameter(Tensor(bits.view(t)), name=str(t)) for t in (torch.float16, torch.bfloat16))
    ms.save_checkpoint([half, brain], str(tmp_path / "x.ckpt"))
    ms.ckpt_to_safetensors(str(tmp_path / "x.ckpt"), str(tmp_path / "a"))
    ms.safetensors_to_ckpt(str(tmp_path / "a" / "x.safetensors"), str(tmp_path / "b"))
    for found in (
        ms.load_checkpoint(str(tmp_path / "x.ckpt")),
        ms.load_checkpoint(str(tmp_path / "b" / "x.ckpt")),
        ms.load_checkpoint(str(tmp_path / "a" / "x.safetensors"), format="safetensors"),
    ):
        assert all(torch.equal(p.torch().view(torch.int16), bits) for p in found.values()) and len(found) == 2


def test_a_strings_way_into_safetensors_is_refused(tmp_path):
    with pytest.raises(TypeError, match="no element type"):
        path = str(tmp_path / "x.safetensors")
        ms.save_checkpoint([], path, format="safetensors", append_dict={"s": "text"})


KEY = b"0123456789ABCDEF"
# arange(6) in float32 under the name "w", as MindSpore 2.10 encrypted it with KEY.
ENCRYPTED = {
    "AES-GCM": "d85e3a7ff710aae9195be1cda42ed64cf2fff0134400000010000000179cf871c0dbb17f3521297b"
               "9269546f2c000000758a17795bef3479dfab5c95ad27fe65704b696ab9b314e4bf1f870c4c450317"
               "fd2ef33bb75f1dff0686d4c3",
    "AES-CBC": "d95e3a7f48000000100000009acca3e77927a1081f455cf1584cb695300000006031b0697cc029ae"
               "525eecd3a6e648cbb7abd47fb1899988f94c0ed208b217826fb02dc2cad8e109d77c285c4de1d1b7",
    "SM4-CBC": "da5e3a7f48000000100000006a8a07ce7c2db3146619935a931b646230000000425ab9a97c8d850a"
               "64d63c2a60f64b5ec921e3473a97c5d997b3ee924eec36ee7001d438cba65860372222dd0a1cd9cb",
}


@pytest.mark.parametrize("mode", list(ENCRYPTED))
def test_encrypted_files(tmp_path, mode):
    path = str(tmp_path / "x.ckpt")
    with open(path, "wb") as file:
        file.write(bytes.fromhex(ENCRYPTED[mode]))
    numbers = list(range(6))
    assert ms.load_checkpoint(path, dec_key=KEY, dec_mode=mode)["w"].asnumpy().tolist() == numbers
    with pytest.raises(ValueError, match="pass in the correct 'dec_key'"):
        ms.load_checkpoint(path, dec_key=KEY[::-1], dec_mode=mode)
    with pytest.raises(ValueError, match="The file may be corrupted"):
        ms.load_checkpoint(path)
    again = str(tmp_path / "again.ckpt")
    ms.save_checkpoint([{"name": "w", "data": ms.Tensor(numbers)}], again, enc_key=KEY, enc_mode=mode)
    assert ms.load_checkpoint(again, dec_key=KEY, dec_mode=mode)["w"].asnumpy().tolist() == numbers
    with pytest.raises(ValueError, match="Encrypt failed"):
        ms.save_checkpoint([], again, enc_key=b"short", enc_mode=mode)


def test_a_scalar_keeps_the_networks_shape(tmp_path):
    """As documented; MindSpore 2.10 itself changes the Parameter's shape to that of the file."""
    net = ms.nn.Cell()
    net.w = parameter(0.0)
    ms.load_param_into_net(net, {"w": parameter([3.0])})
    assert net.w.shape == () and float(net.w) == 3.0


@pytest.mark.parametrize("by_matrix", [True, False])
def test_parts_that_lie_otherwise_than_their_strategy_is_read_are_refused(tmp_path, by_matrix):
    """Four parts of an optimizer on eight devices: on neighbours by the matrix, by the step on every other.
    Saved by the matrix they become one; saved by the step, half of them would be lost without a word."""
    layout = ParallelLayouts([Dimensions([4, 2])], [Dimensions([-1])], [Dimensions()], [Dimensions()],
                             opt_weight_shard_step=2, opt_weight_shard_size=4)
    _strategy_file.write(str(tmp_path / "src.ckpt"), {"a.bias": layout}, 0)
    whole = np.arange(8.0, dtype=np.float32)
    files = {}
    for rank in range(8):
        part = rank % 4 if by_matrix else rank // 2
        files[rank] = str(tmp_path / f"rank_{rank}" / "x.ckpt")
        os.mkdir(tmp_path / f"rank_{rank}")
        ms.save_checkpoint([parameter(whole[2 * part : 2 * part + 2], "a.bias")], files[rank])
    strategy, out = str(tmp_path / "src.ckpt"), tmp_path / "out"
    calls = {
        "all": lambda: ms.transform_checkpoints(str(tmp_path), str(out), "t", strategy),
        "rank": lambda: ms.transform_checkpoint_by_rank(0, files, str(tmp_path / "one.ckpt"), strategy),
        "loaded": lambda: ms.load_distributed_checkpoint(ms.nn.Dense(1, 8), list(files.values()),
                                                         train_strategy_filename=strategy)}
    for call in calls.values():
        if by_matrix:
            call()
        else:
            with pytest.raises(ValueError, match=r"'a.bias'.*of rank 0 and rank 4 hold"):
                call()
    assert out.exists() == by_matrix
    if by_matrix:
        for path in (out / "rank_0" / "t0.ckpt", tmp_path / "one.ckpt"):
            np.testing.assert_array_equal(ms.load_checkpoint(str(path))["a.bias"].asnumpy(), whole)
