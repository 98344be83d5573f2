"""Transforms of sound on noise: their values in each dtype, what they refuse, and arguments beyond the defaults.

Float64 waves show the constants, which MindSpore keeps in Float32 in its own places: to 1e-11. Float32 ones show the
rounding of its recursions and sums, which is its own.
"""

import mindspore as ms
import mindspore.dataset.audio as A
import numpy as np

from tests.reference.judge import case
from tests.reference.test_dataset_pipeline import said

RANDOM = np.random.RandomState(3)
NOISE = RANDOM.randn(2, 1, 160) * 0.4
COMPLEX = RANDOM.randn(2, 21, 12, 2)
POWERS = abs(RANDOM.randn(2, 21, 13))
W, B, N, T = A.WindowType, A.BorderType, A.NormType, A.MelType
WAVES = {
    "low": lambda: [A.LowpassBiquad(8000, 3000.0, 0.1), A.HighpassBiquad(44100, 1500.0, 0.7)],
    "all": lambda: [A.AllpassBiquad(44100, 1500.0), A.BandrejectBiquad(8000, 1000.0, 0.3)],
    "band": lambda: [A.BandBiquad(44100, 2000.0), A.BandpassBiquad(16000, 500.0, 1.0),
                     A.BandpassBiquad(8000, 3000.0, 0.1, True)],
    "shelves": lambda: [A.BassBiquad(44100, -12.3, 3333.0, 0.5), A.TrebleBiquad(44100, 10.0),
                        A.TrebleBiquad(8000, -3.3, 1000.0, 1.0), A.EqualizerBiquad(44100, 1500.0, 5.5, 0.7)],
    "given": lambda: [A.DeemphBiquad(44100), A.DeemphBiquad(48000), A.RiaaBiquad(88200),
                      A.Biquad(0.3, 0.2, 0.1, 3.0, -1.0, 0.5)],
    "any": lambda: [A.LFilter([1.0, 0.1, 0.3, 0.2], [0.2, 0.1, 0.3, 0.4]), A.LFilter([3.0, 0.1], [1.0, 0.2], False),
                    A.Filtfilt([1.0, -0.5, 0.2], [0.1, 0.2, 0.3])],
    "overdrive": lambda: [A.Overdrive(), A.Overdrive(3.3, 77.7)],
    "phaser": lambda: [A.Phaser(8000, decay=0.9, delay_ms=5.0, sinusoidal=False), A.Phaser(44100, gain_in=1.0)],
    "flanger": lambda: [A.Flanger(8000, modulation=A.Modulation.TRIANGULAR), A.Flanger(
        44100, 5.0, 4.0, 50.0, 60.0, 3.0, 40.0, A.Modulation.SINUSOIDAL, A.Interpolation.QUADRATIC)],
    "levels": lambda: [A.Gain(-7.7), A.Vol(0.3), A.Vol(0.3, A.GainType.POWER), A.Vol(0.3, A.GainType.DB),
                       A.Contrast(33.3), A.DBToAmplitude(2.5, 0.3)],
    "shift": lambda: [A.DCShift(*x) for x in ((0.5, 0.02), (-0.3, 0.05), (0.7, 0.7), (1.5, 0.2), (0.3,))],
    "fade": lambda: [A.Fade(60, 150, shape) for shape in A.FadeShape],
}


def applied(transforms, wave):
    return [transform(wave.copy()) for transform in transforms]


@case(each={"what": list(WAVES)}, atol=2e-13, rtol=0.0, reason="sums of a recursion in another order")
def test_doubles(what):
    return applied(WAVES[what](), NOISE)


@case(each={"what": list(WAVES)}, atol=5e-6, rtol=0.0, reason="MindSpore's recursions round each step to Float32")
def test_singles(what):
    return applied(WAVES[what](), NOISE.astype(np.float32))


@case(each={"what": ["low", "all", "band", "shelves", "given", "any"]}, atol=0.0, rtol=0.0, reason="none: to the bit")
def test_halves_are_filtered_in_half_precision(what):
    return applied(WAVES[what](), NOISE[0].astype(np.float16))


SPECTRA = {
    **{kind.value: lambda kind=kind: [
        A.Spectrogram(40, window=kind)(NOISE), A.Spectrogram(33, 20, 7, 4, kind, 0.0, onesided=False)(NOISE),
        A.Spectrogram(32, 31, window=kind, power=1.3, normalized=True, pad_mode=B.SYMMETRIC)(NOISE[0]),
        A.SpectralCentroid(22051, 32, 21, 7, 3, kind)(NOISE),
        A.InverseSpectrogram(None, 40, 30, 10, window=kind, normalized=True)(COMPLEX.copy()),   # it writes there
        A.InverseSpectrogram(90, 40, window=kind)(COMPLEX[0])] for kind in W if kind is not W.KAISER},
    "two-sided": lambda: A.InverseSpectrogram(n_fft=21 * 2 - 2, onesided=False)(np.concatenate([COMPLEX, COMPLEX], 1)),
    "padded": lambda: A.InverseSpectrogram(90, 40, pad=5)(COMPLEX),
    "mel": lambda: [A.MelScale(20, 8001, 50.5, 3333.3, 21, N.SLANEY)(POWERS),
                    A.MelScale(13, 22050, n_stft=21, mel_type=T.SLANEY)(POWERS)],
    "resampled": lambda: [A.Resample(8000, 22050)(NOISE), A.Resample(48000, 44100,
                                                                    lowpass_filter_width=12, rolloff=0.9)(NOISE)],
    "stretched": lambda: [A.TimeStretch(10, 21, rate)(COMPLEX) for rate in (1.3, 0.7, 0.333)],
    "rows": lambda: A.TimeStretch(10, 20, 1.3)(COMPLEX),
    "shifted": lambda: [A.PitchShift(16000, 4, n_fft=64)(NOISE[0]),
                        A.PitchShift(8000, -3, 24, 64, 50, 16, W.HAMMING)(NOISE[0])],
    "deltas": lambda: [A.ComputeDeltas(21, mode)(POWERS) for mode in B],
    "decibels": lambda: [A.AmplitudeToDB(kind, ref, amin, 300.0)(NOISE) for kind in A.ScaleType
                         for ref, amin in ((1.0, 1e-10), (2.0, 1e-5), (0.5, 0.3), (0.01, 2.0))],
    "silent": lambda: A.AmplitudeToDB()(np.array([[np.nan, 1.0, -1.0]])),
    "norms": lambda: [A.ComplexNorm(3.3)(COMPLEX), A.Magphase(0.5)(COMPLEX)],
    "banks": lambda: [A.create_dct(40, 128), A.create_dct(13, 40, A.NormMode.ORTHO),
                      A.linear_fbanks(20, 100.0, 3000, 5, 7001), A.melscale_fbanks(201, 0.0, 3999.5, 40, 16001),
                      A.melscale_fbanks(33, 10.0, 4000, 8, 8000, N.SLANEY, T.SLANEY)],
}


@case(each={"what": list(SPECTRA)}, atol=1e-11, rtol=2e-7, reason="sums and FFT in another order; banks are Float32")
def test_spectra(what):
    return SPECTRA[what]()


@case(atol=1e-6, rtol=1e-6, reason="MindSpore computes I0(beta) in Float32, 8e-7 off")
def test_kaiser_windows():
    return [A.Resample(16000, 12000, A.ResampleMethod.KAISER_WINDOW, 12, 0.9)(NOISE),
            A.Spectrogram(32, window=W.KAISER)(NOISE)]


KINDS = {"ints": np.int16, "bools": bool, "bytes": np.uint8, "halves": np.float16, "strings": "U1"}


@case(each={"kind": list(KINDS)})
def test_kinds_that_filters_and_others_take(kind):
    wave = (NOISE[0] > 0).astype(KINDS[kind])
    return [said(lambda t=t: str(t(wave.copy()).dtype)) for t in (
        A.AllpassBiquad(44100, 200.0), A.Filtfilt([1.0, -0.3], [0.5, 0.3]), A.DetectPitchFrequency(8000, 0.01, 2),
        A.Flanger(8000), A.Overdrive(), A.Phaser(8000), A.Gain(), A.MuLawEncoding(), A.AmplitudeToDB())]


REFUSED = {
    "flanger": lambda: A.Flanger(8000)(NOISE[0, 0]), "pitch": lambda: A.DetectPitchFrequency(8000)(NOISE),
    "fade": lambda: A.Fade(400)(NOISE), "zero": lambda: A.LFilter([0.0, 1.0], [1.0, 1.0])(NOISE),
    "large": lambda: A.LFilter([1.0, 2e7], [1.0, 1.0]), "below": lambda: A.Filtfilt([1.0, 1.0], [1.0, -2e7]),
    "no coefficients": lambda: A.LFilter([], [])(NOISE),
    "nearly zero": lambda: A.Biquad(1, 1, 1, 1e-60, 1, 1)(NOISE), "hop": lambda: A.Spectrogram(10, 1)(NOISE),
    "short": lambda: A.Spectrogram(400, center=False)(NOISE), "odd": lambda: A.InverseSpectrogram(n_fft=41)(COMPLEX),
    "few": lambda: A.InverseSpectrogram(n_fft=40)(COMPLEX[0, 0]), "rows": lambda: A.MelScale(8, n_stft=20)(POWERS),
    "mel": lambda: A.MelSpectrogram(n_fft=400)(NOISE),
}


@case(each={"what": list(REFUSED)})
def test_refused(what):
    return said(lambda: REFUSED[what]() and None)


@case(each={"transform": ["biquad", "spectrogram"]})
def test_two_transforms_take_what_an_array_can_be_made_of(transform):
    made = A.Biquad(0.01, 0.02, 0.13, 1, 0.12, 0.3) if transform == "biquad" else A.Spectrogram(n_fft=32)
    found = []
    for given in ([0.1] * 50, (0.1,) * 50, 3.5, "ab", None, ms.Tensor(np.ones(50, np.float32)), []):
        try:
            result = made(given)
            found.append((str(result.dtype), list(result.shape)))
        except (RuntimeError, TypeError) as error:
            found.append([line for line in str(error).split("\n") if line.startswith(("[ERROR]", "Invalid"))])
    return found


@case
def test_sounds_that_are_too_short_or_have_too_many_channels():
    found = [list(A.DetectPitchFrequency(8000, 0.01, 3)(np.ones((2, count), np.float32)).shape) for count in (1, 50, 80)]
    for shape in ((5, 400), (2, 5, 400)):
        try:
            A.Flanger(44100)(np.zeros(shape, np.float32))
        except RuntimeError as error:
            found.append([line for line in str(error).split("\n") if line.startswith("[ERROR]")])
    return found


@case(each={"kind": ["TPDF", "RPDF", "GPDF"], "shaped": [False, True], "dtype": ["float64", "float32", "int16"]})
def test_dither_of_halves_and_of_drawn_noise(kind, shaped, dtype):
    wave = np.arange(1, 13).reshape(2, 2, 3) / 40
    wave = np.concatenate([wave, wave * 0], -1) * (1000 if dtype == "int16" else 1)
    found = []
    for seed in (1, 2):
        ms.dataset.config.set_seed(seed)
        dither = A.Dither(A.DensityFunction[kind], shaped)
        found.append(dither(wave.astype(dtype)))
        rows = ms.dataset.NumpySlicesDataset([*wave.astype(dtype), *wave.astype(dtype)], ["x"], shuffle=False)
        rows = rows.map(dither, ["x"], num_parallel_workers=2)
        found.append([row[0] for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)])
    return found
