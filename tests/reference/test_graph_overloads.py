"""What a graph says to calls of Tensor methods that fit none of their forms."""
import mindspore as ms

from tests.reference.judge import case

CALLS = """
x.add(x, 1)
Tensor.add(x)
x.clamp(min=1, max_value=10)
x.clamp(1, [1], 1)
x.div(x, rounding_mode="floor", mode="floor")
x.roll(shifts=2, dims=1.1)
x.max(a=1, b=2)
x.max(1, [1])
x.max(0, 1, initial=None)
x.max(0, True, initial=[1])
x.max(1, True, il=2)
x.max([1, "2", (1, 2), [1, "3"]], (1, "2"))
x.abs(1)
x.abs(a=1)
x.less()
x.less("1")
x.masked_fill(x, "a")
x.squeeze("a")
x.index_select(0)
x.expand_as(1)
x.atan2(1, 2)
x.split(1.5)
x.reshape(1, 1.1)
x.view(1.1)
x.repeat(1, 1.1)
""".strip().splitlines()


@case(mode="GRAPH")
def test_words():
    import importlib
    import sys
    import tempfile
    from pathlib import Path

    x, said = ms.Tensor([2.0]), []
    with tempfile.TemporaryDirectory() as place:
        text = "\n".join(f"@ms.jit\ndef f{k}(x):\n    return {call}\n" for k, call in enumerate(CALLS))
        Path(place, "graph_overloads.py").write_text(f"import mindspore as ms\nfrom mindspore import Tensor\n{text}")
        sys.path.insert(0, place)
        try:
            functions = importlib.import_module("graph_overloads")
            for k in range(len(CALLS)):
                try:
                    getattr(functions, f"f{k}")(x)
                    said.append("no error")
                except TypeError as error:
                    said.append(str(error).partition("\n---")[0].strip())
        finally:
            sys.path.remove(place)
            sys.modules.pop("graph_overloads", None)
    return said
