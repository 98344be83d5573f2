"""Strategies of operators and the settings of automatic parallelism: what is kept, shown and refused."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.parallel.auto_parallel import AutoParallel

from tests.reference.judge import case


def _layouts():
    named = ms.Layout((2, 4), ("a", "b"))
    return named("a", "b"), named("b", "None")


@case(each={"given": [
    (((1, 2), (2, 1)),), (((1, 2), (2, 1)), ((1, 1),)), ([(1, 2), (2, 1)],), (((1, 2.0), (2, 1)),),
    (((1, 2), (2, 1)), (1, 1)), (None, ((1, 1),)), "layouts", "mixed"]})
def test_a_primitive_keeps_its_strategy(given):
    if isinstance(given, str):
        given = (_layouts() if given == "layouts" else (_layouts()[0], (1, 1)),)
    try:
        return str(ops.MatMul().shard(*given))
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


@case(each={"kind": ["layouts", "layouts, out", "counts", "counts, out layouts", "mixed", "words"]})
def test_a_tuple_of_tensors_has_a_tuple_of_strategies(kind):
    """... where the operator says that it defines how it is split, or is one of few."""
    a, b = _layouts()
    counts = (((2, 1), (2, 1)),)
    given = {"layouts": (((a, b),),), "layouts, out": (((a, b),), (b,)), "counts": (counts,),
             "counts, out layouts": (counts, (b,)), "mixed": (((1, 2), b),), "words": (((1, "a"),),)}[kind]
    found = []
    for defined in (False, True):
        operator = ops.Concat(0)
        if defined:
            operator.add_prim_attr("self_define_shard", True)
        try:
            operator.shard(*given)
            found.append({key: str(value).count("tensor_map") or str(value) for key, value in operator.attrs.items()
                          if key != "axis" and "Layout" not in str(value)})
        except (TypeError, ValueError) as error:
            found.append(f"{type(error).__name__}: {str(error).partition(':')[0]}")
    return found


@case
def test_layouts_of_data_are_kept():
    ms.set_auto_parallel_context(dataset_strategy=_layouts())
    try:
        return str([one.to_dict() for one in ms.get_auto_parallel_context("dataset_strategy")])
    finally:
        ms.reset_auto_parallel_context()


@case(raises=True, each={"given": ["mixed", "interleaved", "unlaid", ([1, 1],), ((1, 1.5),), ((1, 1), 1)]})
def test_how_data_can_not_come_in(given):
    named = ms.Layout((2, 2), ("a", "interleaved_parallel"))
    given = {"mixed": (_layouts()[0], (1, 1)), "interleaved": (named("a", "None"),),
             "unlaid": (ms.Layout((2, 2), ("a", "b")),)}.get(str(given), given)
    try:
        return ms.set_auto_parallel_context(dataset_strategy=given)
    finally:
        ms.reset_auto_parallel_context()


@case
def test_a_program_takes_layouts_of_its_data():
    return AutoParallel(nn.Dense(2, 2)).dataset_strategy(_layouts())


@case
def test_shard_gives_what_it_was_given():
    net = nn.Dense(2, 2)
    return ms.shard(net, in_strategy=((1, 2),)) is net


@case(raises=True, each={"method, given": [
    ("hsdp", (0,)), ("hsdp", (-1, -1)), ("hsdp", (-1, 64, "level4")), ("dataset_strategy", (None,)),
    ("dataset_strategy", ("half",)), ("dataset_strategy", ([(1,)],)), ("dataset_strategy", ((1,),)),
    ("dataset_strategy", (((1.0,),),)), ("pipeline", (1.0,)), ("pipeline", (0,)), ("pipeline", (2, 1)),
    ("pipeline", (2, False, 1)), ("pipeline", (2, False, False, 1)), ("pipeline", (2, False, False, "x")),
    ("comm_fusion", (1,)), ("save_param_strategy_file", (1,)), ("save_operator_strategy_file", (1,)),
    ("save_operator_strategy_file", ("a.json",)), ("load_operator_strategy_file", ("/a.txt",))]})
def test_auto_parallel_checks(method, given):
    return getattr(AutoParallel(nn.Dense(2, 2)), method)(*given)


@case(raises=True)
def test_auto_parallel_modes():
    return AutoParallel(nn.Dense(2, 2), "semi_auto_parallel")


@case(raises=True, each={"config": [
    {"optimizer_level": "level4"}, {"optimizer_level": "level3", "gradient_accumulation_shard": True},
    {"parallel_optimizer_threshold": -1}, {"parallel_optimizer_threshold": 1.5},
    {"optimizer_weight_shard_size": 0}, {"gradient_accumulation_shard": 1}, [1]]})
def test_the_parallel_optimizer_s_settings(config):
    try:
        return ms.set_auto_parallel_context(parallel_optimizer_config=config)
    finally:
        ms.reset_auto_parallel_context()


@case(raises=True, each={"mode": ["stand_alone", "hybrid_parallel"]})
def test_an_optimizer_is_shared_in_parallel_modes_only(mode):
    ms.set_auto_parallel_context(parallel_mode=mode, enable_parallel_optimizer=True)
    try:
        return nn.Adam(nn.Dense(2, 2).trainable_params())
    finally:
        ms.reset_auto_parallel_context()


@case(raises=True, each={"net": [5, None, [nn.Dense(2, 2)], nn.Dense]})
def test_stages_share_weights_of_a_cell(net):
    return ms.sync_pipeline_shared_parameters(net)
