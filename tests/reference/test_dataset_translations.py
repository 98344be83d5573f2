"""Published translations and vectors of words, small ones of their layout: rows, their order, usages, bad input."""

import shutil

import mindspore.dataset as ds
from mindspore.dataset import text

from tests.reference.judge import case
from tests.reference.test_dataset_annotated import read, written
from tests.reference.test_dataset_recordings import quiet
from tests.reference.test_mindrecord import said


def multi30k(usage=None, pair=None, **arguments):
    for folder, stem in (("training", "train"), ("validation", "val"), ("mmt16_task1_test", "test")):
        for language in ("en", "de"):
            written(f"f/{folder}/{stem}.{language}", f"{language} {stem} one.\n\n{language} two \n")
    written("f/mmt16_task1_test/val.en", "other\n")
    written("f/mmt16_task1_test/val.de", "andere\n")
    return read(ds.Multi30kDataset("f", usage, pair, **quiet(arguments)))


@case(each={"usage": ["train", "valid", "test", "all", None, "x"],
            "pair": [None, ["de", "en"], ("en", "de")]})
def test_multi30k(usage, pair):
    return said(lambda: multi30k(usage, pair))


@case(each={"pair": [["en", "fr"], "en", ["en"], [1, 2], ["en", "en"]]})
def test_multi30k_pairs(pair):
    return said(lambda: multi30k("train", pair))


def talk(language, name):
    return ("<?xml version=\"1.0\"?>\n<mteval><refset setid=\"x\"><doc docid=\"1\"><talkid>7</talkid>\n"
            f"<title>{language}</title>\n<seg id=\"1\"> {language} {name} first. </seg>\n"
            f"<seg id=\"2\">{language} second &amp; last</seg></doc></refset></mteval>\n")


def iwslt(year, usage=None, pair=None, sets=(), missing=False, **arguments):
    for source, target in (("de", "en"), ("en", "de"), ("en", "it")):
        both = f"{source}-{target}"
        base = f"f/texts/{source}/{target}/{both}" if year == 2016 else \
            "f/texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo"
        for language in (source, target):
            written(f"{base}/train.tags.{both}.{language}",
                    f"<url>http</url>\n<keywords>k</keywords>\n<title>t</title>\n{language} train one \n"
                    f"<reviewer></reviewer>\n{language} & two\n<description>d</description>\n")
            for name in ("dev2010", "tst2010", "tst2013", "tst2014", "tst2015"):
                written(f"{base}/IWSLT{year % 100}.TED.{name}.{both}.{language}.xml", talk(language, name))
    kind = ds.IWSLT2016Dataset if year == 2016 else ds.IWSLT2017Dataset
    return read(kind("f", usage, pair, *sets, **quiet(arguments)))


@case(each={"year": [2016, 2017], "usage": ["train", "valid", "test", "all", None, "x"]})
def test_iwslt(year, usage):
    return said(lambda: iwslt(year, usage))


@case(each={"year": [2016, 2017], "pair": [("en", "de"), ["en", "it"], ("en", "xx"), "en", ("en",), ("fr", "en")]})
def test_iwslt_pairs(year, pair):
    return said(lambda: iwslt(year, "train", pair))


@case(each={"sets": [("tst2010", "tst2013"), ("x", "tst2013"), ("tst2010", "x"), (3, None), ("dev2010", "dev2010")]})
def test_iwslt_sets(sets):
    return said(lambda: (iwslt(2016, "valid", None, sets), iwslt(2016, "test", None, sets)))


def only(pair):
    """The folder of one pair of languages, which is all that its rows need."""
    iwslt(2016, "train")
    shutil.rmtree(f"f/texts/{pair[1]}")
    return read(ds.IWSLT2016Dataset("f", "valid", pair, **quiet({})))


@case(each={"pair": [("de", "en"), ("en", "de")]})
def test_iwslt_of_one_pair(pair):
    return said(lambda: only(pair))


# ---- vectors -----------------------------------------------------------------------------------------------

GLOVE = "the 0.5 -1.25 3\n, 1 2 4\nof 0.1 0.2 0.3\n"
KINDS = {"Vectors": "v.txt", "GloVe": "glove.6B.50d.txt", "FastText": "wiki.simple.vec",
         "CharNGram": "charNGram.txt"}
TEXTS = {"plain": GLOVE, "head": "3 3\n" + GLOVE, "ragged": "a 1 2 3\nb 1 2\n", "empty": "", "one": "a 1\n",
         "words": "a b c\n", "twice": "a 1 2\na 3 4\n", "spaces": "a 1 2 \nb 3  4\n",
         "grams": "1gram-t 1 2\n2gram-th 3 4\n3gram-the 5 6\n2gram-#BEGIN#t 0.5 0.5\n1gram-h 7 8\n"
                  "2gram-he 1 1\n3gram-he#END# 2 2\n"}
WORDS = ["the", "of", "zebra", "The", ",", "a"]


def vectors(kind, content="plain", limit=None, name=None, unknown=None, lower=False, words=WORDS):
    made = getattr(text, kind).from_file(written(name or KINDS[kind], TEXTS[content]), max_vectors=limit)
    data = ds.NumpySlicesDataset(words, ["text"], shuffle=False)
    data = data.map(text.ToVectors(made, unk_init=unknown, lower_case_backup=lower), "text")
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


@case(each={"kind": list(KINDS), "content": list(TEXTS)})
def test_vectors(kind, content):
    return said(lambda: vectors(kind, content))


VECTORS = {"limit": {"limit": 1}, "limit 0": {"limit": 0}, "limit -1": {"limit": -1}, "limit kind": {"limit": 1.5},
           "unknown": {"unknown": [7, 8, 9]}, "unknown size": {"unknown": [7, 8]}, "unknown kind": {"unknown": 3},
           "lower": {"lower": True}, "lower kind": {"lower": 1}}


@case(each={"name": list(VECTORS)})
def test_vectors_arguments(name):
    return said(lambda: vectors("Vectors", **VECTORS[name]))


@case(each={"kind": ["GloVe", "FastText", "CharNGram"], "name": ["x.txt", "x.vec", "glove.6B.300d.txt"]})
def test_names_of_vectors(kind, name):
    return said(lambda: vectors(kind, name=name))


@case
def test_no_file_of_vectors():
    return said(lambda: text.GloVe.from_file("glove.6B.50d.txt")), said(lambda: text.Vectors.from_file(3))
