"""scripts/verify_document.py: what it reads from a page, what it lets pass, what it catches."""
import json

import pytest

from scripts import verify_document as verify

PAGE = """# Gradients

```python
import mindspore as ms
x = ms.Tensor([1.0, 2.0], ms.float32)
print("grad", ms.grad(lambda v: v * v)(x))
```

Output:

```text
grad [2. 4.]
```

```python
print(ms.grad(lambda v: v * v * v)(x))
# [ 3. 12.]
```

```python
y = x + 1
```
"""


def write(folder, text, name="page.md"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def results(capsys):
    lines = capsys.readouterr().out.splitlines()
    return [line[26:45].strip() for line in lines[1:-1]]


def test_a_true_page_passes(tmp_path, capsys):
    assert verify.main([write(tmp_path, PAGE)]) == 0
    assert results(capsys) == ["match", "match", "nothing documented"]


@pytest.mark.parametrize(("true", "planted"), [("[2. 4.]", "[2. 4.01]"), ("[ 3. 12.]", "[ 3. 13.]"),
                                               ("grad [2. 4.]", "grads [2. 4.]"), ("[2. 4.]", "[[2. 4.]]"),
                                               ("[2. 4.]", "[2. 4. 6.]"), ("[2. 4.]", "[2 4]")])
def test_a_planted_mistake_is_caught(tmp_path, capsys, true, planted):
    assert verify.main([write(tmp_path, PAGE.replace(true, planted))]) == 1
    assert "differs" in results(capsys)


def test_a_block_that_raises_is_an_error_with_its_line(tmp_path, capsys):
    page = "```python\na = 1\nb = a + unknown\n```\n"
    assert verify.main([write(tmp_path, page)]) == 1
    assert "NameError: name 'unknown' is not defined (line 2)" in capsys.readouterr().out


def test_a_documented_exception_is_a_match(tmp_path, capsys):
    page = ("```python\nprint('before')\nraise ValueError('these words')\n```\n\n"
            "```text\nbefore\nValueError: these words\n```\n")
    assert verify.main([write(tmp_path, page)]) == 0
    assert verify.main([write(tmp_path, page.replace("ValueError: these", "ValueError: other"))]) == 1


def test_a_missing_third_party_module_is_skipped_by_name(tmp_path, capsys):
    assert verify.main([write(tmp_path, "```python\nimport no_such_package_here\n```\n")]) == 0
    assert "skipped            needs the module no_such_package_here" in capsys.readouterr().out


def test_a_missing_mindspore_module_is_an_error(tmp_path):
    assert verify.main([write(tmp_path, "```python\nimport mindspore.no_such_module\n```\n")]) == 1


def test_blocks_share_one_main_namespace(tmp_path):
    page = ("```python\nvalue = 3\n```\n\n"
            "```python\nif __name__ == '__main__':\n    print(value)\n```\n\n```text\n3\n```\n")
    assert verify.main([write(tmp_path, page)]) == 0


def test_notebook_cells_outputs_and_markdown_fences(tmp_path, capsys):
    cells = [{"cell_type": "markdown", "source": ["# Title\n", "\n", "```python\n", "a = 2\n", "```\n"]},
             {"cell_type": "code", "source": ["print(a)\n", "a * 3"],
              "outputs": [{"output_type": "stream", "name": "stdout", "text": ["2\n"]},
                          {"output_type": "execute_result", "data": {"text/plain": ["6"]}}]}]
    page = write(tmp_path, json.dumps({"cells": cells}), "page.ipynb")
    assert verify.main([page]) == 0
    assert results(capsys) == ["nothing documented", "match"]


def test_in_a_table_outputs_belong_to_fences_in_order():
    fence = "```{}\n{}\n```\n"
    page = "<table>\n" + fence.format("python", "left") + fence.format("python", "right") + \
        fence.format("text", "1") + fence.format("text", "2") + "</table>\n"
    assert [(b.source, b.documented) for b in verify.blocks_of(page)] == [("left", "1"), ("right", "2")]


def test_an_announced_python_fence_is_an_output():
    page = ("```python\nprint(1)\n```\n\n输出如下:\n\n```python\n1\n```\n\n"
            "More:\n\n```python\nb = 2\n```\n")
    assert [(b.source, b.documented) for b in verify.blocks_of(page)] == [("print(1)", "1"), ("b = 2", None)]


@pytest.mark.parametrize(("documented", "printed"), [
    ("[4.00000000e+000]", "[ 4.00000000e+00]"), ("0.33333", "0.333334"), ("loss 1.4142", "loss 1.41425"),
    ("1.234", "1.235"),
    ("nan inf -inf", "nan inf -inf"), ("-0.", "0."), ("a\nb", "a b")])
def test_numbers_and_spacing_that_are_the_same(documented, printed):
    assert verify.difference(documented, printed) is None


@pytest.mark.parametrize(("documented", "printed"), [
    ("1.000", "1.002"), ("3", "3.0"), ("3", "4"), ("nan", "1.0"), ("inf", "-inf"), ("[1.0]", "1.0"),
    ("a", "b"), ("1.0", "1.0 2.0"), ("-1.0", "1.0"), ("2.1", "2.14"), ("1.234", "1.237"), ("1e-3", "1e-4")])
def test_numbers_and_words_that_are_not(documented, printed):
    assert verify.difference(documented, printed)


def test_where_it_differs_is_said():
    assert verify.difference("a 1.0\nb 2.0", "a 1.0\nb 2.5") == "line 2: documented 2.0, printed 2.5"


LOSSES = "epoch: 1 loss 2.3\nepoch: 2 loss 0.5"


@pytest.mark.parametrize(("printed", "found"), [
    ("epoch: 1 loss 2.1\nepoch: 2 loss 1.9", None), ("epoch: 1 loss 2.1\nepoch: 2 loss 2.2", "does not fall"),
    ("epoch: 1 loss 2.1\nepoch: 2 loss nan", "line 2"), ("epoch: 1 loss 2.1", "only documented"),
    ("epoch: 1 loss 2.1\nepoch: 3 loss 1.9", "line 2"),
    ("epoch: 1 loss 2.1 epoch: 2 loss 1.9", "number of lines")])
def test_random_outputs_have_the_form_and_fall(printed, found):
    answer = verify.difference(LOSSES, printed, random=True)
    assert answer is None if found is None else found in answer


def test_sidecar_corrects_skips_and_relaxes(tmp_path, capsys):
    page = write(tmp_path, "```python\nbroken(\n```\n\n```python\nprint(wrong)\n```\n\n```text\n7\n```\n\n"
                           "```python\nno\n```\n")
    sidecar = {"blocks": {"1": {"corrected": "closed", "source": ["broken = 7"]},
                          "2": {"corrected": "its name", "edits": [["wrong", "broken"]]},
                          "3": {"skip": "prose"}}}
    assert verify.main([page, "--sidecar", write(tmp_path, json.dumps(sidecar), "page.json")]) == 0
    out = capsys.readouterr().out
    assert "corrected: closed" in out and "corrected: its name" in out and "skipped            prose" in out


def test_lines_that_the_page_leaves_out_are_named(tmp_path, capsys):
    page = write(tmp_path, "```python\nprint('== start ==')\nprint(7)\n```\n\n```text\n7\n```\n")
    sidecar = write(tmp_path, json.dumps({"blocks": {"1": {"undocumented": ["start"]}}}), "page.json")
    assert verify.main([page]) == 1
    assert verify.main([page, "--sidecar", sidecar]) == 0


@pytest.mark.parametrize("blocks", [{"9": {"skip": "x"}},
                                    {"1": {"corrected": "x", "edits": [["absent", "x"]]}}])
def test_a_sidecar_that_does_not_fit_is_refused(tmp_path, capsys, blocks):
    page = write(tmp_path, "```python\na = 1\n```\n")
    assert verify.main([page, "--sidecar", write(tmp_path, json.dumps({"blocks": blocks}), "s.json")]) == 2


def test_a_missing_page_is_one_line(tmp_path, capsys):
    assert verify.main([str(tmp_path / "nothing.md")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
