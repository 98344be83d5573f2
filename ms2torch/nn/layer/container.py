"""Containers of Cells: SequentialCell, CellList, CellDict (``mindspore.nn.layer.container``)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping

import torch

from ms2torch._core import mode
from ms2torch._core.module import speak_tensor
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.index_errors import of_functions
from ms2torch._core.tensor.tensor import Tensor

from ..cell import Cell

__all__ = ["CellDict", "CellList", "SequentialCell"]


def _place(cells: dict) -> tuple[str, int]:
    """What stands before the children's keys in their parameters' names, and how many parts that are.

    A container that sits in a Cell already has renamed parameters (``net.0.weight``): the keys of the first
    two children that have parameters show where its own part of the names begins.
    """
    named = []
    for key, cell in cells.items():
        first = next(cell.get_parameters(), None) if isinstance(cell, Cell) else None
        if first is not None:
            named.append((key, first.name.split(".")))
        if len(named) == 2:
            break
    if not named:
        return "", 0
    key, parts = named[0]
    hits = [i for i, part in enumerate(parts) if part == key]
    sure = [i for i in hits if len(named) == 2 and named[1][1][i:i + 1] == [named[1][0]]]
    at = (sure or hits[-1:] or [0])[0]
    return "".join(part + "." for part in parts[:at]), at


def _rename(cell, prefix: str, depth: int) -> None:
    """Put ``prefix`` in place of the first ``depth + 1`` parts of the names of a child's parameters."""
    if isinstance(cell, Cell):
        for param in cell.get_parameters():
            param.name = prefix + ".".join(param.name.split(".")[depth + 1:])


def _prefixed(cell, prefix: str) -> None:
    if isinstance(cell, Cell):
        cell.update_parameters_name(prefix)
    else:
        speak_tensor(cell)


def _position(count: int, index, owner: str, beyond: bool = False) -> int:
    if not isinstance(index, int):
        raise TypeError(f"For '{owner}', the type of 'index' must be int, but got {type(index).__name__}.")
    if not -count <= index < count + beyond:
        raise IndexError(f"For '{owner}', the value of 'index' must be a number in range [{-count}, {count}"
                         f"{']' if beyond else ')'}, but got {index}.")
    return index if index == count else index % count


def _check_cell(cell, owner: str) -> None:
    if not isinstance(cell, torch.nn.Module):
        raise TypeError(f"For '{owner}', each cell must be subclass of Cell, but got {type(cell).__name__}.")


class _Numbered(Cell):
    """What SequentialCell and CellList share: children under the keys "0", "1", ..."""

    def __len__(self) -> int:
        return len(self._modules)

    def __bool__(self) -> bool:
        return len(self._modules) != 0

    def set_grad(self, flag: bool = True):
        """Mark this container and every child, as MindSpore does."""
        Cell.set_grad(self, flag)
        for cell in self._modules.values():
            if isinstance(cell, Cell):
                cell.set_grad(flag)

    def _delete(self, index) -> list[int]:
        """Take out the child or slice ``index``; gives the positions taken."""
        keys = list(self._modules)
        if isinstance(index, int):
            gone = [_position(len(keys), index, self.cls_name)]
        elif isinstance(index, slice):
            gone = list(range(len(keys)))[index]
        else:
            raise TypeError(self._bad_index.format(self.cls_name, type(index).__name__))
        for i in gone:
            del self._modules[keys[i]]
        return gone

    def _put(self, index: int, cell) -> None:
        """Make room for ``cell`` at position ``index``: later children and their parameters move up by one.
        """
        at = _position(len(self), index, self.cls_name, beyond=True)
        _check_cell(cell, self.cls_name)
        prefix, depth = _place(self._modules)
        for i in range(len(self), at, -1):
            moved = self._modules[str(i - 1)]
            if self._auto_prefix:
                _rename(moved, f"{prefix}{i}.", depth)
            self._modules[str(i)] = moved
        self._modules[str(at)] = cell
        if self._auto_prefix:
            _prefixed(cell, f"{prefix}{at}.")


class SequentialCell(_Numbered):
    """Cells called one after another (``mindspore.nn.SequentialCell``).

    Takes Cells, one list of them, or one OrderedDict of names to Cells. It can be indexed, sliced, appended
    to and deleted from; parameters are named after the position ("0.weight") or the name. TypeError for
    anything else.
    """

    _bad_index = "For '{}', the type of index must be int type or slice type, but got {}"

    def __init__(self, *args) -> None:
        super().__init__()
        cells = args
        if len(args) == 1:
            cells = args[0]
            if isinstance(cells, torch.nn.Module):
                cells = [cells]
            elif not isinstance(cells, (list, OrderedDict)):
                raise TypeError(f"For '{type(self).__name__}', the 'args[0]' must be Cell, list or "
                                f"orderedDict, but got {type(cells).__name__}")
        by_name = isinstance(cells, OrderedDict)
        # Which keys are positions: those follow when children before them go.
        self._is_dynamic_name = [not by_name] * len(cells)
        for name, cell in cells.items() if by_name else enumerate(cells):
            self.insert_child_to_cell(str(name), cell)
            _prefixed(cell, f"{name}.")
        self._refresh()

    def _refresh(self) -> None:
        self.__dict__["cell_list"] = list(self._modules.values())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self.cell_list[_position(len(self), index, self.cls_name)]

    def __setitem__(self, index, cell) -> None:
        _check_cell(cell, self.cls_name)
        prefix, _ = _place(self._modules)
        key = list(self._modules)[_position(len(self), index, self.cls_name)]
        self._modules[key] = cell
        _prefixed(cell, f"{prefix}{key}.")
        self._refresh()

    def __delitem__(self, index) -> None:
        for i in reversed(self._delete(index)):
            del self._is_dynamic_name[i]
        prefix, depth = _place(self._modules)
        left = list(self._modules.items())
        self._modules.clear()
        for i, (key, cell) in enumerate(left):
            if self._is_dynamic_name[i]:
                _rename(cell, f"{prefix}{i}.", depth)
                key = str(i)
            self._modules[key] = cell
        self._refresh()

    def append(self, cell) -> None:
        """Add ``cell`` at the end."""
        _check_cell(cell, self.cls_name)
        prefix, _ = _place(self._modules)
        _prefixed(cell, f"{prefix}{len(self)}.")
        self._is_dynamic_name.append(True)
        self._modules[str(len(self))] = cell
        self._refresh()

    def _insert(self, index: int, cell) -> None:
        self._put(index, cell)
        self._is_dynamic_name.insert(index, True)
        self._refresh()

    def construct(self, input_data):
        for cell in self.cell_list:
            input_data = cell(input_data)
        return input_data


class _CellListBase:
    """A list of Cells; packages ask for it by this name."""


class CellList(_CellListBase, _Numbered):
    """A list of Cells whose parameters belong to the network (``mindspore.nn.CellList``).

    ``CellList(list_of_cells)``; ``auto_prefix=False`` leaves the parameters' names alone. Calling it raises
    NotImplementedError: call its elements.
    """

    __cell_as_list__ = True
    _bad_index = "For '{}', the type of 'index' must be int or slice, but got {}."

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(kwargs.get("auto_prefix", True))
        if len(args) == 1:
            self.extend(args[0])

    def __getitem__(self, index):
        in_a_graph = mode.inside > 0 or graph_streams.here.call is not None
        if isinstance(index, slice):
            # (There the Cells keep their names, which PyNative gives anew.)
            return CellList(list(self._modules.values())[index], auto_prefix=not in_a_graph)
        if isinstance(index, Tensor) and (mode.graph or mode.inside):       # (PyNative takes none)
            if wrong := of_functions(index._t, len(self)):
                raise wrong
            index = int(index)
        if not isinstance(index, int):
            raise TypeError(self._bad_index.format(self.cls_name, type(index).__name__))
        count = len(self)
        if in_a_graph and not -count <= index < count:
            raise IndexError(f"TupleGetItem evaluator index should be in range[-{count}, {count}), but got "
                             f"{index}.")
        return self._modules[str(_position(count, index, self.cls_name))]

    def __setitem__(self, index, cell) -> None:
        _check_cell(cell, self.cls_name)
        index = _position(len(self), index, self.cls_name)
        if self._auto_prefix:
            prefix, _ = _place(self._modules)
            _prefixed(cell, f"{prefix}{index}.")
        self._modules[str(index)] = cell

    def __delitem__(self, index) -> None:
        self._delete(index)
        prefix, depth = _place(self._modules)
        left = list(self._modules.values())
        self._modules.clear()
        for i, cell in enumerate(left):
            if self._auto_prefix:
                _rename(cell, f"{prefix}{i}.", depth)
            self._modules[str(i)] = cell

    def __iter__(self):
        return iter(self._modules.values())

    def __iadd__(self, cells) -> CellList:
        return self.extend(cells)

    def insert(self, index: int, cell) -> None:
        """Put ``cell`` before position ``index``."""
        self._put(index, cell)

    def append(self, cell) -> None:
        """Add ``cell`` at the end."""
        _check_cell(cell, self.cls_name)
        if self._auto_prefix:
            prefix, _ = _place(self._modules)
            _prefixed(cell, f"{prefix}{len(self)}.")
        self._modules[str(len(self))] = cell

    def extend(self, cells: list) -> CellList:
        """Add all of a list of Cells at the end."""
        if not isinstance(cells, list):
            raise TypeError(f"For '{self.cls_name}', the new cells wanted to append should be instance of "
                            f"list, but got {type(cells).__name__}.")
        prefix, _ = _place(self._modules)
        for cell in cells:
            if isinstance(cell, CellDict):
                raise TypeError(f"For '{self.cls_name}', the type of cell can not be CellDict, "
                                f"but got {type(cell).__name__}.")
            _check_cell(cell, self.cls_name)
            if self._auto_prefix:
                _prefixed(cell, f"{prefix}{len(self)}.")
            self._modules[str(len(self))] = cell
        return self

    def construct(self, *inputs):
        raise NotImplementedError


class _CellDictBase:
    """A dict of Cells; packages ask for it by this name."""


class CellDict(_CellDictBase, Cell):
    """A dictionary of Cells whose parameters belong to the network (``mindspore.nn.CellDict``).

    ``CellDict(mapping or iterable of pairs)``. Keys are non-empty strings without a dot that are no
    attributes of Cell; containers are no values. Calling it raises NotImplementedError.
    """

    __cell_as_dict__ = True

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(kwargs.get("auto_prefix", True))
        if len(args) == 1:
            self.update(args[0])

    def __getitem__(self, key: str):
        return self._modules[key]

    def __setitem__(self, key: str, cell) -> None:
        self._check_key(key)
        if cell is None:
            raise TypeError(f"For '{self.cls_name}', cell can not be None.")
        if not isinstance(cell, torch.nn.Module):
            raise TypeError(f"For '{self.cls_name}', the type of cell should be Cell, but got "
                            f"{type(cell).__name__}.")
        if isinstance(cell, (CellDict, CellList, SequentialCell)):
            raise TypeError(f"For '{self.cls_name}', the type of cell can not be CellDict, CellList or "
                            f"SequentialCell, but got {type(cell).__name__}.")
        if self._auto_prefix:
            prefix, _ = _place(self._modules)
            _prefixed(cell, f"{prefix}{key}.")
        self._modules[key] = cell

    def _check_key(self, key) -> None:
        owner = self.cls_name
        if not isinstance(key, str):
            raise TypeError(f"For '{owner}', the type of key should be string but got {type(key).__name__}.")
        if hasattr(self, key) and key not in self._modules:
            raise KeyError(f"For '{owner}', the key can not be same with the attributes of Cell, but got key "
                           f"{key}.")
        if "." in key:
            raise KeyError(f"For '{owner}', key can not contain \".\", but got key {key}")
        if key == "":
            raise KeyError(f"For '{owner}', key can not be empty string \"\", but got key {key}")

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Takes all Cells out."""
        self._modules.clear()

    def pop(self, key: str):
        """Take the Cell under ``key`` out and give it."""
        return self._modules.pop(key)

    def keys(self):
        """The Cells' names."""
        return self._modules.keys()

    def values(self):
        """The Cells."""
        return self._modules.values()

    def items(self):
        """Names and Cells."""
        return self._modules.items()

    def update(self, cells) -> None:
        """Take over the pairs of a mapping, a CellDict or an iterable of (key, Cell)."""
        if not isinstance(cells, Iterable):
            raise TypeError("CellDict.update() should be called with an iterable of key-value pairs, but got "
                            + type(cells).__name__)
        if isinstance(cells, (CellDict, Mapping)):
            for key, cell in cells.items():
                self[key] = cell
            return
        for i, entry in enumerate(cells):
            if not isinstance(entry, Iterable):
                raise TypeError(f"CellDict update sequence element #{i} should be Iterable; but got "
                                f"{type(entry).__name__}")
            if len(entry) != 2:
                raise ValueError(f"CellDict update sequence element #{i}, length should be 2; but has length "
                                 f"{len(entry)}")
            self[entry[0]] = entry[1]

    def construct(self, *inputs):
        raise NotImplementedError
