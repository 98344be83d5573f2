"""What names meant in which release: a row for every name whose meaning changed.

Code asks by the name: ``old("mindspore.ops.split")``, where it is about to choose. A generation is chosen
by ``--api`` (see ``generation``); without one, a call that says by its arguments which meaning it wants gets
it, and the rest follows 2.10. ``--check`` reads the rows too.
"""

from __future__ import annotations

from typing import NamedTuple

from ms2torch._naming import generation


class Change(NamedTuple):
    """One change of meaning: the first release with the new one, both meanings, and the calls concerned.

    ``when`` is a condition in the terms of ``--check``: arguments that make a call ambiguous (``axis``,
    ``(2)`` for two positional ones, ``(1:2)`` for one or two, ``-mode`` for one not given, ``-p&-axis`` for
    neither); empty where ``--check`` is silent. ``first`` is the release that brought the old meaning.
    """

    release: tuple[int, int]
    before: str
    since: str
    when: str = ""
    first: tuple[int, int] = (1, 0)


CHANGES = {
    "mindspore.set_context": Change(
        (2, 0), "the default mode is GRAPH_MODE, from 1.3 on", "it is PYNATIVE_MODE", "-mode", first=(1, 3)),
    "mindspore.context.GRAPH_MODE": Change(
        (2, 0), "a graph reads a name that a constant decided was bound",
        "a name that one branch binds is unbound after it"),
    "mindspore.jit": Change(      # 2.7 and 2.8 were measured
        (2, 8), "x += y in a graph gives the name x a new Tensor",
        "it changes the Tensor, under all its names"),
    "mindspore.dataset.MindDataset": Change(
        (2, 0), "a column of bytes is an array of uint8", "it is an array of one bytes object"),
    "mindspore.nn.Dense": Change(             # 2.0.0 was measured
        (2, 1), "without initializers the weight starts from Normal(0.01) and the bias from 0",
        "both start from HeUniform's bound", "-weight_init"),
    "mindspore.nn.Conv2d": Change(            # 2.0.0 was measured
        (2, 1), "without initializers the weight starts from Normal(0.01) and the bias from 0",
        "both start from HeUniform's bound", "-weight_init"),
    "mindspore.nn.Conv2dTranspose": Change(
        (2, 0), "no output_padding stands between padding and dilation", "one does", "(7)"),
    "mindspore.nn.Dropout": Change(           # 1.0.0 and 2.0.0 were measured
        (2, 0), "Dropout(keep_prob, dtype)", "Dropout(keep_prob, p, dtype)"),
    "mindspore.nn.Cell.__repr__": Change(     # 1.0.0, 2.0.0 and 2.7.0 were measured
        (2, 3), "a layer is shown as Dense<...>", "as Dense(...)"),
    "mindspore.nn.LSTMCell": Change(
        (1, 6), "a layer over (x, h, c, w) with packed weights", "one step over (x, (h, c))", "(4)"),
    "mindspore.nn.Optimizer.get_lr": Change(  # 2.0.0 and 2.7.0 were measured
        (2, 1), "counts the step", "leaves the count to construct"),
    "mindspore.nn.Optimizer.weight_decay": Change(
        (1, 7), "a number", "a Tensor"),
    "mindspore.load_param_into_net": Change(
        (2, 0), "gives the names that were not loaded", "gives those of the dict that were not used too"),
    "mindspore.nn.BCELoss": Change(
        (2, 0), "the reduction is 'none' by default", "it is 'mean'", "(0:1)&-reduction"),
    "mindspore.ops.Equal": Change(            # 2.0.0, 2.7, 2.8 and 2.9 were measured
        (2, 9), "Equal and Less take a number first", "they refuse one"),
    "mindspore.ops.avg_pool2d": Change(
        (2, 0), "avg_pool2d(x, kernel_size, strides, pad_mode)",
        "avg_pool2d(input_x, kernel_size, stride, padding)", "(4:5)"),
    "mindspore.ops.conv2d": Change(
        (2, 0), "conv2d(inputs, weight, pad_mode, padding, stride, dilation, group)",
        "conv2d(input, weight, bias, stride, pad_mode, padding, dilation, groups)", "(4:7)"),
    "mindspore.ops.interpolate": Change(
        (2, 0), "interpolate(x, roi, scales, sizes, coordinate_transformation_mode, mode)",
        "interpolate(input, size, scale_factor, mode, align_corners)", "(4:6)"),
    "mindspore.ops.grad": Change(
        (2, 0), "grad(fn, grad_position, sens_param)", "grad(fn, grad_position, weights)"),
    "mindspore.ops.vjp": Change(
        (2, 0), "vjp(fn, inputs, v) gives the output and the gradients",
        "vjp(fn, *inputs) the output and a function of v"),
    "mindspore.ops.MaxPool": Change(          # 1.0.0 was measured; 1.1.1 has the later names
        (1, 2), "MaxPool, AvgPool and MaxPoolWithArgmax say ksize and padding",
        "they say kernel_size and pad_mode"),
    "mindspore.ops.IsInstance": Change(       # 1.0.0 was measured
        (1, 1), "Python's ints count as Int32", "they count as Int64"),
    "mindspore.ops.Roll": Change(             # 2.0.0 and 2.7.0 were measured
        (2, 3), "Roll(shift, axis)", "Roll(shifts, dims)"),
    "mindspore.ops.dropout": Change(
        (2, 0), "dropout(x, p, seed0, seed1) gives the mask too",
        "dropout(input, p, training) gives its output alone", "-training&-seed&-seed0&-seed1"),
    "mindspore.ops.div": Change(              # (what says 2.3: 2.0.0 and 2.7.0 were measured)
        (2, 3), "integers divide to integers, cut off towards zero, with / too", "they divide to Float32"),
    "mindspore.ops.clamp": Change(            # 2.7, 2.8 and 2.9 were measured
        (2, 9), "integers keep their dtype beside limits of floats", "they become Float32"),
    "mindspore.ops.clip": Change(             # 2.0.0 and 2.7.0 were measured
        (2, 3), "clip and clamp give one half of the gradient at a limit", "they give the whole"),
    "mindspore.ops.cumprod": Change(          # 2.0.0, 2.7, 2.8, 2.9 and 2.10 were measured
        (2, 10), "integers keep their dtype", "they become Int64"),
    "mindspore.ops.range": Change(            # 2.0.0 and 2.7.0 were measured
        (2, 3), "range of Int32 Tensors is Int32", "it is Int64"),
    "mindspore.ops.ArgMaxWithValue": Change(  # 2.0.0 and 2.7.0 were measured
        (2, 3), "the indices of max, min and ArgMaxWithValue are Int32", "they are Int64"),
    "mindspore.ops.unique_consecutive": Change(
        (2, 3), "the inverse and the counts are Int32", "they are Int64"),
    "mindspore.ops.histc": Change(
        (2, 3), "counts of Int32", "counts of the input's dtype"),
    "mindspore.ops.max": Change(
        (2, 0), "max(x, axis=0) gives indices and values", "max(input, axis=None) gives values and indices",
        "-keepdims&-keep_dims"),
    "mindspore.ops.min": Change(
        (2, 0), "min(x, axis=0) gives indices and values", "min(input, axis=None) gives values and indices",
        "-keepdims&-keep_dims"),
    "mindspore.ops.mul": Change(              # 2.7 and 2.8 were measured
        (2, 8), "in products a Tensor of rank 0 counts for the dtype",
        "beside a Tensor with axes of its kind it does not"),
    "mindspore.ops.Div": Change(              # 2.8 and 2.9 were measured
        (2, 9), "in quotients a Tensor of rank 0 counts for the dtype",
        "beside a Tensor with axes of its kind it does not"),
    "mindspore.ops.norm": Change(
        (2, 0), "norm(x, axis, p=2) of the elements along those axes", "norm(A, ord, dim), as numpy's",
        "(2)&-p&-keep_dims&-axis&-dim"),
    "mindspore.ops.pad": Change(
        (2, 0), "paddings are pairs, one for each axis", "padding runs from the last axis, as in torch"),
    "mindspore.ops.split": Change(
        (2, 0), "split(x, axis, output_num) cuts into equal parts",
        "split(x, size, axis) into parts of that size", "output_num,(2:3)&-axis"),
    "mindspore.ops.std": Change(
        (2, 0), "std(x, axis, unbiased=True) gives it and the mean, with divisor N - 1",
        "std(input, axis, ddof=0) gives it alone", "-ddof&-keepdims&-unbiased&-keep_dims"),
    "mindspore.ops.scalar_cast": Change(
        (2, 3), "to every number's dtype", "to int64, float64 and bool alone"),
    "mindspore.ops.sum": Change(
        (2, 3), "sums and products of integers keep the dtype, sums of bools give Int32", "they give Int64"),
    "mindspore.ops.where": Change(
        (2, 3), "a number takes the Tensor's dtype", "a float beside integers gives Float32"),
    "mindspore.Parameter.clone": Change(      # 1.0.0 and 2.0.0 were measured
        (1, 2), "clone(prefix, init='same')", "clone(init='same')"),
    "mindspore.RowTensor": Change(            # 1.0.0 and 2.0.0 were measured
        (2, 0), "RowTensor and SparseTensor say dense_shape", "they say shape"),
    "mindspore.Tensor": Change(               # 1.0.0 was measured, 1.6 documents it
        (1, 7), "Python's floats make Float64", "they make Float32"),
    "mindspore.Tensor.size": Change(          # 1.0.0 was measured
        (1, 1), "a method: x.size()", "a number"),
    "mindspore.Parameter.data": Change(      # 2.7 and 2.8 were measured
        (2, 8), "the Parameter itself", "a Tensor over its memory, which has no set_data"),
    "mindspore.Tensor.bernoulli": Change(     # 2.0.0 and 2.7.0 were measured
        (2, 3), "bernoulli(p=0.5, seed=None) draws with p", "bernoulli() with the elements"),
    "mindspore.Tensor.grad": Change(          # 2.0.0 and 2.7.0 were measured
        (2, 6), "None until a program sets it, as grad_fn", "no such attribute", first=(2, 1)),
    "mindspore.Tensor.item": Change(          # 2.0.0 and 2.7.0 were measured
        (2, 3), "item(index) gives a Tensor of rank 0", "item() gives a number and takes no index",
        "(1),index"),
    "mindspore.Tensor.max": Change(
        (2, 5), "max(axis) and min(axis) give values", "max(dim) and min(dim) give values and indices",
        "(1:2)"),
    "mindspore.Tensor.median": Change(
        (2, 0), "median(global_median=False, axis=0)", "median(axis=-1)",
        "-axis&-dim&-global_median&-keep_dims"),
    "mindspore.Tensor.repeat": Change(
        (2, 5), "repeat(counts, axis) repeats each element, as numpy's",
        "repeat(*counts) the whole, as torch's", "(1:2)"),
    "mindspore.Tensor.view": Change(          # 2.0.0 and 2.7.0 were measured
        (2, 3), "a reshaped, transposed or split Tensor has memory of its own: x[0] = 1 leaves it",
        "it sees what is written into the other"),
    "mindspore.Tensor.split": Change(
        (2, 0), "split(axis, output_num) cuts into equal parts", "split(size, axis) into parts of that size",
        "output_num,(1:2)&-axis"),
}

# What an earlier release did otherwise and --api does not follow: the first release with what is done here,
# what came before (each measured on a real release), and why it stays away.
LEFT_OUT = {
    "mindspore.Model.train": Change(
        (2, 0), "dataset_sink_mode is True by default",
        "no number depends on it: without a queue to a device each step is its own"),
    "mindspore.Parameter.reshape": Change(
        (2, 3), "a copy that an optimizer's step does not reach",
        "optimizers write in place, for views too: say p.value() for a copy"),
    "mindspore.common.set_seed": Change(
        (1, 1), "without it every run, and layers of one shape, start from the same weights",
        "a seed that nobody chose is no choice: call set_seed"),
    "mindspore.dataset.Dataset.create_dict_iterator": Change(
        (2, 3), "do_copy is True by default", "a row is the program's own either way"),
    "mindspore.nn.BatchNorm2d": Change(
        (2, 3), "on the CPU the running variance is that of the batch, divided by N",
        "by N - 1, as on the devices on which programs trained, and everywhere since"),
    "mindspore.ops.logsumexp": Change(
        (2, 3), "of the axes () it keeps all axes", "a slip: without keep_dims no axis stays"),
    "mindspore.ops.matmul": Change(
        (2, 3), "products of int8, sums of bools, exp and sqrt of int32 are refused", "they are computed"),
    "mindspore.ops.prod": Change(
        (2, 3), "the gradient of a product with a factor 0 is of ones", "it is the derivative"),
}


# What operators and dtypes mean by the release, which a translation to PyTorch does not write.
OPERATORS = ("mindspore.ops.div", "mindspore.ops.Div", "mindspore.ops.mul", "mindspore.ops.sum",
             "mindspore.ops.where", "mindspore.ops.clip", "mindspore.ops.clamp", "mindspore.Tensor",
             "mindspore.Tensor.view")


def untranslated(release: str) -> list[str]:
    """The meanings that operators have in ``release``, and that a translation does not write, in words."""
    asked = generation.parse(release)
    return [CHANGES[name].before for name in OPERATORS
            if CHANGES[name].first <= asked < CHANGES[name].release]


def has_old_meaning(name: str) -> bool:
    """True where a generation was chosen that is older than the change of ``name``."""
    change = CHANGES[name]
    return generation.is_before(*change.release) and not generation.is_before(*change.first)


def has_new_meaning(name: str) -> bool:
    """True where a generation with the new meaning of ``name`` was chosen: the old one is an error then."""
    return generation.is_set() and not has_old_meaning(name)
