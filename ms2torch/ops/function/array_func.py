"""(``mindspore.ops.function.array_func``)."""
