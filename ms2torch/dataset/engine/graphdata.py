"""`GraphData`: a graph from MindRecord files, and samples of it (``mindspore.dataset.GraphData``, r1.0 to
2.0).

A row of such a file is a node (``attribute`` "n": ``first_id`` its number, ``type``) or an edge ("e":
``first_id`` its number, ``second_id`` and ``third_id`` the nodes it goes from and to, ``type``), with an
optional ``weight``. ``node_feature_index`` and ``edge_feature_index`` say which of the fields
``node_feature_1``, ..., ``edge_feature_1``, ... the row fills. MindSpore's model zoo wrote these files with
``graph_to_mindrecord``.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from ms2torch._core.errors import unsupported

from ..core import config
from ..core.errors import pipeline_error
from ..core.validator_helpers import (
    INT32_MAX,
    check_file,
    check_num_parallel_workers,
    check_value,
    type_check,
    type_check_list,
)

__all__ = ["GraphData", "OutputFormat", "SamplingStrategy"]

_NONE = -1                                       # stands for a node that is not there


class SamplingStrategy(IntEnum):
    """How neighbours are drawn (``mindspore.dataset.engine.SamplingStrategy``)."""

    RANDOM = 0
    EDGE_WEIGHT = 1


class OutputFormat(IntEnum):
    """How neighbours are laid out (``mindspore.dataset.engine.OutputFormat``)."""

    NORMAL = 0
    COO = 1
    CSR = 2


class GraphData:
    """A graph of typed nodes and directed edges, with features (``mindspore.dataset.GraphData``).

    ``dataset_file``: a MindRecord file, read with all that were written together with it. The graph is held
    in memory. Nodes, edges and their types are numbers; results are int32 arrays, **without axes of length
    1**, as MindSpore gives them. A node that is missing in a result is -1. Neighbours of a node are those its
    edges go to; graphs without direction have each edge in the file twice.

    With a seed (`config.set_seed`) samples repeat from run to run; they are drawn from the stated
    distributions, but not with MindSpore's own random numbers. RuntimeError for numbers and types that the
    graph does not have.

    ``working_mode`` "server" and "client", a graph shared by processes, raise NotImplementedError: each
    process reads the file itself.
    """

    def __init__(self, dataset_file, num_parallel_workers=None, working_mode="local", hostname="127.0.0.1",
                 port=50051, num_client=1, auto_shutdown=True):
        check_file(dataset_file)
        if num_parallel_workers is not None:
            check_num_parallel_workers(num_parallel_workers)
        type_check(hostname, (str,), "hostname")
        type_check(working_mode, (str,), "working_mode")
        if working_mode not in ("local", "client", "server"):
            raise ValueError("Invalid working mode, please enter 'local', 'client' or 'server'.")
        type_check(port, (int,), "port")
        check_value(port, (1024, 65535), "port")
        type_check(num_client, (int,), "num_client")
        check_value(num_client, (1, 255), "num_client")
        type_check(auto_shutdown, (bool,), "auto_shutdown")
        if working_mode != "local":
            raise unsupported("mindspore.dataset.GraphData(working_mode=...)", "no graph server is run.",
                              "leave working_mode 'local'; each process reads the file itself.")
        self._working_mode = working_mode
        self._nodes, self._edges = _read(dataset_file)
        self._ends = _ends(self._nodes, self._edges)
        self._adjacent = _adjacency(self._nodes, self._edges, self._ends)
        self._between: dict[tuple[int, int], int] = {}
        self._random = np.random.RandomState(config.drawing_seed())

    # ---- nodes and edges -----------------------------------------------------------------------------------

    def get_all_nodes(self, node_type):
        """The nodes of a type, in the order of the file."""
        type_check(node_type, (int,), "node_type")
        return np.squeeze(self._nodes.of_type(node_type))

    def get_all_edges(self, edge_type):
        """The edges of a type, in the order of the file."""
        type_check(edge_type, (int,), "edge_type")
        return np.squeeze(self._edges.of_type(edge_type))

    def get_nodes_from_edges(self, edge_list):
        """The two nodes of each edge: (edges, 2)."""
        edges = _numbers(edge_list, "edge_list")
        return np.squeeze(self._nodes.ids[self._ends[self._edges.places(edges)]])

    def get_edges_from_nodes(self, node_list):
        """The edge of each pair of nodes: ``node_list`` is a list of (from, to)."""
        type_check(node_list, (list, np.ndarray), "node_list")
        if not self._between:
            ends = self._nodes.ids[self._ends].tolist()
            pairs = zip(ends, self._edges.ids.tolist(), strict=True)
            for pair, edge in pairs:
                self._between.setdefault(tuple(pair), edge)
        edges = []
        for pair in node_list:
            key = tuple(int(node) for node in pair)
            if key not in self._between:
                raise pipeline_error(f"Invalid edge, there is none from node {key[0]} to node {key[-1]}.")
            edges.append(self._between[key])
        return np.squeeze(np.array(edges, np.int32))

    def graph_info(self):
        """A dict: ``node_type``, ``edge_type``, ``node_feature_type``, ``edge_feature_type`` are sorted
        lists; ``node_num`` and ``edge_num`` are dicts from type to count."""
        return {"node_type": sorted(self._nodes.types), "edge_type": sorted(self._edges.types),
                "node_num": {kind: len(self._nodes.types[kind]) for kind in sorted(self._nodes.types)},
                "edge_num": {kind: len(self._edges.types[kind]) for kind in sorted(self._edges.types)},
                "node_feature_type": sorted(self._nodes.features),
                "edge_feature_type": sorted(self._edges.features)}

    # ---- features ------------------------------------------------------------------------------------------

    def get_node_feature(self, node_list, feature_types):
        """For each feature an array of ``node_list``'s shape and the feature's own; zeros for a node without
        it (and for -1)."""
        return self._nodes.feature(_aligned(node_list, "node_list"), feature_types)

    def get_edge_feature(self, edge_list, feature_types):
        """For each feature an array of ``edge_list``'s shape and the feature's own; zeros for an edge without
        it."""
        return self._edges.feature(_aligned(edge_list, "edge_list"), feature_types)

    # ---- neighbours ----------------------------------------------------------------------------------------

    def _neighbours(self, place: int, kind: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the neighbours of a type, in the order of the edges, and the edges' weights."""
        starts, targets, weights = self._adjacent[kind]
        part = slice(starts[place], starts[place + 1])
        return targets[part], weights[part]

    def _check_neighbour_type(self, kind) -> None:
        if int(kind) not in self._nodes.types:
            raise pipeline_error(f"Invalid neighbor type:{kind}")

    def _check_count(self, count) -> None:
        if not 1 <= count <= len(self._nodes.ids):
            raise pipeline_error(f"Wrong samples number, should be between 1 and {len(self._nodes.ids)}, got "
                                 f"{count}")

    def get_all_neighbors(self, node_list, neighbor_type, output_format=OutputFormat.NORMAL):
        """All neighbours of a type.

        NORMAL: a row per node, the node itself first, filled up with -1. COO: (edges, 2), node and neighbour.
        CSR: two arrays, where in the second each node's neighbours begin, and the neighbours.
        """
        nodes = _numbers(node_list, "node_list")
        type_check(neighbor_type, (int,), "neighbor_type")
        if not isinstance(output_format, OutputFormat):
            raise TypeError(f"Wrong input type for output_format, should be enum of 'OutputFormat', got "
                            f"{type(output_format)}.")
        _not_empty(nodes, "node_list")
        self._check_neighbour_type(neighbor_type)
        found = [self._neighbours(place, neighbor_type)[0] for place in self._nodes.places(nodes)]
        counts = np.array([len(neighbours) for neighbours in found])
        if output_format is OutputFormat.NORMAL:
            table = np.full((len(nodes), 1 + counts.max()), _NONE, np.int32)
            table[:, 0] = nodes
            for row, neighbours in zip(table, found, strict=True):
                row[1:1 + len(neighbours)] = neighbours
            return np.squeeze(table)
        flat = np.concatenate(found).astype(np.int32)
        if output_format is OutputFormat.COO:
            return np.squeeze(np.stack([np.repeat(nodes, counts), flat], 1))
        return (np.cumsum(counts) - counts).astype(np.int32), flat

    def get_sampled_neighbors(self, node_list, neighbor_nums, neighbor_types,
                              strategy=SamplingStrategy.RANDOM):
        """Draw neighbours, neighbours of these, and so on, up to six hops: a row per node that holds the
        node, ``neighbor_nums[0]`` of its neighbours of ``neighbor_types[0]``, ``neighbor_nums[1]`` of each of
        those, ...

        RANDOM draws every neighbour once before any comes again; EDGE_WEIGHT draws with replacement, in
        proportion to the weights. -1 where there is no neighbour.
        """
        nodes = _numbers(node_list, "node_list")
        counts, kinds = _numbers(neighbor_nums, "neighbor_nums"), _numbers(neighbor_types, "neighbor_types")
        for name, value in (("neighbor_nums", counts), ("neighbor_types", kinds)):
            if not 1 <= len(value) <= 6:
                raise ValueError(f"Wrong number of input members for {name}, should be between 1 and 6, got "
                                 f"{len(value)}.")
        if len(counts) != len(kinds):
            raise ValueError("The number of members of neighbor_nums and neighbor_types is inconsistent.")
        if not isinstance(strategy, SamplingStrategy):
            raise TypeError("Wrong input type for strategy, should be enum of 'SamplingStrategy', got "
                            f"{type(strategy)}.")
        _not_empty(nodes, "node_list")
        for count in counts:
            self._check_count(count)
        for kind in kinds:
            self._check_neighbour_type(kind)
        self._nodes.places(nodes)
        hops = [nodes.reshape(-1, 1)]
        for count, kind in zip(counts.tolist(), kinds.tolist(), strict=True):
            drawn = [self._drawn(node, kind, count, strategy) for node in hops[-1].reshape(-1).tolist()]
            hops.append(np.stack(drawn).reshape(len(nodes), -1))
        return np.squeeze(np.concatenate(hops, 1))

    def _drawn(self, node: int, kind: int, count: int, strategy) -> np.ndarray:
        """``count`` neighbours of a node."""
        if node == _NONE:
            return np.full(count, _NONE, np.int32)
        neighbours, weights = self._neighbours(self._nodes.place[node], kind)
        if not len(neighbours):
            return np.full(count, _NONE, np.int32)
        if strategy is SamplingStrategy.EDGE_WEIGHT:
            return self._random.choice(neighbours, count, p=weights / weights.sum())
        rounds = [self._random.permutation(neighbours) for _ in range(-(-count // len(neighbours)))]
        return np.concatenate(rounds)[:count]

    def get_neg_sampled_neighbors(self, node_list, neg_neighbor_num, neg_neighbor_type):
        """Draw nodes of a type that are *not* neighbours: a row per node, the node itself first; -1 where all
        are."""
        nodes = _numbers(node_list, "node_list")
        type_check(neg_neighbor_num, (int,), "neg_neighbor_num")
        type_check(neg_neighbor_type, (int,), "neg_neighbor_type")
        _not_empty(nodes, "node_list")
        self._check_count(neg_neighbor_num)
        self._check_neighbour_type(neg_neighbor_type)
        others = self._nodes.of_type(neg_neighbor_type)
        table = np.full((len(nodes), 1 + neg_neighbor_num), _NONE, np.int32)
        table[:, 0] = nodes
        for row, place in zip(table, self._nodes.places(nodes), strict=True):
            excluded = np.append(self._neighbours(place, neg_neighbor_type)[0], row[0])
            row[1:] = self._not_among(others, excluded, neg_neighbor_num)
        return np.squeeze(table)

    def _not_among(self, others: np.ndarray, excluded: np.ndarray, count: int):
        """``count`` of ``others``, each once before any comes again, without the excluded ones."""
        if 2 * (len(excluded) + count) < len(others):          # few are excluded: draw until it is enough
            barred, drawn = set(excluded.tolist()), {}
            while len(drawn) < count:
                for node in others[self._random.randint(0, len(others), count)].tolist():
                    if node not in barred and len(drawn) < count:
                        drawn[node] = None
            return list(drawn)
        left = others[~np.isin(others, excluded)]
        if not len(left):
            return _NONE
        return np.concatenate([self._random.permutation(left) for _ in range(-(-count // len(left)))])[:count]

    def random_walk(self, target_nodes, meta_path, step_home_param=1.0, step_away_param=1.0, default_node=-1):
        """Walk from each node along the types of ``meta_path``, as node2vec does: a row of 1 + len(meta_path)
        nodes each, filled up with ``default_node`` where a walk ends.

        Where a walk came from ``u``, going back to ``u`` has weight ``1 / step_home_param``, a neighbour of
        ``u`` weight 1, any other node ``1 / step_away_param``.
        """
        nodes, path = _numbers(target_nodes, "target_nodes"), _numbers(meta_path, "meta_path")
        type_check(step_home_param, (float,), "step_home_param")
        type_check(step_away_param, (float,), "step_away_param")
        type_check(default_node, (int,), "default_node")
        check_value(default_node, (-1, INT32_MAX), "default_node")
        _not_empty(nodes, "target_nodes")
        _not_empty(path, "meta_path")
        for kind in path:
            self._check_neighbour_type(kind)
        for name, value in (("step_home_param", step_home_param), ("step_away_param", step_away_param)):
            if value <= 0:
                raise pipeline_error(f"Failed, {name} required greater than 0, got {value}")
        self._nodes.places(nodes)
        walks = np.full((len(nodes), 1 + len(path)), default_node, np.int32)
        for walk, node in zip(walks, nodes.tolist(), strict=True):
            walk[0] = node
            self._walk(walk, path.tolist(), 1 / step_home_param, 1 / step_away_param)
        return np.squeeze(walks)

    def _walk(self, walk: np.ndarray, path: list[int], home: float, away: float) -> None:
        """Fill a row from its second place on."""
        before = None                                    # the node before, and its neighbours
        for step, kind in enumerate(path):
            candidates, _ = self._neighbours(self._nodes.place[int(walk[step])], kind)
            if not len(candidates):
                return
            if before is None or home == away == 1:
                chosen = candidates[self._random.randint(len(candidates))]
            else:
                weights = np.where(np.isin(candidates, before[1]), 1.0, away)
                weights[candidates == before[0]] = home
                chosen = self._random.choice(candidates, p=weights / weights.sum())
            before = walk[step], candidates
            walk[step + 1] = chosen


class _Items:
    """Nodes, or edges: their numbers, types and features."""

    def __init__(self, what: str):
        self.what = what
        self.ids, self.weights = [], []                       # arrays once all are read
        self.place: dict[int, int] = {}                       # number -> where it is in them
        self.types: dict[int, list[int]] = {}
        self.features: dict[int, dict[int, np.ndarray]] = {}  # kind -> place -> value
        self._tables: dict[int, np.ndarray] = {}

    def add(self, row: dict) -> None:
        number = int(row["first_id"])
        place = self.place.setdefault(number, len(self.ids))
        self.types.setdefault(int(row["type"]), []).append(number)
        self.ids.append(number)
        self.weights.append(float(row.get("weight", 1)))
        for kind in np.asarray(row.get(f"{self.what}_feature_index", [])).reshape(-1).tolist():
            if kind >= 0:
                value = np.asarray(row[f"{self.what}_feature_{kind}"]).reshape(-1)
                self.features.setdefault(kind, {})[place] = value

    def close(self) -> _Items:
        self.ids, self.weights = np.array(self.ids, np.int32), np.array(self.weights, np.float32)
        self.types = {kind: np.array(numbers, np.int32) for kind, numbers in self.types.items()}
        return self

    def of_type(self, kind: int) -> np.ndarray:
        if kind not in self.types:
            raise pipeline_error(f"Invalid {self.what} type:{kind}")
        return self.types[kind].copy()

    def places(self, numbers: np.ndarray) -> list[int]:
        """Where these are; RuntimeError for one that is not."""
        try:
            return [self.place[number] for number in numbers.tolist()]
        except KeyError as error:
            raise pipeline_error(f"Invalid {self.what} id:{error.args[0]}") from None

    def _table(self, kind: int) -> np.ndarray:
        """The feature of all of them; the last row, zeros, is for those that are not there."""
        if kind not in self._tables:
            if kind not in self.features:
                raise pipeline_error(f"Invalid feature type:{kind}")
            values = self.features[kind]
            first = next(iter(values.values()))
            table = np.zeros((len(self.ids) + 1, *first.shape), first.dtype)
            for place, value in values.items():
                if value.shape != first.shape:
                    raise pipeline_error(f"Invalid data, {self.what} feature {kind} has {value.size} values "
                                         f"in {self.what} {self.ids[place]}, but {first.size} in others.")
                table[place] = value
            self._tables[kind] = table
        return self._tables[kind]

    def feature(self, numbers: np.ndarray, kinds) -> list[np.ndarray]:
        kinds = _numbers(kinds, "feature_types")
        _not_empty(numbers, f"{self.what}_list")
        _not_empty(kinds, "feature_types")
        flat = numbers.reshape(-1)
        places = np.full(len(flat), -1)
        known = flat != _NONE
        places[known] = self.places(flat[known])
        return [np.squeeze(self._table(kind)[places].reshape(*numbers.shape, -1)) for kind in kinds.tolist()]


def _read(dataset_file: str) -> tuple[_Items, _Items]:
    """The nodes and the edges of a file; of edges, `ends` are the numbers of their nodes."""
    from ...mindrecord import FileReader
    nodes, edges = _Items("node"), _Items("edge")
    edges.ends = []
    reader = FileReader(dataset_file)
    for row in reader.get_next():
        if row.get("attribute") == "n":
            nodes.add(row)
        elif row.get("attribute") == "e":
            edges.add(row)
            edges.ends.append((int(row["second_id"]), int(row["third_id"])))
    reader.close()
    return nodes.close(), edges.close()


def _ends(nodes: _Items, edges: _Items) -> np.ndarray:
    """(edges, 2): where the nodes of the edges are."""
    found = np.zeros((len(edges.ends), 2), np.int64)
    for row, (source, target) in zip(found, edges.ends, strict=True):
        for name, node in (("src_id", source), ("dst_id", target)):
            if node not in nodes.place:
                raise pipeline_error(f"invalid {name}:{node}")
        row[:] = nodes.place[source], nodes.place[target]
    return found


def _adjacency(nodes: _Items, edges: _Items, ends: np.ndarray) -> dict[int, tuple]:
    """By type of the neighbour: where each node's neighbours begin, the neighbours, the edges' weights."""
    types = np.zeros(len(nodes.ids), np.int64)
    for kind, numbers in nodes.types.items():
        types[nodes.places(numbers)] = kind
    found = {}
    for kind in nodes.types:
        chosen = np.flatnonzero(types[ends[:, 1]] == kind)
        chosen = chosen[np.argsort(ends[chosen, 0], kind="stable")]
        counts = np.bincount(ends[chosen, 0], minlength=len(nodes.ids))
        found[kind] = (np.concatenate([[0], np.cumsum(counts)]), nodes.ids[ends[chosen, 1]],
                       edges.weights[chosen])
    return found


def _numbers(values, name: str) -> np.ndarray:
    """A list of ints, or an int32 array, flat."""
    type_check(values, (list, np.ndarray), name)
    if isinstance(values, list):
        type_check_list(values, (int,), name)
    elif values.dtype != np.int32:
        raise TypeError(f"Each member in {name} should be of type int32. Got {values.dtype}.")
    return np.array(values, np.int32).reshape(-1)


def _aligned(values, name: str) -> np.ndarray:
    """A list of ints, nested to any depth, or an int32 array."""
    type_check(values, (list, np.ndarray), name)
    if isinstance(values, list):
        try:
            values = np.array(values)
        except ValueError:
            raise TypeError(f"The lists in {name} should be of one length.") from None
        if values.size and values.dtype.kind != "i":
            raise TypeError(f"Each member in {name} should be of type int. Got {values.dtype}.")
        return values.astype(np.int32)
    if values.dtype != np.int32:
        raise TypeError(f"Each member in {name} should be of type int32. Got {values.dtype}.")
    return values


def _not_empty(values: np.ndarray, name: str) -> None:
    if not values.size:
        raise pipeline_error(f"Input {name} is empty.")
