"""Text transforms on strings of all kinds: empty ones, emoji, joiners, accents of their own, controls, other scripts, long ones,
bytes, lists and what is no text.
"""

import mindspore as ms
import mindspore.dataset.text as T
import numpy as np
from mindspore.dataset.text import NormalizeForm

from tests.reference.judge import case

TEXTS = ("", " ", "   ", "a", "aabb", "  Hello,  World! unaffable ", "a\tb\nc\r\nd\x0be", "😀", "a😀b👨\u200d👩\u200d👧 🇨🇳",
         "e\u0301 x\u0301\u0323", "é ñ Å", "你好世界", "abc你好123ΑΒΓабв", "ＡＢ１２，。", "İıI", "ßẞſ", "ﬁ ﬀ ½ ²", "a\x01\x7f\x85b",
         "\ufeffa", "a\u00a0b\u3000c\u2003d", "a\u200bb\u200dc\u00ad", "אבג ابت", "\uffff\U0010ffff", "12", "-7", "3.5", "1e3",
         "0x10", "99999999999999999999", "inf", "nan", "+5", " 5 ", "1_000", "[CLS] a [SEP] [UNK][PAD]", "x [MASK] [unused1] Y",
         "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "ΣςσΟΔΟΣ", "สวัสดี", "नमस्ते", "𝐀𝒜", "\u2028a\u2029", "a·b§c¿d々e・f＋g",
         "<doc>a</doc>\n b &amp; [[c|d]] 10", "<a\n>b http://x.y {{c}} <b>d", "ab " * 500, "x" * 300)
OTHERS = {"texts": ["a B", "", "c"], "rows": np.array([["a", "1"], ["b", ""]]), "bytes": b"ab", "bytes in an array": np.array([b"a", b"b"]),
          "broken": b"\xff\xfea", "number": 3, "numbers": np.arange(3), "none": None, "half": "\ud800", "nothing": np.array([], "U1"),
          "mixed": ["a", 1]}
VOCAB = T.Vocab.from_list(["[UNK]", "a", "b", "##b", "##ab", "ab", "é", "e", "你", "好", "##好", "😀", "un", "##aff", "##able", "hello",
                           "world", "!", ","])


def told(transform, text):
    """What a transform makes of a text; of what is refused the kind and the first line."""
    try:
        found = transform(text)
    except Exception as error:
        words = str(error)
        return type(error).__name__, words[max(words.find("[ERROR]"), 0):].split("\n")[0]
    parts = found if isinstance(found, tuple) else (found,)
    return [(str(np.asarray(one).dtype), np.asarray(one).shape, [str(part) if isinstance(part, bytes) else part for part in np.asarray(one).reshape(-1).tolist()[:40]]) for one in parts]


TRANSFORMS = {
    "basic": lambda: T.BasicTokenizer(), "basic blanks": lambda: T.BasicTokenizer(False, True),
    "basic lower": lambda: T.BasicTokenizer(True, False, NormalizeForm.NONE, True, True),
    "basic lower alone": lambda: T.BasicTokenizer(True, True, NormalizeForm.NONE, False),
    "basic composed": lambda: T.BasicTokenizer(False, False, NormalizeForm.NFKC),
    "bert": lambda: T.BertTokenizer(VOCAB), "bert lower": lambda: T.BertTokenizer(VOCAB, "##", 5, "", True, with_offsets=True),
    "fold": lambda: T.CaseFold(), "wikipedia": lambda: T.FilterWikipediaXML(), "look up": lambda: T.Lookup(VOCAB, "[UNK]"),
    "look up known": lambda: T.Lookup(VOCAB), "pairs": lambda: T.Ngram([1, 2], ("_", 1), ("~", 1), "|"),
    **{form.name: (lambda form=form: T.NormalizeUTF8(form)) for form in NormalizeForm},
    "function": lambda: T.PythonTokenizer(lambda text: text.split()), "windows": lambda: T.SlidingWindow(2),
    "characters": lambda: T.UnicodeCharTokenizer(True), "scripts": lambda: T.UnicodeScriptTokenizer(False, True),
    "scripts and blanks": lambda: T.UnicodeScriptTokenizer(True), "blanks": lambda: T.WhitespaceTokenizer(True),
    "pieces": lambda: T.WordpieceTokenizer(VOCAB, with_offsets=True), "token": lambda: T.AddToken("<s>"),
    "first two": lambda: T.Truncate(2),
    **{f"{dtype}": (lambda dtype=dtype: T.ToNumber(dtype)) for dtype in (ms.int8, ms.uint8, ms.int64, ms.float16, ms.float64)},
    **{f"replace {pattern}": (lambda pattern=pattern: T.RegexReplace(pattern, "<>")) for pattern in (
        "[a-z]+", r"\s", ".", r"\p{Han}", "^", r"\b", "", r"[^\x00-\x7f]", r"\w+", r"[\w.]+",
        "[[:alpha:]]+", "[[:^alnum:]]", "[^[:punct:]a]+", "[[:upper:][:space:]]", "[:lower:]", "[[:digit:]]")},
    **{f"cut {pattern}": (lambda pattern=pattern: T.RegexTokenizer(pattern, pattern)) for pattern in (
        r"\s+", "[,.!]", "", r"\p{Cased_Letter}", "(?<=a)b", r"\W")},
}


@case(each={"name": list(TRANSFORMS)})
def test_texts(name):
    transform = TRANSFORMS[name]()
    return [told(transform, text) for text in TEXTS], {kind: told(transform, other) for kind, other in OTHERS.items()}
