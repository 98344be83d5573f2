"""Shards, large files in little memory, damaged and hostile files, bad input."""

import json
import os
import pickle
import random
import shutil
import stat
import subprocess
import sys
import textwrap
import zipfile

import numpy as np
import pytest
import torch
import torch.distributed.checkpoint as dcp

import ms2torch as ms
from ms2torch._core.torch_private import alone
from ms2torch.convert import entries, targets
from ms2torch.convert.command import main
from ms2torch.train import _checkpoint_file


def convert(*arguments):
    return main([str(a) for a in arguments])


@pytest.fixture
def model(tmp_path):
    """A folder with one network in each format, and its tensors."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.Linear(16, 4))
    torch.save(net.state_dict(), tmp_path / "a.pt")
    convert(tmp_path / "a.pt", "-o", tmp_path / "a.ckpt")
    convert(tmp_path / "a.ckpt", "-o", tmp_path / "a.safetensors")
    return net.state_dict()


@pytest.mark.parametrize("ending", ["safetensors", "bin"])
def test_shards_and_their_index(model, tmp_path, ending):
    folder = tmp_path / "out"
    folder.mkdir()
    assert convert(tmp_path / "a.ckpt", "-o", folder / f"model.{ending}", "--shard-size", "600B") == 0
    index = json.loads((folder / f"model.{ending}.index.json").read_text())
    shards = sorted(set(index["weight_map"].values()))
    assert shards[0] == f"model-00001-of-{len(shards):05}.{ending}" and len(shards) > 1
    assert index["metadata"]["total_size"] == sum(t.nbytes for t in model.values())
    assert sorted(os.listdir(folder)) == sorted([*shards, f"model.{ending}.index.json"])
    for n, source in enumerate([folder, folder / f"model.{ending}.index.json"]):
        assert convert(source, "-o", tmp_path / f"{n}.ckpt") == 0
        one, two = (ms.load_checkpoint(str(tmp_path / f)) for f in ("a.ckpt", f"{n}.ckpt"))
        assert list(one) == list(two) and all(np.array_equal(one[k].asnumpy(), two[k].asnumpy()) for k in one)
    (folder / shards[0]).unlink()
    assert convert(folder, "-o", tmp_path / "z.ckpt") == 2


class Reaching:
    """Asks for an attribute, as members of enumerations do in some Pythons, of what is none."""

    def __reduce__(self):
        return getattr, (torch.Size, "numel")


def test_distributed_checkpoints_of_torchs(model, tmp_path, capsys):
    """torch loads what is written, and what torch wrote, with its nesting, comes back to the same bits."""
    folder = tmp_path / "a.dcp"
    for more in ([], ["--force"]):
        assert convert(tmp_path / "a.ckpt", "-o", folder, *more) == 0
    found = {name: torch.full_like(t, 7) for name, t in model.items() if "num_batches" not in name}
    dcp.load(found, checkpoint_id=folder, **alone(dcp.load))
    assert all(torch.equal(t, model[name]) for name, t in found.items())
    state = {"model": found, "optim": {"state": {"0.weight": {"exp_avg": found["0.weight"] * 2}}}, "epoch": 3}
    dcp.save(state, checkpoint_id=tmp_path / "b.dcp", **alone(dcp.save))
    for source in (folder, tmp_path / "b.dcp"):
        assert convert(source, "-o", tmp_path / "back.ckpt", "--force") in (0, 1)
        one, two = (ms.load_checkpoint(str(tmp_path / f)) for f in ("a.ckpt", "back.ckpt"))
        assert set(one) <= set(two) and all(np.array_equal(one[k].asnumpy(), two[k].asnumpy()) for k in one)
    assert np.array_equal(two["moment1.0.weight"].asnumpy(), model["0.weight"].numpy() * 2)
    capsys.readouterr()
    assert convert(tmp_path / "a.ckpt", "-o", folder) == 2
    assert convert(tmp_path / "a.ckpt", "-o", tmp_path / "x.dcp", "--shard-size", "1KB") == 2
    (folder / "__0_0.distcp").write_bytes(b"")
    assert convert(folder, "-o", tmp_path / "x.ckpt") == 2
    for evil in (Evil(tmp_path / "never"), Reaching()):
        (folder / ".metadata").write_bytes(pickle.dumps(evil))
        assert convert(folder, "-o", tmp_path / "x.ckpt") == 2
    said = capsys.readouterr().err
    assert said.count("nothing of it was run") == 2 and len(said.splitlines()) == 5
    assert not (tmp_path / "never").exists() and not (tmp_path / "x.ckpt").exists()


# Names in an index that lead out of its folder, or to what is no file.
ELSEWHERE = ["../secret.safetensors", "{folder}/secret.safetensors", "x/../../secret.safetensors", "..", ".",
             "", "./part0.safetensors", "part0.safetensors/", "folder", "pipe", "zeros"]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_an_index_leads_to_files_beside_it_alone(model, tmp_path, name, capsys):
    inside = tmp_path / "in"
    (inside / "folder").mkdir(parents=True)
    os.mkfifo(inside / "pipe")
    (inside / "zeros").symlink_to("/dev/zero")
    for place in ("secret", "in/part0", "in/part1"):
        shutil.copy(tmp_path / "a.safetensors", tmp_path / f"{place}.safetensors")
    index = json.dumps({"weight_map": {"0.weight": name.format(folder=tmp_path)}})
    for file in ("param_name_map.json", "model.safetensors.index.json"):
        (inside / file).write_text(index)
    with pytest.raises(ValueError, match="which is no file beside it"):
        ms.load_distributed_checkpoint(None, format="safetensors", unified_safetensors_dir=str(inside),
                                       dst_safetensors_dir=str(tmp_path / "parts"))
    assert convert(inside / "model.safetensors.index.json", "-o", tmp_path / "x.ckpt") == 2
    dcp.save({"w": torch.ones(3)}, checkpoint_id=inside, **alone(dcp.save))
    described = pickle.loads((inside / ".metadata").read_bytes())
    for info in described.storage_data.values():
        info.relative_path = name.format(folder=tmp_path)
    (inside / ".metadata").write_bytes(pickle.dumps(described))
    assert convert(inside, "-o", tmp_path / "x.ckpt") == 2
    assert capsys.readouterr().err.count("which is no file beside it") == 2
    assert not (tmp_path / "x.ckpt").exists()


def test_links_to_weights_are_followed(model, tmp_path):
    """The cache of Hugging Face's downloads is made of them."""
    snapshot = tmp_path / "snapshots" / "1"
    snapshot.mkdir(parents=True)
    (snapshot / "model.safetensors").symlink_to("../../a.safetensors")
    (snapshot / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": dict.fromkeys(model, "model.safetensors")}))
    assert convert(snapshot, "-o", tmp_path / "x.ckpt") == 0


def test_the_library_of_safetensors_reads_what_is_written(model, tmp_path):
    safe = pytest.importorskip("safetensors")
    with safe.safe_open(tmp_path / "a.safetensors", "pt") as file:
        assert file.metadata()["format"] == "pt"
        assert all(torch.equal(file.get_tensor(n), model[n]) for n in file.keys())  # noqa: SIM118


def test_every_dtype_keeps_its_bits(tmp_path):
    names = ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
             "uint16", "uint32", "uint64", "bool"]  # fmt: skip
    if torch.__version__.startswith("2.4."):
        names = [n for n in names if n not in ("uint16", "uint32", "uint64")]      # it saves none
    some = {n: torch.randint(0, 2, (2, 8), dtype=torch.uint8).to(getattr(torch, n)) for n in names}
    some |= {"scalar": torch.tensor(3.5), "none": torch.empty(0, 3), "turned": torch.rand(3, 4).t()}
    torch.save(some, tmp_path / "a.pt")
    assert convert(tmp_path / "a.pt", "-o", tmp_path / "b.ckpt") == 0
    assert convert(tmp_path / "b.ckpt", "-o", tmp_path / "c.safetensors") == 0
    assert convert(tmp_path / "b.ckpt", "-o", tmp_path / "c.pt") == 0
    again = torch.load(tmp_path / "c.pt", weights_only=True)
    assert list(again) == list(some)
    assert all(again[n].dtype == t.dtype and torch.equal(again[n], t) for n, t in some.items())


def test_complex_tensors_that_mindspore_writes_and_cannot_load(tmp_path, monkeypatch, capsys):
    """The real 2.10 saves them too (record type Complex64) and its load_checkpoint raises ValueError."""
    monkeypatch.chdir(tmp_path)
    value = ms.Tensor(np.array([1 + 2j, -3j], np.complex64))
    ms.save_checkpoint([{"name": "spectrum", "data": value}], "a.ckpt")
    assert convert("a.ckpt", "-o", "a.pt") == 0
    assert torch.equal(torch.load("a.pt")["spectrum"], torch.tensor([1 + 2j, -3j]))
    assert convert("a.pt", "-o", "b.ckpt") == 2
    assert "which MindSpore writes to .ckpt files and cannot load" in capsys.readouterr().err
    assert not (tmp_path / "b.ckpt").exists()


def test_dtype_casts_floats_alone(model, tmp_path):
    assert convert(tmp_path / "a.ckpt", "-o", tmp_path / "b.pt", "--dtype", "bfloat16") == 0
    assert {t.dtype for t in torch.load(tmp_path / "b.pt", weights_only=True).values()} == {
        torch.bfloat16, torch.int64}  # fmt: skip


@pytest.mark.parametrize("ending", ["ckpt", "safetensors", "pt"])
def test_no_damage_does_worse_than_one_line(model, tmp_path, ending, capsys):
    """150 files, cut or with bytes changed: each converts or is refused with exit code 2 and one line."""
    whole, draw = (tmp_path / f"a.{ending}").read_bytes(), random.Random(0)
    path, out = tmp_path / f"x.{ending}", tmp_path / ("y.ckpt" if ending != "ckpt" else "y.pt")
    codes = []
    for _ in range(150):
        content = bytearray(whole[: draw.randrange(len(whole))] if draw.random() < 0.2 else whole)
        for _ in range(draw.randrange(1, 4)):
            if content:
                content[draw.randrange(len(content))] = draw.choice((0, 1, 127, 128, 255, draw.randrange(99)))
        path.write_bytes(content)
        codes.append(convert(path, "-o", out, "--force", *(["--to", "mindspore"] * (ending != "ckpt"))))
        said = capsys.readouterr().err
        assert codes[-1] in (0, 1) or (codes[-1] == 2 and len(said.splitlines()) == 1), said
    assert 2 in codes and 0 in codes and not [f for f in os.listdir(tmp_path) if f.endswith(".part")]


def test_a_value_that_is_a_number(tmp_path, capsys):
    """Field 1 of a .ckpt as a varint, where a message belongs."""
    (tmp_path / "a.ckpt").write_bytes(b"\x08\x05")
    assert convert(tmp_path / "a.ckpt", "-o", tmp_path / "b.pt") == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


class Evil:
    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return os.system, (f"touch {self.place}",)


def test_nothing_of_a_pickle_is_run(tmp_path, capsys):
    torch.save({"w": torch.ones(2), "x": Evil(tmp_path / "never")}, tmp_path / "a.pt")
    assert convert(tmp_path / "a.pt", "-o", tmp_path / "b.ckpt") == 2
    said = capsys.readouterr().err
    assert "nothing of it was run" in said and "system" in said and len(said.splitlines()) == 1
    (tmp_path / "p.ckpt").write_bytes(pickle.dumps({"w": 1}))
    assert convert(tmp_path / "p.ckpt", "-o", tmp_path / "b.pt") == 2
    assert not (tmp_path / "never").exists()


def test_a_pt_file_that_claims_more_than_it_holds(tmp_path, capsys):
    torch.save({"w": torch.ones(4)}, tmp_path / "a.pt")
    with zipfile.ZipFile(tmp_path / "a.pt") as old, zipfile.ZipFile(tmp_path / "b.pt", "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(
                name, content.replace(b"K\x04", b"J\xff\xff\xff\x7f") if name.endswith("pkl") else content
            )
    assert convert(tmp_path / "b.pt", "-o", tmp_path / "b.ckpt") == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(("arguments", "words"), [
    (["none.ckpt", "-o", "x.pt"], "no such file"), (["a.ckpt", "-o", "x.zip"], "the ending says nothing"),
    (["a.ckpt", "-o", "no/x.pt"], "no such folder"), (["a.ckpt", "-o", "a.pt"], "--force"),
    (["a.ckpt", "-o", "b.ckpt"], "both MindSpore's"), (["a.pt", "-o", "b.pth"], "both PyTorch's"),
    (["a.ckpt"], "-o OUT is missing"), (["a.ckpt", "-o", "x.pt", "--shard-size", "much"], "--shard-size"),
    (["a.pt", "-o", "x.ckpt", "--shard-size", "1KB"], "no shards"), (["a.ckpt", "-o", "."], "is a folder"),
    (["a.ckpt", "-o", "x.pt", "--dtype", "int8"], "--dtype"), (["x.txt", "-o", "x.pt"], "the ending"),
    (["a.pt", "-o", "x.ckpt", "--names", "mcore"], "--names mcore"),
    (["empty.ckpt", "-o", "x.pt"], "holds nothing"), (["locked.ckpt", "-o", "x.pt"], "is encrypted"),
    (["a.ckpt", "-o", "x.pt", "--mapping", "x.txt"], "no mapping"), ([".", "-o", "x.pt"], "holds several"),
    (["a.ckpt", "-o", "x.pt", "--to", "mindspore"], "--to mindspore"),
    (["a.ckpt", "-o", "x.pt", "--json", "no/r.json"], "is no folder"),
    (["a.ckpt", "-o", "x.pt", "--json", "."], "is a folder"),
    (["a.ckpt", "-o", "x.pt", "--input", "2,3"], "give --model and --torch-model"),
    (["a.ckpt", "-o", "x.pt", "--mapping", "m.tsv", "--model", "m.py:Net"], "the code of both sides"),
])  # fmt: skip
def test_bad_input_is_one_line_and_writes_nothing(model, tmp_path, arguments, words, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.txt").write_text("words")
    (tmp_path / "empty.ckpt").write_bytes(b"")
    (tmp_path / "locked.ckpt").write_bytes(b"\xd8\x5e\x3a\x7f" + bytes(60))
    (tmp_path / "second.safetensors").write_bytes(b"")
    before = {f: (tmp_path / f).read_bytes() for f in sorted(os.listdir(tmp_path))}
    capsys.readouterr()
    assert convert(*arguments) == 2
    said = capsys.readouterr().err
    assert words in said and len(said.splitlines()) == 1
    assert before == {f: (tmp_path / f).read_bytes() for f in sorted(os.listdir(tmp_path))}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_cannot_be_written(model, tmp_path, capsys):
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked").chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert convert(tmp_path / "a.ckpt", "-o", tmp_path / "locked" / "x.pt") == 2


def test_a_write_that_fails_leaves_the_old_file(model, tmp_path, monkeypatch):
    before = (tmp_path / "a.pt").read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(targets.torch_file, "write", full)
    assert convert(tmp_path / "a.ckpt", "-o", tmp_path / "a.pt", "--force") == 2
    assert (tmp_path / "a.pt").read_bytes() == before and not [
        f for f in os.listdir(tmp_path) if ".part" in f
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux counts it")
def test_a_large_file_in_little_memory(tmp_path):
    """120 MB, 40 of them one tensor, in each direction and format, in less than 36 MB beside the imports."""
    program = textwrap.dedent("""
        import resource, sys, torch
        from ms2torch.convert import command, targets
        from ms2torch.train import _checkpoint_file
        folder = sys.argv[1]
        row = torch.rand(1 << 20)
        values = [(f"{i}.weight", row.reshape(1 << 10, 1 << 10)) for i in range(20)]
        large = _checkpoint_file.Piecewise(torch.float32, (10 << 10, 1 << 10), [row] * 10)
        _checkpoint_file.write(folder + "/a.ckpt", [*values, ("large", large)])
        start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        names = "a.ckpt b.pt c.ckpt d.safetensors e.ckpt".split()
        for one, two in zip(names, names[1:]):
            assert command.main([f"{folder}/{one}", "-o", f"{folder}/{two}"]) == 0
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) >> 10)
    """)
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.splitlines()[-1]) < 36


@pytest.mark.parametrize("ending", ["ckpt", "safetensors", "pt"])
def test_in_pieces_it_is_the_same_to_the_bit(tmp_path, monkeypatch, ending):
    """Weights renamed, cast, joined, parted and turned, some elements at a time."""
    shapes = {"wte.weight": (9, 4), "h.0.attn.c_attn.weight": (4, 12), "h.0.attn.c_attn.bias": (12,),
              "h.0.mlp.c_fc.weight": (4, 16), "ln_f.weight": (4,)}  # fmt: skip
    torch.save({n: torch.rand(s) for n, s in shapes.items()}, tmp_path / "a.pt")
    there, back = ("a.ckpt", "b.pt") if ending == "pt" else (f"a.{ending}", "b.safetensors")
    found = []
    for size in (1 << 24, 20):
        folder = tmp_path / str(size)
        folder.mkdir()
        monkeypatch.setattr(entries, "PIECE", size)
        monkeypatch.setattr(_checkpoint_file, "SLICE", 28)
        options = ["--names", "gpt2", "--dtype", "float16", "--to"]
        assert convert(tmp_path / "a.pt", "-o", folder / there, *options, "mindspore") == 0
        assert convert(folder / there, "-o", folder / back, "--forget", *options, "torch") == 0
        found.append([(folder / n).read_bytes() for n in (there, back)])
    assert found[0] == found[1]
