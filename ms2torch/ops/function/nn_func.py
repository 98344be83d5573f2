"""(``mindspore.ops.function.nn_func``)."""
