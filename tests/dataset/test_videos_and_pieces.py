"""Videos by PyAV and sub-words by SentencePiece: what MindSpore 2.10 gave for the same files and texts."""

from fractions import Fraction

import numpy as np
import pytest

import ms2torch.dataset as ds
from ms2torch.dataset import text, vision
from ms2torch.dataset.vision._video import _pixels


class Plane(bytes):
    height = width = line_size = 0


class Frame:
    """A frame of PyAV's, of given planes."""

    def __init__(self, form, y, u, v):
        self.format, (self.height, self.width) = type("Format", (), {"name": form}), y.shape
        self.planes = []
        for values in (y, u, v):
            plane = Plane(values.tobytes())
            plane.height, plane.width = values.shape
            plane.line_size = plane.width
            self.planes.append(plane)


# luma, U, V, and the RGB that read_video gave: of MPEG-4, H.264 and HEVC, and of a motion JPEG
COLOURS = {"yuv420p": [(165, 42, 104, 133, 225, 0), (169, 40, 109, 146, 226, 0), (166, 46, 107, 139, 223, 8),
                       (170, 44, 112, 152, 224, 9), (165, 45, 103, 132, 225, 4), (169, 44, 112, 151, 223, 8),
                       (170, 41, 111, 151, 226, 3)],
           "yuvj420p": [(173, 30, 99, 132, 228, 0), (176, 30, 99, 135, 231, 3), (179, 28, 109, 152, 228, 2)]}


@pytest.mark.parametrize("form", COLOURS)
def test_colours_are_those_of_mindspores_ffmpeg(form):
    for y, u, v, *rgb in COLOURS[form]:
        planes = [np.full((side, side), value, np.uint8) for side, value in ((2, y), (1, u), (1, v))]
        np.testing.assert_array_equal(_pixels(Frame(form, *planes)), np.full((2, 2, 3), rgb, np.uint8))


def test_other_pixels_are_refused():
    with pytest.raises(NotImplementedError, match="read_video of yuv444p with 2 lines"):
        _pixels(Frame("yuv444p", *[np.zeros((2, 2), np.uint8)] * 3))


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """Twelve grey frames of 48x64, ten a second, the brighter the later, and a second of stereo sound."""
    av = pytest.importorskip("av")
    path = str(tmp_path_factory.mktemp("film") / "film.avi")
    with av.open(path, "w") as container:
        stream = container.add_stream("mjpeg", rate=10)
        sound = container.add_stream("pcm_s16le", rate=1600, layout="stereo")
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj420p"
        for number in range(12):
            planes = np.full((72, 64), 128, np.uint8)
            planes[:48] = 20 * number + 8
            container.mux(stream.encode(av.VideoFrame.from_ndarray(planes, format="yuvj420p")))
        container.mux(stream.encode())
        samples = np.stack([np.arange(1600), -np.arange(1600)]).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(samples.T.reshape(1, -1).copy(), format="s16", layout="stereo")
        frame.sample_rate, frame.pts = 1600, 0
        container.mux(sound.encode(frame))
        container.mux(sound.encode())
    return path


# MindSpore's choice of frames and samples, in a film of twelve frames with a second of sound
@pytest.mark.parametrize(("times", "first", "count", "start", "length"), [
    ((0,), 0, 12, 0, 1600), ((0.2, 0.5, "sec"), 2, 4, 267, 533),
    ((Fraction(1, 4), None, "sec"), 3, 9, 400, 1200), ((2, 6), 2, 5, 267, 667),
    ((0.15, 0.15, "sec"), 2, 1, 267, 133), ((0, 0.05, "sec"), 0, 2, 0, 267),
    ((0.05, 0.09, "sec"), 1, 1, 133, 133), ((1.2, 5.9), 1, 6, 133, 800), ((1024, 3072), 12, 0, 1600, 0),
])
def test_frames_and_sound_between_two_times(film, times, first, count, start, length):
    frames, sound, told = vision.read_video(film, *times)
    assert frames.shape == (count, 48, 64, 3) and told == {"video_fps": 10.0, "audio_fps": 1600}
    assert [round(int(frame[0, 0, 0]) / 20) for frame in frames] == list(range(first, first + count))
    samples = np.arange(start, start + length)
    np.testing.assert_array_equal(sound, [samples, -samples])


def test_a_film_in_a_pipeline(film):
    data = ds.GeneratorDataset([np.fromfile(film, np.uint8)], ["data"])
    [(frames, sound)] = data.map(vision.DecodeVideo(), ["data"], ["frames", "sound"]).create_tuple_iterator(
        num_epochs=1, output_numpy=True)
    np.testing.assert_array_equal(frames, vision.read_video(film)[0])
    assert sound.shape == (2, 1600) and sound.dtype == np.int16
    assert vision.read_video_timestamps(film) == (list(range(12)), 10.0)
    assert vision.read_video_timestamps(film, "sec")[0][1] == float(np.float32(0.1))
    metadata = {"width": 64, "height": 48, "duration_seconds": 1.2, "num_frames": 12, "average_fps": 10.0}
    assert vision.VideoDecoder(film).metadata == metadata
    with pytest.raises(RuntimeError, match=r"Method get_frames_at is only supported on Ascend platform."):
        vision.VideoDecoder(film).get_frames_at([0])


def test_what_is_no_film(tmp_path):
    pytest.importorskip("av")
    path = tmp_path / "a.mp4"
    path.write_bytes(bytes(range(256)) * 9)
    for call, words in [
            (lambda: vision.read_video(str(path)), f"Failed to open the file {path}."),
            (lambda: vision.DecodeVideo()(np.zeros(9, np.uint8)), "Failed to open the input."),
            (lambda: vision.DecodeVideo()(np.zeros(9, np.float32)), "should be UINT8, but got float32."),
            (lambda: vision.DecodeVideo()(np.zeros((2, 3), np.uint8)), "only support 1D input, got rank: 2"),
            (lambda: vision.read_video_timestamps(str(tmp_path)), f"{tmp_path} is not a regular file.")]:
        with pytest.raises(RuntimeError) as raised:
            call()
        assert words in str(raised.value)
    with pytest.raises(ValueError, match=r"Not supported end_pts for 2. start_pts = 3."):
        vision.read_video(str(path), 3, 2)


# ---- sub-words ---------------------------------------------------------------------------------------------

WORDS = ["hello", "world", "tokenizer", "sentence", "piece", "model", "learning", "deep"]
LINES = [" ".join(WORDS[(number * k + number) % 8] for k in range(1, 8)) for number in range(64)]
# kind: (size, pieces, their numbers) of "hello deep unknown\u00df x", by the model that MindSpore learned of
# LINES; the probabilities of unigrams, and so the order of their numbers, differ from one release of the
# library to the next
LEARNED = {
    "BPE": (40, "▁hello ▁ d e e p ▁ u n k n o w n ß ▁ x",
            [7, 22, 32, 21, 21, 30, 22, 0, 25, 35, 25, 24, 39, 25, 0, 22, 0]),
    "CHAR": (20, "▁ h e l l o ▁ d e e p ▁ u n k n o w n ß ▁ x",
             [4, 9, 3, 5, 5, 6, 4, 14, 3, 3, 12, 4, 0, 7, 17, 7, 6, 0, 7, 0, 4, 0]),
    "WORD": (10, "▁hello ▁deep ▁unknownß▁x", [3, 7, 0]),
}


@pytest.mark.parametrize("kind", LEARNED)
def test_pieces_are_mindspores(kind, tmp_path):
    pytest.importorskip("sentencepiece")
    size, pieces, numbers = LEARNED[kind]
    pieces = pieces.split()
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(LINES) + "\n")
    model = text.SentencePieceModel[kind]
    vocab = text.SentencePieceVocab.from_file([str(path)], size, 0.9995, model, {})
    text.SentencePieceVocab.save_model(vocab, str(tmp_path), "m.model")
    strings, ints = text.SPieceTokenizerOutType.STRING, text.SPieceTokenizerOutType.INT
    given = "hello deep unknown\u00df x"
    assert text.SentencePieceTokenizer(vocab, strings)(given).tolist() == pieces
    found = text.SentencePieceTokenizer(str(tmp_path / "m.model"), ints)(given)
    assert found.tolist() == numbers and found.dtype == np.int32
    data = ds.NumpySlicesDataset([given], ["text"]).map(text.SentencePieceTokenizer(vocab, strings))
    assert next(iter(data.create_tuple_iterator(num_epochs=1, output_numpy=True)))[0].tolist() == pieces


def test_what_sentencepiece_refuses(tmp_path):
    pytest.importorskip("sentencepiece")
    learn, unigram = text.SentencePieceVocab.from_dataset, text.SentencePieceModel.UNIGRAM
    data = ds.NumpySlicesDataset({"a": LINES, "b": LINES}, shuffle=False)
    for columns, size, settings, words in [(["c"], 24, {}, "column name: c does not exist"),
                                           ([], 24, {}, "'text' column does not exist."),
                                           (["a"], 5000, {}, "Vocabulary size too high (5000)."),
                                           (["a"], 24, {"nonsense": "1"}, 'unknown field name "nonsense"')]:
        with pytest.raises(RuntimeError) as raised:
            learn(data, columns, size, 0.9995, unigram, settings)
        assert words in str(raised.value)
    with pytest.raises(RuntimeError, match="does not exist"):
        text.SentencePieceTokenizer(str(tmp_path / "no.model"), text.SPieceTokenizerOutType.INT)("a")


def test_learning_heeds_the_arguments_and_single_texts(tmp_path):
    pytest.importorskip("sentencepiece")
    learn, bpe = text.SentencePieceVocab.from_dataset, text.SentencePieceModel.BPE
    strings = text.SPieceTokenizerOutType.STRING
    data = ds.NumpySlicesDataset({"a": LINES, "b": LINES}, shuffle=False)
    others = {"vocab_size": "30", "model_type": "char", "character_coverage": "0.9", "input": "x"}
    for columns, settings in [(["a"], others), (["a", "absent"], {})]:
        found = text.SentencePieceTokenizer(learn(data, columns, 40, 0.9995, bpe, settings), strings)
        assert found("hello deep").tolist() == ["\u2581hello", "\u2581", "d", "e", "e", "p"]
    rows = ds.NumpySlicesDataset({"a": [["x", "y"], ["z", "w"]]}, shuffle=False)
    for given, settings, words in [(rows, {}, "!sentences_.empty()"),
                                   (data, {"bos_id": "x"}, 'cannot parse "x" as int')]:
        with pytest.raises(RuntimeError) as raised:
            learn(given, ["a"], 40, 0.9995, bpe, settings)
        assert words in str(raised.value)
    for mode, words in [(text.SentencePieceVocab(), "vocab object type is incorrect or null."),
                        (str(tmp_path), "is invalid or does not exist.")]:
        with pytest.raises(RuntimeError, match="Syntax error") as raised:
            text.SentencePieceTokenizer(mode, strings)("a")
        assert words in str(raised.value)
