"""Names for Cells and Parameters; Tensors in nested arguments."""

from __future__ import annotations


def map_tensors(value, kind, function, counter=None):
    """``value`` with ``function(tensor, index)`` in place of each Tensor of type ``kind``, nested or not."""
    counter = [0] if counter is None else counter
    if isinstance(value, kind):
        counter[0] += 1
        return function(value, counter[0] - 1)
    if type(value).__name__ == "PackedSequence":
        return _map_packed(value, lambda padded: map_tensors(padded, kind, function, counter))
    if type(value) in (tuple, list):
        return type(value)([map_tensors(v, kind, function, counter) for v in value])
    if type(value) is dict:
        return {k: map_tensors(v, kind, function, counter) for k, v in value.items()}
    return value


def _map_packed(value, function):
    """PyTorch's sequences of several lengths, with ``function(rows)`` in place of the padded rows, which is
    what MindSpore has there."""
    from torch.nn.utils import rnn

    rows, lengths = rnn.pad_packed_sequence(value, batch_first=True)
    return rnn.pack_padded_sequence(function(rows), lengths, batch_first=True, enforce_sorted=False)


def layer_of(parameter):
    """The name of a Parameter without its last part."""
    return parameter.rpartition(".")[0]


class Names:
    """One name for each Cell and Parameter: its path in the tree of the first root it was seen under. The
    root's class goes in front of a name that another tree has taken, with a number from the second on."""

    def __init__(self):
        self.by_id, self.taken, self.kept = {}, set(), []

    def taken_layers(self, names):
        """The layers of these Parameters of a new root that go by the name of another root's layer: none of
        their Parameters may count among those, though it have a name of its own."""
        taken = {layer_of(name) for name in self.taken}
        return {layer_of(name) for name in names} & taken - {""}

    def assign(self, thing, name, root, apart=False):
        """The name of ``thing``, and whether it is new. ``apart``: the root's class goes in front of it."""
        known = self.by_id.get(id(thing))
        # A root by itself until now (called for its output's shape, say) takes its place in the network.
        if known is not None and (known != type(thing).__name__ or name in (known, root)):
            return known, False
        choice, count = name, 1
        if (apart or choice in self.taken) and root != name:
            choice = root + "." + name
        while choice in self.taken:
            count += 1
            choice = "%s#%d.%s" % (root, count, name) if root != name else "%s#%d" % (name, count)
        self.by_id[id(thing)] = choice
        self.taken.add(choice)
        self.kept.append(thing)
        return choice, True

    def of(self, thing):
        """The name given before, or None."""
        return self.by_id.get(id(thing))
