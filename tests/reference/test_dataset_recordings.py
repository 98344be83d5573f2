"""Published sets of speech and music, small ones of their layout: rows, their order, usages, bad input."""

import os
import wave

import mindspore.dataset as ds
import numpy as np

from tests.reference.judge import case
from tests.reference.test_dataset_annotated import read, written
from tests.reference.test_mindrecord import said


def sound(path, seed=0, channels=1, rate=8000, width=2, frames=6):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    drawn = np.random.RandomState(seed).randint(0, 256, frames * channels * width).astype(np.uint8)
    with wave.open(path, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(drawn.tobytes())
    return path


def any_order(rows):
    """Rows of folders whose own order counts, which is another on each machine."""
    names, size, found = rows
    return names, size, sorted(found, key=repr)


def quiet(arguments):
    return {"shuffle": False, "num_parallel_workers": 1} | arguments


# ---- YesNo: also what sound files there are ----------------------------------------------------------------


def yes_no(names=("1_0_1_1_0_0_1_0", "0_0_1_1_0_0_1_0"), form=None, **arguments):
    for seed, name in enumerate(names):
        sound(f"f/{name}.wav", seed, **(form or {}))
    return any_order(read(ds.YesNoDataset("f", **quiet(arguments))))


FORMS = {"mono": {}, "stereo": {"channels": 2},
         "rate": {"rate": 44100}, "empty": {"frames": 0}}


@case(each={"form": list(FORMS)})
def test_forms_of_sound(form):
    return said(lambda: yes_no(form=FORMS[form]))


NAMES = {"samples": lambda: yes_no(["1_1"], num_samples=1),
         "shard": lambda: yes_no(["1_1"], num_shards=2, shard_id=1),
         "short": lambda: yes_no(["1_0_1"]), "letters": lambda: yes_no(["a_b_c"]), "none": lambda: yes_no([]),
         "folder": lambda: ds.YesNoDataset("zz"), "text": lambda: (written("f/1_0.wav", "no sound"),
                                                                  yes_no(["1_1"]))[1],
         "other": lambda: (written("f/readme.txt", "x"), yes_no())[1],
         "below": lambda: (sound("f/sub/1_1.wav"), yes_no())[1]}


@case(each={"name": list(NAMES)})
def test_yes_no(name):
    return said(NAMES[name])


# ---- others ------------------------------------------------------------------------------------------------


def arctic(name=None, text='( arctic_a0001 "Author of the danger trail, Philip Steels, etc." )\n'
                           '( arctic_a0002 "Not at this particular case, Tom." )\n', **arguments):
    for speaker in ("aew", "ahw"):
        for number in (2, 1):
            sound(f"f/cmu_us_{speaker}_arctic/wav/arctic_a000{number}.wav", number, rate=16000)
        written(f"f/cmu_us_{speaker}_arctic/etc/txt.done.data", text)
    return read(ds.CMUArcticDataset("f", name=name, **quiet(arguments)))


@case(each={"name": ["aew", "ahw", None, "awb", "xx", 3]})
def test_cmu_arctic(name):
    return said(arctic, name)


@case(each={"text": ["", "x\n", '( arctic_a0001 "one" )\n', '( arctic_a0003 "none" )\n',
                     '(arctic_a0001 "no space")\n']})
def test_cmu_arctic_texts(text):
    return said(arctic, None, text)


def lj(text="LJ001-0002|has never been|has never\nLJ001-0001|Printing, in the|printing\n", **arguments):
    sound("f/wavs/LJ001-0001.wav")
    sound("f/wavs/LJ001-0002.wav", 1)
    written("f/metadata.csv", text)
    return read(ds.LJSpeechDataset("f", **quiet(arguments)))


@case(each={"text": ["LJ001-0002|has been|has\nLJ001-0001|a,b|c\n", "",
                     "LJ001-0001|a|b|c\n", "LJ001-0003|a|b\n", "LJ001-0001||\n", "LJ001-0001|a|b", "LJ001-0001|a\rb|c\r\n"]})
def test_lj_speech(text):
    return said(lj, text)


def gtzan(usage=None, **arguments):
    # (some of the published split's names)
    for name in ("blues/blues.00000", "blues/blues.00012", "blues/blues.00029", "disco/disco.00001",
                 "disco/disco.00030", "metal/metal.00004", "odd/odd.00001"):
        sound(f"f/{name}.wav", len(name) + int(name[-2:]), rate=22050)
    return any_order(read(ds.GTZANDataset("f", usage=usage, **quiet(arguments))))


@case(each={"usage": ["train", "valid", "test", "all", None, "x"]})
def test_gtzan(usage):
    return said(gtzan, usage)


def libri(usage=None, **arguments):
    for part in ("dev-clean", "test-other", "train-clean-100"):
        base = f"f/{part}/116/288045/116_288045"
        for number in (3, 1):
            sound(f"{base}_00000{number}_000000.wav", number, rate=24000)
        sound(f"f/{part}/12/7/12_7_000001_000002.wav", 9, rate=24000)
        written(f"{base}.trans.tsv", "116_288045_000003_000000\tOne, Two\tone two\n"
                                     "116_288045_000001_000000\tThree\tthree\n")
        written(f"f/{part}/12/7/12_7.trans.tsv", "12_7_000001_000002\tFour\tfour\n")
    return any_order(read(ds.LibriTTSDataset("f", usage=usage, **quiet(arguments))))


@case(each={"usage": ["dev-clean", "test-other", "train-clean-360", "all", None, "x"]})
def test_libri_tts(usage):
    return said(libri, usage)


@case(each={"text": ["zz\tx\ty\n", "116_288045_3\tx\ty\n", "116_288045_1_2_3\tx\ty\n",
                     "117_288045_000003_000000\tx\ty\n"]})
def test_libri_tts_texts(text):
    return said(lambda: (libri("dev-clean"), written("f/dev-clean/116/288045/116_288045.trans.tsv", text),
                         read(ds.LibriTTSDataset("f", usage="dev-clean", shuffle=False)))[2])


@case(each={"texts": ["a\tb\tc", "x\t\ty z"]})
def test_libri_tts_texts_of_several_fields(texts):
    told = f"116_288045_000003_000000\t{texts}\n"
    return said(lambda: (libri("dev-clean"), written("f/dev-clean/116/288045/116_288045.trans.tsv", told),
                         read(ds.LibriTTSDataset("f", usage="dev-clean", shuffle=False)))[2])


def commands(usage=None, **arguments):
    for name in ("cat/b433eff_nohash_0", "cat/5a33edf_nohash_1", "dog/b433w2w_nohash_0", "dog/aaa_nohash_12",
                 "_background_noise_/white_noise"):
        sound(f"f/{name}.wav", len(name))
    written("f/testing_list.txt", "cat/5a33edf_nohash_1.wav\n")
    written("f/validation_list.txt", "dog/aaa_nohash_12.wav\n")
    return read(ds.SpeechCommandsDataset("f", usage=usage, **quiet(arguments)))


@case(each={"usage": ["train", "valid", "test", "all", None, "x"]})
def test_speech_commands(usage):
    return said(commands, usage)


def talks(release="release1", usage=None, part="train", stm="{talk} 1 {talk}_spk 0.{n} 0.{n}01 <o,f0,male> said {n}\n",
          lines=11, **arguments):
    """Lengths instead of waveforms: MindSpore's are silence."""
    for folder in (part, "test", "dev"):
        for talk in ("B_2", "A_1"):
            head = "NIST_1A\n   1024\nsample_n_bytes -i 2\nchannel_count -i 1\nsample_rate -i 8000\nend_head\n"
            os.makedirs(f"f/{folder}/sph", exist_ok=True)
            with open(f"f/{folder}/sph/{talk}.sph", "wb") as file:
                file.write(head.encode().ljust(1024) + bytes(32000))
            written(f"f/{folder}/stm/{talk}.stm", "".join(stm.format(talk=talk, n=n) for n in range(lines)))
    data = ds.TedliumDataset("f", release, usage, **quiet(arguments))
    return data.get_dataset_size(), [{name: value.shape if name == "waveform" else value.tolist()
                                      for name, value in row.items()}
                                     for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


TALKS = {"all": {}, "test": {"usage": "test"}, "release3": {"release": "release3", "part": "data"},
         "usage": {"usage": "x"}, "release": {"release": "x"}, "usage of 3": {"release": "release3", "usage": "test"},
         "ending": {"extensions": ".wav"}, "shard": {"num_shards": 5, "shard_id": 2}, "samples": {"num_samples": 3},
         "no folder": {"release": "release3"}, "no lines": {"lines": 0}, "no file": {"stm": "C_3 1 s 0 0.1 <x> a\n"},
         "too long": {"stm": "{talk} 1 s 0 99 <x> a\n"}, "spaces": {"stm": "{talk} 1 s 0 0.1 <x> a  b \n", "lines": 1}}


@case(each={"name": list(TALKS)})
def test_tedlium(name):
    return said(lambda: talks(**TALKS[name]))
