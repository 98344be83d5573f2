"""Checkpoints of one layout over devices as those of another, strategy files of stages, and loading them."""

import json
import os
import tempfile

import mindspore as ms
import numpy as np
from mindspore import nn

from tests.reference.judge import case
from tests.reference.test_parallel_checkpoints import _bytes, _number

# Matrix of devices, map of a matrix's dimensions to it, step and size of the optimizer's parts.
LAYOUTS = {
    "halves": ([2], [0, -1], 0, 0), "rows": ([4], [0, -1], 0, 0), "columns": ([4], [-1, 0], 0, 0),
    "both": ([2, 2], [1, 0], 0, 0), "crossed": ([2, 2], [0, 1], 0, 0), "copies": ([2, 2], [-1, 0], 0, 0),
    "optimizer": ([4], [-1, -1], 1, 2), "rows and optimizer": ([2, 2], [0, -1], 2, 2),
    "eight": ([2, 2, 2], [1, 0], 0, 0), "pairs": ([2, 2], [1, -1], 0, 0), "everywhere": ([4], [-1, -1], 0, 0),
}


def _strategy(path, kind, stage=0):
    matrix, places, step, size = LAYOUTS[kind]
    item = {"dev_matrix": matrix, "tensor_map": places, "param_split_shape": [], "indices_offset": [], "field": 0,
            "opt_weight_shard_step": step, "opt_weight_shard_size": size}
    content = {"current_stage": 1, "parallel_layout_item": {"weight": item},
               "parallel_strategy_item": {"MatMul": {"stage": stage, "parallel_strategy": [[1, 1]]}}}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return path


def _saved(path, **values):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    ms.save_checkpoint([{"name": name, "data": ms.Tensor(value)} for name, value in values.items()], path)
    return path


def _whole(folder):
    weight = np.arange(64, dtype=np.float32).reshape(8, 8)
    return _saved(f"{folder}/whole/rank_0/a.ckpt", weight=weight, step=np.array(3, np.int32))


def _read(folder):
    found = {}
    for path, _, files in sorted(os.walk(folder)):
        for name in files:
            key, kind = os.path.relpath(os.path.join(path, name), folder), name.rsplit(".", 1)[-1]
            if kind == "json":
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    found[key] = json.load(file)
            else:
                held = ms.load_checkpoint(os.path.join(path, name), format=kind)
                found[key] = [(k, v.asnumpy()) for k, v in held.items()]
    return found


@case(each={"source": list(LAYOUTS), "target": ["halves", "both", "rows and optimizer", "eight", None]})
def test_any_layout_becomes_any_other(source, target):
    with tempfile.TemporaryDirectory() as folder:
        _whole(folder)
        first = _strategy(f"{folder}/a.json", source)
        ms.transform_checkpoints(f"{folder}/whole", f"{folder}/a", "part", None, first)
        second = None if target is None else _strategy(f"{folder}/b.json", target)
        ms.transform_checkpoints(f"{folder}/a", f"{folder}/b", "part", first, second)
        devices = int(np.prod(LAYOUTS[target][0])) if target else 1
        ranks = [[int(n) for n in ms.rank_list_for_transform(r, first, second)] for r in range(devices)]
        return _read(f"{folder}/a"), _read(f"{folder}/b"), ranks


def _in_safetensors(folder, kind):
    """What the ranks of a layout hold, and the layout's file. (MindSpore's own transform_checkpoints into
    safetensors writes other numbers where columns are split, as the parts are no whole rows.)"""
    _whole(folder)
    strategy = _strategy(f"{folder}/a.json", kind)
    ms.transform_checkpoints(f"{folder}/whole", f"{folder}/ckpt", "part", None, strategy)
    for rank in range(int(np.prod(LAYOUTS[kind][0]))):
        os.makedirs(f"{folder}/a/rank_{rank}")
        held = ms.load_checkpoint(f"{folder}/ckpt/rank_{rank}/part{rank}.ckpt")
        ms.save_checkpoint([{"name": name, "data": ms.Tensor(p.asnumpy().copy())} for name, p in held.items()],
                           f"{folder}/a/rank_{rank}/part{rank}.safetensors", format="safetensors")
    return strategy


@case(each={"kind": ["rows", "both", "copies", "optimizer"]})
def test_unified(kind):
    """Files of parts become whole ones with an index, and these the parts of another layout."""
    with tempfile.TemporaryDirectory() as folder:
        strategy = _in_safetensors(folder, kind)
        ms.unified_safetensors(f"{folder}/a", strategy, f"{folder}/one")
        ms.load_distributed_checkpoint(
            None, format="safetensors", unified_safetensors_dir=f"{folder}/one", dst_safetensors_dir=f"{folder}/b",
            predict_strategy=_strategy(f"{folder}/b.json", "columns"), max_process_num=1)
        ms.load_distributed_checkpoint(
            None, format="safetensors", unified_safetensors_dir=f"{folder}/one", dst_safetensors_dir=f"{folder}/c",
            predict_strategy=_strategy(f"{folder}/c.json", "eight"), rank_id=5, output_format="ckpt")
        return _read(f"{folder}/a"), _read(f"{folder}/one"), _read(f"{folder}/b"), _read(f"{folder}/c")


def _binary(path, kinds):
    """The layouts of several parameters as MindSpore's message; without it the real one merges no parts that
    leave out what others hold."""
    items = b""
    for name, kind in kinds.items():
        matrix, places, step, size = LAYOUTS[kind]
        lists = b"".join(_bytes(i + 1, b"".join(_number(1, n) for n in one))
                         for i, one in enumerate((matrix, places, (), ())))
        layout = lists + _number(5, 0) + _number(6, step) + _number(7, size)
        items += _bytes(3, _bytes(1, name.encode()) + _bytes(2, layout))
    with open(path, "wb") as file:
        file.write(_number(1, 1) + items)
    return path


@case(each={"held": [{"w": [0, 2], "v": [1]}, {"w": [1, 2], "v": [3]}], "said": [(True, True), (False, True), (False, None)]})
def test_parts_without_what_other_ranks_hold(held, said):
    """`w` lies in two halves of which two ranks each hold a copy, `v` whole on all four. Of parts that do not say
    so (None) the real one has to be told."""
    merge, redundancy = said
    whole = np.arange(64, dtype=np.float32).reshape(8, 8)
    with tempfile.TemporaryDirectory() as folder:
        strategy = _binary(f"{folder}/a.ckpt", {"w": "pairs", "v": "everywhere"})
        for rank in range(4):
            values = {"step": np.array([3], np.int32)}
            values |= {"w": whole[rank // 2 * 4:][:4]} if rank in held["w"] else {}
            values |= {"v": -whole} if rank in held["v"] else {}
            os.makedirs(f"{folder}/a/rank_{rank}")
            ms.save_checkpoint([{"name": name, "data": ms.Tensor(value.copy())} for name, value in values.items()],
                               f"{folder}/a/rank_{rank}/net.safetensors", format="safetensors",
                               **({} if redundancy is None else {"remove_redundancy": redundancy}))
        ms.unified_safetensors(f"{folder}/a", strategy, f"{folder}/one", merge_with_redundancy=merge)
        return _read(f"{folder}/one")


@case(each={"choice": ["other", "all"], "name_map": [None, {"weight": "other"}]})
def test_unified_into_a_network(choice, name_map):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = ms.Parameter(ms.Tensor(np.zeros((8, 8), np.float32)), name="weight")

    choose = {"other": lambda name: "other", "all": None}[choice]
    with tempfile.TemporaryDirectory() as folder:
        strategy = _in_safetensors(folder, "rows")
        ms.save_checkpoint([{"name": "weight", "data": ms.Tensor(np.ones((2, 8), np.float32))}],
                           f"{folder}/a/rank_2/part-1_12.safetensors", format="safetensors")
        ms.save_checkpoint([{"name": "weight", "data": ms.Tensor(np.zeros((2, 8), np.float32))}],
                           f"{folder}/a/rank_2/part-1_9.safetensors", format="safetensors")
        ms.unified_safetensors(f"{folder}/a", strategy, f"{folder}/one", choice_func=choose)
        net = Net()
        told = ms.load_distributed_checkpoint(net, format="safetensors", name_map=name_map,
                                              unified_safetensors_dir=f"{folder}/one")
        held = ms.load_distributed_checkpoint(net, format="safetensors", unified_safetensors_dir=f"{folder}/one",
                                              return_param_dict=True)
        return told, net.weight.asnumpy(), sorted(held), _read(f"{folder}/one")


@case(raises=True, each={"kind": ["file", "rank", "folder", "names", "strict", "target"]})
def test_what_unified_refuses(kind):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        strategy = _in_safetensors(".", "rows")
        if kind == "rank":
            os.remove("a/rank_1/part1.safetensors")
        ms.unified_safetensors("a.json" if kind == "file" else "a", strategy, "one")
        given = {"folder": {}, "names": {"checkpoint_filenames": "x"}, "strict": {"strict_load": True},
                 "target": {}}[kind]
        ms.load_distributed_checkpoint(None, format="safetensors",
                                       unified_safetensors_dir=None if kind == "folder" else "one", **given)


@case(each={"rank": [0, 3]})
def test_one_rank_alone(rank):
    with tempfile.TemporaryDirectory() as folder:
        _whole(folder)
        first, second = _strategy(f"{folder}/a.json", "rows"), _strategy(f"{folder}/b.json", "columns")
        ms.transform_checkpoints(f"{folder}/whole", f"{folder}/a", "part", None, first)
        files = {r: f"{folder}/a/rank_{r}/part{r}.ckpt" for r in range(4)}
        ms.transform_checkpoint_by_rank(rank, files, f"{folder}/b.ckpt", first, second)
        return [(k, v.asnumpy()) for k, v in ms.load_checkpoint(f"{folder}/b.ckpt").items()]


@case
def test_stages_are_merged():
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/s")
        for stage in range(2):
            _strategy(f"{folder}/s/{stage}.json", "halves", stage)
        ms.merge_pipeline_strategys(f"{folder}/s", f"{folder}/merged.json")
        with open(f"{folder}/merged.json", encoding="utf-8") as file:
            found = json.load(file)
        _whole(folder)
        ms.transform_checkpoints(f"{folder}/whole", f"{folder}/a", "part", None, f"{folder}/merged.json")
        ranks = [[int(n) for n in ms.rank_list_for_transform(r, f"{folder}/merged.json")] for r in range(2)]
        return found["current_stage"], sorted(found["parallel_layout_item"]), ranks, _read(f"{folder}/a")


@case(each={"kind": ["rows", "columns", "both", "copies", "optimizer"]})
def test_loading_what_ranks_saved(kind):
    with tempfile.TemporaryDirectory() as folder:
        _whole(folder)
        path = _strategy(f"{folder}/a.json", kind)
        ms.transform_checkpoints(f"{folder}/whole", f"{folder}/a", "part", None, path)
        net = nn.Dense(8, 8, has_bias=False)
        done = ms.load_distributed_checkpoint(net, [f"{folder}/a/rank_{r}/part{r}.ckpt" for r in range(4)],
                                              train_strategy_filename=path)
        return done, net.weight.value()


def _bad(kind, folder):
    path = _strategy(f"{folder}/a.json", "rows")
    whole = _whole(folder)
    calls = {
        "rank": lambda: ms.rank_list_for_transform("0", path),
        "empty": lambda: ms.transform_checkpoints(folder, f"{folder}/b", "part", None, path),
        "prefix": lambda: ms.transform_checkpoints(f"{folder}/whole", f"{folder}/b", 1, None, path),
        "format": lambda: ms.transform_checkpoints(f"{folder}/whole", f"{folder}/b", "p", None, path, 1,
                                                   "safetensors"),
        "missing": lambda: ms.transform_checkpoints(f"{folder}/whole", f"{folder}/b", "p", path),
        "map": lambda: ms.transform_checkpoint_by_rank(0, [whole], f"{folder}/b.ckpt", None, path),
        "name": lambda: ms.transform_checkpoint_by_rank(0, {0: whole}, f"{folder}/b", None, path),
        "file": lambda: ms.transform_checkpoint_by_rank(0, {0: "no.ckpt"}, f"{folder}/b.ckpt", None, path),
        "folder": lambda: ms.merge_pipeline_strategys("no folder", f"{folder}/b.json"),
        "count": lambda: ms.load_distributed_checkpoint(nn.Dense(8, 8), [whole], train_strategy_filename=path),
        "ending": lambda: ms.load_distributed_checkpoint(nn.Dense(8, 8), ["a.txt"],
                                                         train_strategy_filename=path),
        "kind": lambda: ms.load_distributed_checkpoint(nn.Dense(8, 8), [whole], format="npz"),
        "prediction": lambda: ms.load_distributed_checkpoint(nn.Dense(8, 8), [whole], {"weight": [1, 2, 3, 4]}),
    }
    return calls[kind]()


@case(each={"kind": ["rank", "empty", "prefix", "format", "missing", "map", "name", "file", "folder", "count",
                     "ending", "kind", "prediction"]})
def test_what_is_refused(kind):
    with tempfile.TemporaryDirectory() as folder:
        try:
            return _bad(kind, folder)
        except Exception as error:
            return f"{type(error).__name__}: {error}".replace(folder, "FOLDER")


@case(each={"held": [[1, 2, 3], [0], [0, 1, 3], [0, 4], ["0", "1"], [0, "1"]], "rank": [0, 1]})
def test_the_rank_whose_checkpoint_lacks_is_named(held, rank):
    with tempfile.TemporaryDirectory() as folder:
        _whole(folder)
        path = _strategy(f"{folder}/a.json", "rows")
        ms.transform_checkpoints(f"{folder}/whole", f"{folder}/a", "part", None, path)
        files = {r: f"{folder}/a/rank_{int(r) % 4}/part{int(r) % 4}.ckpt" for r in held}
        try:
            return ms.transform_checkpoint_by_rank(rank, files, f"{folder}/b.ckpt", path, None)
        except ValueError as error:
            return str(error)


@case(each={"rank": [3, 4, 9]})
def test_ranks_beyond_those_of_a_strategy_file(rank):
    with tempfile.TemporaryDirectory() as folder:
        path = _strategy(f"{folder}/a.json", "rows")
        try:
            return [int(n) for n in ms.rank_list_for_transform(rank, path)]
        except RuntimeError as error:
            return str(error).partition("!")[0]


@case
def test_a_strategy_file_of_another_number_of_dimensions():
    """Refused in both; what MindSpore adds to its words are its own names of what it compares."""
    with tempfile.TemporaryDirectory() as folder:
        path = _strategy(f"{folder}/a.json", "rows")
        bias = _saved(f"{folder}/whole/rank_0/whole.ckpt", weight=np.zeros(8, np.float32))
        try:
            return ms.transform_checkpoint_by_rank(0, {0: bias}, f"{folder}/b.ckpt", None, path)
        except ValueError as error:
            return str(error).partition("dimensions must match the tensor shape dimensions")[:2]


def _strategy_of(path, kinds, stage):
    """A strategy file of the parameters ``kinds`` (by name) at a stage."""
    items = {}
    for name, kind in kinds.items():
        with open(_strategy(path, kind), encoding="utf-8") as file:
            items[name] = json.load(file)["parallel_layout_item"]["weight"]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"current_stage": 1, "parallel_layout_item": items, "parallel_strategy_item": {
            "MatMul": {"stage": stage, "parallel_strategy": [[1, 1]]}}}, file)
    return path


@case(each={"target": ["halves", "both", "rows and optimizer"]})
def test_one_stage_at_a_time_becomes_parts(target):
    with tempfile.TemporaryDirectory() as folder:
        whole = _strategy_of(f"{folder}/whole.json", {"a": target, "b": target}, 0)
        values = np.arange(128, dtype=np.float32).reshape(2, 8, 8)
        for stage, name in enumerate("ab"):
            for place in range(2):
                rank = 2 * stage + place
                _saved(f"{folder}/src/rank_{rank}/r{rank}.ckpt", step=np.array(3, np.int32),
                       **{name: values[stage, place * 4:place * 4 + 4]})
            own = _strategy_of(f"{folder}/stage{stage}.json", {name: "halves"}, stage)
            ms.transform_checkpoints(f"{folder}/src", f"{folder}/dst", "part", own, whole)
        held = ms.load_segmented_checkpoints(f"{folder}/dst/rank_1")
        return _read(f"{folder}/dst"), sorted((name, value.asnumpy()) for name, value in held.items())


# Which of four ranks' checkpoints are there; the path that rank 0 asks for.
@case(each={"kinds": [("halves",), ("copies", "everywhere"), ("both",), ("pairs", "copies"), ("eight",),
                      ("rows and optimizer",), ("optimizer", "everywhere")],
            "there": [(0, 2), (2, 3), (1,), (3,), ()], "path": ["x_rank_0/rank_0.ckpt", "a.ckpt"]})
def test_a_checkpoint_of_a_rank_that_holds_the_same(kinds, there, path):
    with tempfile.TemporaryDirectory() as folder:
        for rank in there:
            name = f"{folder}/{path.replace('rank_0', f'rank_{rank}')}"
            os.makedirs(os.path.dirname(name), exist_ok=True)
            with open(name, "w", encoding="utf-8"):
                pass
        strategy = _binary(f"{folder}/s.ckpt", dict(zip(("a", "b"), kinds, strict=False)))
        found = ms.get_ckpt_path_with_strategy(f"{folder}/{path}", strategy)
        return found and os.path.relpath(found, folder)


@case(raises=FileNotFoundError)
def test_a_checkpoint_by_a_strategy_file_that_is_not_there():
    return ms.get_ckpt_path_with_strategy("rank_0/a.ckpt", "nowhere.ckpt")
