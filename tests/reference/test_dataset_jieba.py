"""Chinese text in words: by a small dictionary and a small model of cppjieba's form."""
import mindspore.dataset as ds
import mindspore.dataset.text as T
import numpy as np

from tests.reference.judge import case
from tests.reference.test_dataset_pipeline import said

LETTERS = "南京市长江大桥我们在天安门看雨山水大人小"
WORDS = {"南京": 90, "南京市": 60, "市长": 80, "长江": 70, "长江大桥": 50, "大桥": 40, "江": 30, "我们": 100, "天安门": 20,
         "天": 55, "看": 66, "大人": 12, "山水": 9, "小": 3, "abc": 5}
TEXTS = ["南京市长江大桥", "我们在天安门看雨", "大人看山水，小人。看 雨\t在", "看abc12x 3.5.6雨9", "雨雨雨𠀀雨", "", "a", "在"]


def files():
    """The model's logarithms are drawn: what is probable does not matter, that all agree on it does."""
    random = np.random.RandomState(0)
    with open("dict.utf8", "w", encoding="utf-8") as file:
        file.write("".join(f"{word} {count} n\n" for word, count in WORDS.items()))
    steps = np.log(random.rand(4, 4)).tolist()
    allowed = [(1, 2), (0, 3), (1, 2), (0, 3)]
    rows = [[f"{value:.6f}" if to in allowed[at] else "-3.14e+100" for to, value in enumerate(row)]
            for at, row in enumerate(steps)]
    with open("hmm.utf8", "w", encoding="utf-8") as file:
        file.write("#start\n-0.3 -3.14e+100 -3.14e+100 -1.4\n#steps\n" + "".join(" ".join(row) + "\n" for row in rows))
        for state in "BEMS":
            file.write(f"#{state}\n" + ",".join(f"{letter}:{np.log(random.rand()):.5f}" for letter in LETTERS) + "\n")
    return "hmm.utf8", "dict.utf8"


@case(each={"mode": ["MIX", "MP", "HMM"]})
def test_words(mode):
    cut = T.JiebaTokenizer(*files(), T.JiebaMode[mode])
    offsets = T.JiebaTokenizer(*files(), T.JiebaMode[mode], with_offsets=True)
    return [cut(text) for text in TEXTS], [offsets(text) for text in TEXTS]


@case
def test_words_of_the_user():
    cut = T.JiebaTokenizer(*files())
    cut.add_word("雨山")
    cut.add_word("江大桥", 20000)
    with open("more.txt", "w", encoding="utf-8") as file:
        file.write("在天 90000\n* bad\n门看\n看 5x\n")
    cut.add_dict("more.txt")
    cut.add_dict({"人小": 7})
    data = ds.NumpySlicesDataset(TEXTS, ["text"], shuffle=False).map(cut, ["text"])
    return cut.words, [row[0] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@case
def test_mistakes():
    hmm, words = files()
    cut = T.JiebaTokenizer(hmm, words)
    calls = [lambda: T.JiebaTokenizer(None, words), lambda: T.JiebaTokenizer(3, words),
             lambda: T.JiebaTokenizer(hmm, None), lambda: T.JiebaTokenizer(hmm, "zz"),
             lambda: T.JiebaTokenizer(hmm, words, 3), lambda: T.JiebaTokenizer(hmm, words, T.JiebaMode.MP, 1),
             lambda: cut.add_word(None), lambda: cut.add_word("x", -1), lambda: cut.add_word("x", "1"),
             lambda: cut.add_dict(3), lambda: cut.add_dict("zz")]
    return [said(call) for call in calls]
