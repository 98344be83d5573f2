"""(``mindspore.ops.function.random_func``)."""
