"""Pairs by code on either side, by a mapping file, by families of names."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch.convert import families
from ms2torch.convert.command import main

CODE = Path(__file__).with_name("two_sides.py")


def convert(*arguments):
    return main([str(a) for a in arguments])


@pytest.fixture
def saved(tmp_path):
    ms.install()
    from ms2torch.convert import models

    torch.manual_seed(0)
    net = models.load(f"{CODE}:Theirs", "mindspore").network
    for p in net.get_parameters():
        p.set_data(ms.Tensor(torch.rand(p.shape).numpy()))
    ms.save_checkpoint(net, str(tmp_path / "a.ckpt"))
    yield tmp_path / "a.ckpt"
    ms.uninstall()


@pytest.mark.parametrize("both", [False, True])
def test_a_port_of_other_names_by_the_code(saved, both, capsys):
    out = saved.with_name("b.pt")
    code = ["--model", f"{CODE}:Theirs"] if both else []
    assert convert(saved, "-o", out, "--torch-model", f"{CODE}:Ours", *code) == 0
    said = capsys.readouterr().out
    found = torch.load(out, weights_only=True)
    assert found["mix.weight"].shape == (6, 6, 3) and "mlp.1.bias" in found
    assert ("the outputs agree" in said) is both
    assert convert(out, "-o", saved.with_name("c.ckpt")) == 0  # no code needed any more
    one, two = ms.load_checkpoint(str(saved)), ms.load_checkpoint(str(saved.with_name("c.ckpt")))
    assert list(one) == list(two) and all(np.array_equal(one[n].asnumpy(), two[n].asnumpy()) for n in one)
    back = saved.with_name("d.ckpt")  # and the other way by code
    assert convert(out, "-o", back, "--forget", "--model", f"{CODE}:Theirs") == 0
    three = ms.load_checkpoint(str(back))
    assert all(np.array_equal(one[n].asnumpy(), three[n].asnumpy()) for n in one) and len(one) == len(three)


def test_what_the_code_has_besides_is_told(saved, capsys):
    assert convert(saved, "-o", saved.with_name("b.pt"), "--torch-model", f"{CODE}:Larger") == 1
    assert "extra.weight" in capsys.readouterr().out


def test_blocks_are_paired_whatever_order_their_parameters_come_in(saved, capsys):
    torch.manual_seed(0)
    code = ["--model", f"{CODE}:TheirBlocks", "--to", "mindspore"]
    port = _load("OurBlocks", "torch").network
    file, out = saved.with_name("p.pt"), saved.with_name("p.ckpt")
    # As a .safetensors file has them: by the alphabet.
    torch.save(dict(sorted(port.state_dict().items())), file)
    assert convert(file, "-o", out, *code) == 1  # the two norms of a block are alike
    said = capsys.readouterr().out
    assert "no order that tells which is which: layers.0.norm1" in said
    found = ms.load_checkpoint(str(out))
    for i in range(11):
        for theirs, ours in (("wide", "up"), ("narrow", "down"), ("ln_1", "norm1")):
            leaf = "gamma" if theirs == "ln_1" else "weight"
            right = port.state_dict()[f"layers.{i}.{ours}.weight"].numpy()
            assert np.array_equal(found[f"blocks.{i}.{theirs}.{leaf}"].asnumpy(), right), (i, theirs)
    both = [*code, "--torch-model", f"{CODE}:OurBlocks", "--input", "2,4", "--force"]
    assert convert(file, "-o", out, *both) == 0
    assert "the outputs agree" in capsys.readouterr().out


def test_outputs_that_differ_are_told(saved, capsys):
    code = ["--model", f"{CODE}:Theirs", "--torch-model", f"{CODE}:Swapped", "--input", "2,8:int64"]
    assert convert(saved, "-o", saved.with_name("b.pt"), *code) == 1
    assert "DIFFER" in capsys.readouterr().out


def test_what_a_mapping_makes_is_run_where_both_sides_code_is_given(saved, capsys):
    table, model = saved.with_name("m.tsv"), ["--model", f"{CODE}:Theirs", "--torch-model"]
    assert convert(saved, "--write-mapping", table, *model, f"{CODE}:Ours") == 0
    by_table = [saved, "--mapping", table, "--input", "2,8:int64", *model]
    assert convert(*by_table, f"{CODE}:Ours", "-o", saved.with_name("b.pt")) == 0
    assert "the outputs agree" in capsys.readouterr().out.replace("\n", " ")
    assert convert(*by_table, f"{CODE}:Swapped", "-o", saved.with_name("c.pt")) == 1


def test_a_tied_weight_is_one_memory_on_both_sides(saved, capsys):
    entry = ms.load_checkpoint(str(saved))
    entry["head.weight"].set_data(entry["embedding.embedding_table"])
    torch.save(tied := _tied(), saved.with_name("t.pt"))
    assert convert(saved.with_name("t.pt"), "-o", saved.with_name("t.safetensors"), "--to", "mindspore") == 0
    assert convert(saved.with_name("t.safetensors"), "-o", saved.with_name("u.pt")) == 0
    again = torch.load(saved.with_name("u.pt"), weights_only=True)
    assert again["out.weight"].data_ptr() == again["tok.weight"].data_ptr()
    assert list(again) == list(tied)
    small = {n: v for n, v in entry.items() if n != "head.weight"}
    ms.save_checkpoint(small, str(saved.with_name("s.ckpt")))
    assert (
        convert(saved.with_name("s.ckpt"), "-o", saved.with_name("v.pt"), "--torch-model", f"{CODE}:Tied")
        == 0
    )
    found = torch.load(saved.with_name("v.pt"), weights_only=True)
    assert found["out.weight"].data_ptr() == found["tok.weight"].data_ptr()
    for ending in (".pt", ".safetensors"):  # and back without any code, where MindSpore has one of the two
        out = saved.with_name(f"w{ending}")
        assert convert(saved.with_name("s.ckpt"), "-o", out, "--torch-model", f"{CODE}:Tied") == 0
        assert convert(out, "-o", saved.with_name(f"w{ending}.ckpt")) == 0
        assert list(ms.load_checkpoint(str(saved.with_name(f"w{ending}.ckpt")))) == list(small)


def _tied():
    return _load("Tied", "torch").network.state_dict()


def _load(name, side):
    from ms2torch.convert import models

    return models.load(f"{CODE}:{name}", side)


@pytest.mark.parametrize(("code", "words"), [
    ("nowhere.py:Net", "no such file"), (f"{CODE}:broken", "ValueError: no weights here"),
    (f"{CODE}:nothing", "not a torch.nn.Module"), ("no_colon", "MODULE:FACTORY"),
    ("no.such.module:Net", "ModuleNotFoundError"),
])  # fmt: skip
def test_code_that_gives_no_model(saved, code, words, capsys):
    assert convert(saved, "-o", saved.with_name("b.pt"), "--torch-model", code) == 2
    said = capsys.readouterr().err
    assert words in said and len(said.splitlines()) == 1 and not saved.with_name("b.pt").exists()


def test_a_mapping_is_written_edited_and_used_in_both_directions(tmp_path):
    ms.save_checkpoint(
        [ms.Parameter(ms.ops.ones((2, 3)), name=n) for n in ("a.gamma", "a.x", "b")], str(tmp_path / "a.ckpt")
    )
    table = tmp_path / "map.tsv"
    assert (
        convert(tmp_path / "a.ckpt", "--write-mapping", table) == 0
        and "a.gamma\ta.weight" in table.read_text()
    )
    text = table.read_text().replace("a.x\ta.x", "a.x\tfirst.y").replace("\nb\tb\t", "\nb\tc.t\tt")
    table.write_text(text)
    assert convert(tmp_path / "a.ckpt", "-o", tmp_path / "b.pt", "--mapping", table) == 0
    found = torch.load(tmp_path / "b.pt", weights_only=True)
    assert {n: tuple(t.shape) for n, t in found.items()} == {
        "a.weight": (2, 3),
        "first.y": (2, 3),
        "c.t": (3, 2),
    }
    assert convert(tmp_path / "b.pt", "-o", tmp_path / "c.ckpt", "--mapping", table) == 0
    assert {n: v.shape for n, v in ms.load_checkpoint(str(tmp_path / "c.ckpt")).items()} == dict.fromkeys(
        ("a.gamma", "a.x", "b"), (2, 3)
    )
    table.write_text(text.replace("a.x\tfirst.y", "a.x\t?"))
    assert convert(tmp_path / "a.ckpt", "-o", tmp_path / "d.pt", "--mapping", table) == 1
    table.write_text(text.replace("a.x\tfirst.y", "a.x\t-"))
    assert convert(tmp_path / "a.ckpt", "-o", tmp_path / "e.pt", "--mapping", table) == 0
    table.write_text(text.replace("a.x\t", "nope\t"))
    assert convert(tmp_path / "a.ckpt", "-o", tmp_path / "f.pt", "--mapping", table) == 2


_LAYER = """self_attn.q_proj.weight self_attn.k_proj.weight self_attn.v_proj.weight self_attn.o_proj.weight
mlp.gate_proj.weight mlp.up_proj.weight mlp.down_proj.weight
input_layernorm.weight post_attention_layernorm.weight"""
LLAMA = ["model.embed_tokens.weight", *(f"model.layers.{i}.{n}" for i in (0, 11) for n in _LAYER.split()),
         "model.norm.weight", "lm_head.weight"]  # fmt: skip


@pytest.mark.parametrize(("family", "some"), [
    ("mindformers", {"model.embed_tokens.weight": "model.tok_embeddings.embedding_weight",
                     "model.layers.11.self_attn.q_proj.weight": "model.layers.11.attention.wq.weight",
                     "model.layers.0.mlp.up_proj.weight": "model.layers.0.feed_forward.w3.weight",
                     "model.norm.weight": "model.norm_out.weight", "lm_head.weight": "lm_head.weight"}),
    ("mcore", {"model.embed_tokens.weight": "embedding.word_embeddings.weight",
               "model.layers.0.self_attn.o_proj.weight": "decoder.layers.0.self_attention.linear_proj.weight",
               "model.layers.0.mlp.gate_proj.weight": "decoder.layers.0.mlp.gating.weight",
               "lm_head.weight": "output_layer.weight"}),
    ("plain", {"model.embed_tokens.weight": "model.embed_tokens.embedding_table",
               "model.norm.weight": "model.norm.weight"}),
])  # fmt: skip
def test_hugging_faces_names_and_those_of_mindspores_transformers(tmp_path, family, some):
    torch.save({n: torch.rand((4,) if "norm" in n else (4, 4)) for n in LLAMA}, tmp_path / "a.bin")
    assert (
        convert(tmp_path / "a.bin", "-o", tmp_path / "b.ckpt", "--names", family, "--json", tmp_path / "r")
        == 0
    )
    rows = {row["from"][0]: row["to"] for row in json.loads((tmp_path / "r").read_text())["tensors"]}
    assert some.items() <= rows.items()
    assert convert(tmp_path / "b.ckpt", "-o", tmp_path / "c.bin", "--forget") == 0  # by its names alone
    one, two = (torch.load(tmp_path / n, weights_only=True) for n in ("a.bin", "c.bin"))
    assert one.keys() == two.keys() and all(torch.equal(one[n], two[n]) for n in one)


def test_gpt2s_attention_is_parted_turned_and_joined_again(tmp_path):
    layer = {"ln_1.weight": (4,), "ln_1.bias": (4,), "attn.c_attn.weight": (4, 12), "attn.c_attn.bias": (12,),
             "attn.c_proj.weight": (4, 4), "attn.c_proj.bias": (4,), "ln_2.weight": (4,), "ln_2.bias": (4,),
             "mlp.c_fc.weight": (4, 16), "mlp.c_fc.bias": (16,), "mlp.c_proj.weight": (16, 4),
             "mlp.c_proj.bias": (4,)}  # fmt: skip
    shapes = {"wte.weight": (9, 4), "wpe.weight": (7, 4), **{f"h.0.{n}": s for n, s in layer.items()},
              "ln_f.weight": (4,), "ln_f.bias": (4,)}  # fmt: skip
    one = {n: torch.rand(s) for n, s in shapes.items()}
    torch.save(one, tmp_path / "a.pt")
    assert convert(tmp_path / "a.pt", "-o", tmp_path / "b.ckpt", "--names", "gpt2") == 0
    found = ms.load_checkpoint(str(tmp_path / "b.ckpt"))
    key = found["backbone.blocks.0.attention.dense2.weight"].asnumpy()
    assert np.array_equal(key, one["h.0.attn.c_attn.weight"][:, 4:8].T.numpy())
    assert convert(tmp_path / "b.ckpt", "-o", tmp_path / "c.pt", "--forget") == 0
    assert convert(tmp_path / "b.ckpt", "-o", tmp_path / "d.pt") == 0
    for name in ("c.pt", "d.pt"):
        two = torch.load(tmp_path / name, weights_only=True)
        assert one.keys() == two.keys() and all(torch.equal(one[n], two[n]) for n in one)


def test_families_tables_turn_round():
    for family in families.FAMILIES.values():
        there, back = families.name_patterns(family, True), families.name_patterns(family, False)
        for line in family.table.split("\n"):
            if line.strip():
                ours, theirs = (
                    n.replace("*", "3") + ("weight" if n.endswith(".") else "") for n in line.split()
                )
                assert families.renamed(ours, there) == theirs and families.renamed(theirs, back) == ours
