"""GraphData: a graph of two kinds of nodes in the fields of the model zoo's files, against arithmetic on
it."""

import numpy as np
import pytest

import ms2torch.dataset as ds
from ms2torch.dataset.engine import OutputFormat, SamplingStrategy
from ms2torch.mindrecord import FileWriter

USERS, ITEMS = range(101, 107), range(201, 206)                  # of types 1 and 2
LIKES = [(101, 201), (101, 202), (102, 202), (103, 203), (103, 201), (103, 204), (105, 205)]
KNOWS = [(101, 102), (102, 103), (102, 101), (103, 101), (101, 105)]
SCHEMA = {"first_id": {"type": "int64"}, "second_id": {"type": "int64"}, "third_id": {"type": "int64"},
          "type": {"type": "int32"}, "attribute": {"type": "string"}, "weight": {"type": "float32"},
          "node_feature_index": {"type": "int32", "shape": [-1]},
          "edge_feature_index": {"type": "int32", "shape": [-1]},
          "node_feature_1": {"type": "float32", "shape": [-1]},
          "node_feature_2": {"type": "int32", "shape": [-1]},
          "edge_feature_1": {"type": "float32", "shape": [-1]}}
EMPTY = {"second_id": 0, "third_id": 0, "weight": 1.0, "node_feature_index": np.array([-1], np.int32),
         "edge_feature_index": np.array([-1], np.int32), "node_feature_1": np.zeros(1, np.float32),
         "node_feature_2": np.zeros(1, np.int32), "edge_feature_1": np.zeros(1, np.float32)}


def node(number):
    row = EMPTY | {"first_id": number, "type": number // 100, "attribute": "n"}
    if number != 106:                                                # which has no features
        row |= {"node_feature_index": np.array([1, 2], np.int32),
                "node_feature_2": np.array([number], np.int32),
                "node_feature_1": np.array([number, number / 2, -1], np.float32)}
    return row


def edge(number, source, target, kind):
    return EMPTY | {"first_id": number, "second_id": source, "third_id": target, "type": kind,
                    "attribute": "e",
                    "weight": float(target % 10), "edge_feature_index": np.array([1], np.int32),
                    "edge_feature_1": np.array([number * 10], np.float32)}


def written(path, rows):
    writer = FileWriter(str(path))
    writer.add_schema(SCHEMA, "graph")
    writer.write_raw_data(rows)
    writer.commit()
    return str(path)


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    ds.config.set_seed(3)
    rows = [node(number) for number in [*USERS, *ITEMS]]
    pairs = [(*pair, 0) for pair in LIKES] + [(*pair, 1) for pair in KNOWS]
    rows += [edge(number, *pair) for number, pair in enumerate(pairs)]
    return ds.GraphData(written(tmp_path_factory.mktemp("graph") / "graph", rows), 1)


def neighbours(number, kind):
    return [target for source, target in LIKES + KNOWS if source == number and target // 100 == kind]


def test_what_there_is(graph):
    assert graph.get_all_nodes(1).tolist() == list(USERS) and graph.get_all_nodes(2).tolist() == list(ITEMS)
    assert graph.get_all_nodes(1).dtype == np.int32
    assert graph.get_all_edges(0).tolist() == list(
    range(7)) and graph.get_all_edges(1).tolist() == list(
        range(
            7, 12))
    assert graph.graph_info() == {"node_type": [1, 2], "edge_type": [0, 1], "node_num": {1: 6, 2: 5},
                                  "edge_num": {0: 7, 1: 5},
                                  "node_feature_type": [1, 2], "edge_feature_type": [1]}


def test_edges_and_their_nodes(graph):
    assert graph.get_nodes_from_edges([8, 0]).tolist() == [[102, 103], [101, 201]]
    assert graph.get_nodes_from_edges(np.array([3], np.int32)).tolist() == [103, 203]
    assert graph.get_edges_from_nodes([(103, 204), (102, 101)]).tolist() == [5, 9]


def test_features(graph):
    first, second = graph.get_node_feature([[101, 205], [-1, 106]], [1, 2])
    assert first.dtype == np.float32 and second.dtype == np.int32
    assert first.tolist() == [[[101, 50.5, -1], [205, 102.5, -1]], [[0, 0, 0], [0, 0, 0]]]
    assert second.tolist() == [[101, 205], [0, 0]]
    assert graph.get_edge_feature([2, 7], [1])[0].tolist() == [20, 70]


def test_all_neighbours_in_three_formats(graph):
    users = graph.get_all_nodes(1)
    table = graph.get_all_neighbors(users, 2)
    assert table.shape == (6, 1 + 3)
    for row, user in zip(table.tolist(), USERS, strict=True):
        assert row == ([user, *neighbours(user, 2)] + [-1] * 3)[:4]
    pairs = graph.get_all_neighbors(users, 2, OutputFormat.COO)
    assert [tuple(pair) for pair in pairs.tolist()] == sorted(LIKES, key=lambda pair: pair[0])
    starts, found = graph.get_all_neighbors(users, 2, OutputFormat.CSR)
    assert starts.tolist() == [0, 2, 3, 6, 6, 7] and found.tolist() == pairs[:, 1].tolist()


def test_the_three_formats_of_the_documented_graph(tmp_path):
    rows = [node(number) | {"type": 0} for number in range(4)]
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 1)]
    rows += [edge(number, source, target, 0) for number, (source, target) in enumerate(edges)]
    graph = ds.GraphData(written(tmp_path / "graph", rows))
    assert graph.get_all_neighbors([0, 1, 2, 3], 0).tolist() == [
                                   [0, 1, -1], [1, 2, -1], [2, 0, 3], [3, 1, -1]]
    assert graph.get_all_neighbors([0, 1, 2, 3], 0, OutputFormat.COO).tolist() == [
                                   list(pair) for pair in edges]
    starts, found = graph.get_all_neighbors([0, 1, 2, 3], 0, OutputFormat.CSR)
    assert (starts.tolist(), found.tolist()) == ([0, 1, 2, 4], [1, 2, 0, 3, 1])


def test_sampled_neighbours_over_two_hops(graph):
    samples = graph.get_sampled_neighbors(np.array([101, 102, 104], np.int32), [2, 3], [1, 2])
    assert samples.shape == (3, 1 + 2 + 2 * 3)
    assert samples[:, 0].tolist() == [101, 102, 104] and (samples[2, 1:] == -1).all()
    for row in samples[:2].tolist():
        assert sorted(row[1:3]) == sorted(neighbours(row[0], 1))               # each once before any twice
        for friend, liked in ((row[1], row[3:6]), (row[2], row[6:9])):
            known = neighbours(friend, 2)
            assert set(liked) == set(known) and max(map(liked.count, liked)) == -(-3 // len(known))
    more = graph.get_sampled_neighbors([103], [11], [2])
    assert more.shape == (12,) and sorted(np.bincount(more[1:])[[201, 203, 204]]) == [3, 4, 4]


def test_samples_by_weight(graph):
    drawn = np.concatenate([graph.get_sampled_neighbors([103], [10], [2], SamplingStrategy.EDGE_WEIGHT)[1:]
                            for _ in range(80)])
    share = np.bincount(drawn, minlength=206)[[201, 203, 204]] / 800            # of weights 1, 3, 4
    assert np.abs(share - np.array([1, 3, 4]) / 8).max() < 0.08


def test_negative_samples(graph):
    samples = graph.get_neg_sampled_neighbors([101, 103, 104], 4, 2)
    assert samples.shape == (3, 5) and samples[:, 0].tolist() == [101, 103, 104]
    for user, *others in samples.tolist():
        assert set(others) <= set(ITEMS) - set(neighbours(user, 2))
    assert sorted(samples[0, 1:].tolist()[:3]) == [203, 204, 205]                # each once before any twice
    alone = graph.get_neg_sampled_neighbors([101, 102], 1, 1)
    assert 101 not in alone[:1, 1] and not set(alone[:, 1]) & {101, 102} - {102}


def test_no_negative_samples_where_all_are_neighbours(tmp_path):
    rows = [node(101), node(201), edge(0, 101, 201, 0)]
    assert ds.GraphData(written(tmp_path / "graph", rows)
                        ).get_neg_sampled_neighbors([101], 2, 2).tolist() == [101, -1, -1]


def test_random_walks_follow_edges_and_the_path_of_types(graph):
    walks = graph.random_walk([101, 102, 106], [1, 1, 2], default_node=7)
    assert walks.shape == (3, 4) and walks[2].tolist() == [106, 7, 7, 7]
    for walk in walks.tolist():
        for source, target, kind in zip(walk, walk[1:], [1, 1, 2], strict=False):
            assert target == 7 or target in neighbours(source, kind)


def test_walks_that_hardly_ever_go_home(graph):
    walks = np.concatenate([graph.random_walk([103], [1, 1], 1e4, 1.0).reshape(1, -1) for _ in range(60)])
    assert (walks[:, 2] != 103).all()                # 103 -> 101 -> 102 or 105
    # 102 is no neighbour of 103 and 105 is none: equally likely; from 101
    # over 102 the way home weighs nothing
    walks = np.concatenate([graph.random_walk([101], [1, 1], 1e4, 1.0).reshape(1, -1) for _ in range(60)])
    after_102 = walks[walks[:, 1] == 102, 2]
    assert len(after_102) > 10 and (after_102 == 103).all()


def test_samples_repeat_under_a_seed(tmp_path, graph):
    rows = [node(number) for number in [*USERS, *ITEMS]] + [edge(k, *p, 0) for k, p in enumerate(LIKES)]
    path = written(tmp_path / "graph", rows)

    def sampled(seed):
        ds.config.set_seed(seed)
        return ds.GraphData(path).get_sampled_neighbors([101, 103] * 5, [3], [2]).tolist()

    assert sampled(8) == sampled(8) != sampled(9)


@pytest.mark.parametrize("call, error, words", [
    (lambda g: g.get_all_nodes("1"), TypeError, "Argument node_type with value 1 is not of type"),
    (lambda g: g.get_all_nodes(9), RuntimeError, "Invalid node type:9"),
    (lambda g: g.get_all_edges(9), RuntimeError, "Invalid edge type:9"),
    (lambda g: g.get_nodes_from_edges([77]), RuntimeError, "Invalid edge id:77"),
    (lambda g: g.get_edges_from_nodes([(101, 206)]), RuntimeError, "none from node 101 to node 206"),
    (lambda g: g.get_node_feature([101], [5]), RuntimeError, "Invalid feature type:5"),
    (lambda g: g.get_node_feature([999], [1]), RuntimeError, "Invalid node id:999"),
    (lambda g: g.get_node_feature([[101], [101, 102]], [1]), TypeError, "node_list should be of one length"),
    (lambda g: g.get_all_neighbors([101], 4), RuntimeError, "Invalid neighbor type:4"),
    (lambda g: g.get_all_neighbors(np.array([101]), 2), TypeError, "should be of type int32. Got int64."),
    (lambda g: g.get_sampled_neighbors([101], [2, 2], [2]), ValueError, "neighbor_types is inconsistent"),
    (lambda g: g.get_sampled_neighbors([101], [1] * 7, [2] * 7), ValueError, "between 1 and 6, got 7"),
    (lambda g: g.get_sampled_neighbors([101], [12], [2]), RuntimeError, "should be between 1 and 11, got 12"),
    (lambda g: g.get_neg_sampled_neighbors([], 1, 2), RuntimeError, "Input node_list is empty"),
    (lambda g: g.random_walk([101], [1], 2), TypeError, "step_home_param"),
])
def test_errors(graph, call, error, words):
    with pytest.raises(error, match=words):
        call(graph)


def test_graph_servers_and_broken_graphs(tmp_path):
    path = written(tmp_path / "graph", [node(101), edge(0, 101, 201, 0)])
    with pytest.raises(RuntimeError, match="invalid dst_id:201"):
        ds.GraphData(path)
    with pytest.raises(NotImplementedError, match=r"GraphData.*no graph server"):
        ds.GraphData(path, working_mode="server")
    with pytest.raises(ValueError, match="does not exist"):
        ds.GraphData(str(tmp_path / "none"))


class _Batches(ds.Sampler):
    def __init__(self, edges, size):
        super().__init__()
        self.edges, self.size = edges, size

    def __iter__(self):
        order = np.random.RandomState(0).permutation(self.edges)
        yield from order.reshape(-1, self.size).tolist()


def test_a_pipeline_over_a_graph(graph):
    """As programs of r1.x feed a network: a batch of edges, its users, samples and their features."""

    class Source:
        def __len__(self):
            return graph.graph_info()["edge_num"][0]

        def __getitem__(self, edges):
            users = graph.get_nodes_from_edges(np.asarray(edges, np.int32).reshape(-1))[..., 0].reshape(-1)
            others = graph.get_neg_sampled_neighbors(node_list=users, neg_neighbor_num=2, neg_neighbor_type=2)
            return users, others, graph.get_node_feature(node_list=others, feature_types=[2])[0]

    rows = list(ds.GeneratorDataset(Source(), ["users", "others", "feature"], shuffle=False)
                .create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert len(rows) == 7
    assert [int(users[0]) for users, _, _ in rows] == [source for source, _ in LIKES]
    assert all(np.array_equal(others, feature) for _, others, feature in rows)
