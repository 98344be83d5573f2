"""Private helpers of operators (``mindspore.ops._utils``)."""
