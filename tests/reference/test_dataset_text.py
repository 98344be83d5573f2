"""Transforms of text: words, numbers, tokens, offsets."""
import os
import tempfile

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import text
from mindspore.dataset.text import NormalizeForm

from tests.reference.judge import case
from tests.reference.test_dataset_pipeline import said

WORDS = ["a", "b", "##c", "[UNK]"]


def vocab():
    return text.Vocab.from_list(WORDS)


@case
def test_vocab_answers_for_words_and_numbers():
    v = vocab()
    special = text.Vocab.from_list(["a", "b"], ["<p>"], False)
    return [v.tokens_to_ids("zz"), v.tokens_to_ids(["zz", "a"]), v.ids_to_tokens(9), v.ids_to_tokens([0, 9]),
            sorted(v.vocab().items()), sorted(special.vocab().items())]


@case
def test_vocab_gives_one_thing_for_a_list_or_array_of_one():
    v = vocab()
    return [v.tokens_to_ids(["b"]), v.tokens_to_ids(np.array("b")), v.tokens_to_ids(np.array(["b"])), v.tokens_to_ids(np.array("zz")),
            v.tokens_to_ids(np.array(["b", "zz"])), v.tokens_to_ids(np.array([])), v.ids_to_tokens([1]), v.ids_to_tokens(np.array(1)),
            v.ids_to_tokens(np.array([1])), v.ids_to_tokens(np.array(-2)), v.ids_to_tokens(np.array([1, 0]))]


@case(each={"data_type": [ms.int8, ms.bool_, ms.float16, ms.string, "tldr", 3]})
def test_lookup_casts_to_numbers(data_type):
    try:
        return text.Lookup(vocab(), "a", data_type)("b")
    except (RuntimeError, TypeError) as error:
        return type(error).__name__, next(line for line in str(error).splitlines() if "data_type" in line)


@case
def test_vocab_of_a_data_set_is_ordered_by_frequency():
    data = ds.NumpySlicesDataset([["b", "a", "c"], ["c", "a", "d"]], column_names=["w"], shuffle=False)
    made = [text.Vocab.from_dataset(data, "w"), text.Vocab.from_dataset(data, freq_range=(2, 9)),
            text.Vocab.from_dataset(data, top_k=3, special_tokens=["<u>"], special_first=False)]
    return [sorted(v.vocab().items()) for v in made]


@case(raises=True, each={"what": [
    "twice", "both", "a word", "negative", "no number", "no text", "unbuilt", "id", "kind", "no vocab"]})
def test_vocab_refuses(what):
    return {
        "twice": lambda: text.Vocab.from_list(["a", "a"]),
        "both": lambda: text.Vocab.from_list(["a"], ["a"]),
        "a word": lambda: text.Vocab.from_list("a"),
        "negative": lambda: text.Vocab.from_dict({"a": -1}),
        "no number": lambda: text.Vocab.from_dict({"a": "b"}),
        "no text": lambda: text.Vocab.from_dict({1: 1}),
        "unbuilt": lambda: text.Vocab().vocab(),
        "id": lambda: vocab().ids_to_tokens(-1),
        "kind": lambda: vocab().tokens_to_ids(3),
        "no vocab": lambda: len(text.Lookup(None).__dict__),
    }[what]()


COUNTED = {
    "pair": ("w", ()), "one": ("w", (2,)), "no pair": ("w", 2), "fraction": ("w", (2.5, 3)), "falling": ("w", (3, 1)),
    "below": ("w", (-1, 3)), "open": ("w", (2, None)), "few": ("w", None, 1.5), "none": ("w", None, 0),
    "column": (5,), "no column": ("z",), "column twice": (["w", "w"],), "several": (["w", "z"], (1, 2), 3),
    "special": ("w", None, None, ["q", "q"]), "a word": ("w", None, None, "q"), "first": ("w", None, None, ["q"], 1),
}


@case(each={"name": list(COUNTED)})
def test_counting_words(name):
    data = ds.NumpySlicesDataset([["b", "a", "c"], ["c", "a", "d"]], column_names=["w"], shuffle=False)
    return said(lambda: sorted(text.Vocab.from_dataset(data, *COUNTED[name]).vocab().items()))


@case
def test_lookup():
    return [text.Lookup(vocab())(["a", "b"]), text.Lookup(vocab(), "[UNK]")(["zz", "a"]),
            text.Lookup(vocab(), data_type=ms.float32)([["a"], ["b"]])]


@case(raises=True)
def test_lookup_of_an_unknown_word():
    return text.Lookup(vocab())("zz")


@case
def test_runs_of_words():
    return [text.Ngram(2)(["a", "b", "c"]), text.Ngram([1, 2], ("_", 1), ("_", 1), "-")(["a", "b"]),
            text.Ngram(3)(["a"]), text.SlidingWindow(2)([1, 2, 3]), text.SlidingWindow(5)([1, 2])]


@case
def test_lengths():
    return [text.Truncate(1)([[1, 2], [3, 4]]), text.TruncateSequencePair(3)([1, 2, 3], [4, 5]),
            text.TruncateSequencePair(1)(["a", "b"], ["c", "d"]), text.AddToken("T", False)(["a"]),
            text.AddToken("T")([["a", "b"], ["c", "d"]])]


@case
def test_numbers():
    return [text.ToNumber(ms.int8)([["1"], ["-7"]]), text.ToNumber(ms.float32)(["1.5", "-2e3"])]


@case(raises=True)
def test_a_number_that_does_not_fit():
    return text.ToNumber(ms.int8)(["1", "300"])


@case(each={"kind": ["float16", "float32", "float64"]})
def test_numbers_next_to_0(kind):
    words = ("1e-60", "1e-40", "-1e-400", "4e-320", "1e-10", "0.0e-500", "0x1p-149", "1e-38", "1.17549435e-38",
             "2.2250738585072014e-308", "-0", "１", "3 4", "1e")
    return [said(lambda word=word: text.ToNumber(getattr(ms, kind))([word])) for word in words]


@case(raises=True)
def test_a_word_that_is_no_number():
    return text.ToNumber(ms.int8)("a")


LINES = ["  ", "我 爱\t你", "Welcome     To   BeiJing!", "Hi, 北京123 abc!"]


@case(each={"line": LINES})
def test_tokens_and_their_offsets(line):
    return [text.WhitespaceTokenizer(True)(line), text.UnicodeCharTokenizer(True)(line),
            text.UnicodeScriptTokenizer(False, True)(line), text.UnicodeScriptTokenizer(True, True)(line),
            text.RegexTokenizer("[ ,]+", ",.*", True)(line)]


@case(each={"line": ["Welcome     To   BeiJing!", "a[UNK]b, 世界[CLS]", "Naïve Café"], "keep": [False, True],
            "unused": [False, True]})
def test_basic_tokenizer(line, keep, unused):
    return [text.BasicTokenizer(False, keep, NormalizeForm.NONE, unused, True)(line),
            text.BasicTokenizer(False, keep, NormalizeForm.NFD, unused)(line)]


@case(each={"line": ["Héllo WÖRLD", "Hi  b"]})
def test_basic_tokenizer_in_lower_case(line):
    return text.BasicTokenizer(True, True)(line)


@case
def test_pieces_of_words():
    return [text.WordpieceTokenizer(vocab())("abc"), text.WordpieceTokenizer(vocab(), "##", 100, "")("xx"),
            text.WordpieceTokenizer(vocab(), with_offsets=True)(["ac", "b"]),
            text.WordpieceTokenizer(vocab(), max_bytes_per_token=1)("ac"),
            text.BertTokenizer(vocab())("a ac [UNK]b"),
            text.BertTokenizer(vocab(), with_offsets=True)("a  ac")]


@case
def test_changed_text():
    return [text.CaseFold()(["ÀSS ß", "B"]), text.NormalizeUTF8()("ﬁ"),
            text.NormalizeUTF8(NormalizeForm.NFD)("é"),
            text.RegexReplace("a", "b", False)("aaa"), text.RegexReplace("(a)", "[$1]")("ab"),
            text.FilterWikipediaXML()("<a>1 B[[x]] é")]


@case
def test_in_a_pipeline_with_several_columns():
    data = ds.NumpySlicesDataset(["a b", "c"], column_names=["line"], shuffle=False)
    data = data.map(text.WhitespaceTokenizer(True), ["line"], ["words", "start", "end"])
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


@case
def test_bytes_and_strings():
    return [text.to_str(np.array([b"a"])), text.to_bytes(np.array(["a"])).dtype.str]


@case(raises=True)
def test_a_python_tokenizer_needs_a_function():
    return text.PythonTokenizer(1)


ON_STRINGS = {
    "BasicTokenizer": text.BasicTokenizer, "CaseFold": text.CaseFold,
    "FilterWikipediaXML": text.FilterWikipediaXML, "Ngram": lambda: text.Ngram([3]),
    "NormalizeUTF8": text.NormalizeUTF8, "RegexReplace": lambda: text.RegexReplace("a", "b"),
    "RegexTokenizer": lambda: text.RegexTokenizer("a"), "ToNumber": lambda: text.ToNumber(ms.int8),
    "UnicodeCharTokenizer": text.UnicodeCharTokenizer, "UnicodeScriptTokenizer": text.UnicodeScriptTokenizer,
    "WhitespaceTokenizer": text.WhitespaceTokenizer, "Lookup": lambda: text.Lookup(vocab(), "a"),
    "WordpieceTokenizer": lambda: text.WordpieceTokenizer(vocab()),
    "BertTokenizer": lambda: text.BertTokenizer(vocab()),
}


@case(each={"name": list(ON_STRINGS), "given": [b"ab", 1]})
def test_what_is_no_string(name, given):
    return told(lambda: ON_STRINGS[name]()(given))


@case(each={"name": [
    "BasicTokenizer", "UnicodeCharTokenizer", "UnicodeScriptTokenizer", "RegexTokenizer", "WordpieceTokenizer"]})
def test_strings_of_too_many_dimensions(name):
    return told(lambda: ON_STRINGS[name]()(np.array([["a b"]])))


@case
def test_one_row_where_two_are_cut():
    return told(lambda: text.TruncateSequencePair(1)(np.ones(3)))


PATTERNS = [r"\p{Ll}", r"\p{Cc}|\p{Cf}|\s+", r"\p{L}+", r"\p{Han}", r"[\p{P}|\p{S}]+", r"\P{L}", r"[^\p{L}]", r"\p{N}",
            r"[\P{L}]", r"\p{Script=Greek}", r"[a\]\p{Lu}]"]


@case(each={"pattern": PATTERNS})
def test_properties_of_characters(pattern):
    given = "Hello 12￥+36, 北京!\tαβ_é]"
    return text.RegexReplace(pattern, "_")(np.array(given)), text.RegexTokenizer(pattern, pattern)(given)


def told(make):
    """What it gives, or the line that names the fault."""
    try:
        return make()
    except RuntimeError as error:
        return next(line for line in str(error).splitlines() if "[ERROR]" in line)


@case(each={"pattern": ["(", r"\pL", r"\p{^L}", r"\p{Nonsense}"]})
def test_a_pattern_that_is_none(pattern):
    return told(lambda: text.RegexReplace(pattern, "a")("ab")), told(lambda: text.RegexTokenizer(pattern)("ab"))


@case(each={"unknown": ["[UNK]", ""], "most": [100, 4]})
def test_offsets_of_unknown_words(unknown, most):
    known = text.Vocab.from_list(["favor", "##ite", "my", "[UNK]"])
    arguments = {"unknown_token": unknown, "max_bytes_per_token": most, "with_offsets": True}
    return (text.WordpieceTokenizer(known, **arguments)(np.array(["my", "favorx", "favorite", "what"])),
            text.BertTokenizer(known, **arguments)("my favorx favorite what"))


def vectors(kind, lines, name="v.txt"):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(lines)
        return kind.from_file(os.path.join(folder, name))


@case
def test_vectors_of_several_words():
    made = text.ToVectors(vectors(text.Vectors, "ok 1 2 3\nmy 4 5 6\n"))
    return made(np.array(["ok", "my", "no"])), made(np.array(["ok"])), made("my"), made(np.array([["my"], ["ok"]]))


@case(each={"given": [1.0, b"ok"]})
def test_vectors_of_no_string(given):
    return told(lambda: text.ToVectors(vectors(text.Vectors, "ok 1 2\n"))(given))


@case(each={"lines": ["ok 1 2\nmy 1\n", "ok 1\nmy 1 2\n", "ok 1 2\nmy 1 2 3\n", ""]})
def test_files_of_vectors_that_do_not_fit(lines):
    return told(lambda: text.ToVectors(vectors(text.Vectors, lines))("my"))


@case(each={"kind": [text.Vectors, text.CharNGram, text.FastText, text.GloVe]})
def test_vectors_that_are_not_there(kind):
    return told(lambda: kind.from_file("not_there.txt"))
