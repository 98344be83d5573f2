"""Transforms of sound: what they give, within single precision, and what they say of bad arguments."""

import mindspore.dataset.audio as A
import numpy as np

from tests.reference.judge import case
from tests.reference.test_dataset_pipeline import said

RANDOM = np.random.RandomState(0)
WAVE = (RANDOM.rand(2, 300) - 0.5).astype(np.float32)
LONG = np.sin(np.arange(900) / 7).astype(np.float32) * np.linspace(0.1, 0.9, 900, dtype=np.float32)
POWERS = RANDOM.rand(2, 21, 12).astype(np.float32) * 9
PAIRS = RANDOM.rand(3, 4, 2).astype(np.float32) - 0.5
RATE = 44100
FILTERS = {
    "allpass": lambda: A.AllpassBiquad(RATE, 200.0), "band": lambda: A.BandBiquad(RATE, 200.0),
    "band-noise": lambda: A.BandBiquad(RATE, 200.0, 0.5, True),
    "bandpass": lambda: A.BandpassBiquad(RATE, 200.0),
    "bandpass-skirt": lambda: A.BandpassBiquad(RATE, 2000.0, 0.5, True),
    "bandreject": lambda: A.BandrejectBiquad(RATE, 200.0), "bass": lambda: A.BassBiquad(RATE, 10.0),
    "bass-less": lambda: A.BassBiquad(RATE, -10.0, 300.0),
    "biquad": lambda: A.Biquad(0.01, 0.02, 0.13, 1, 0.12, 0.3),
    "deemph": lambda: A.DeemphBiquad(44100), "deemph-48": lambda: A.DeemphBiquad(48000),
    "equalizer": lambda: A.EqualizerBiquad(RATE, 1500, 5.5, 0.7),
    "highpass": lambda: A.HighpassBiquad(RATE, 1500, 0.7),
    "lowpass": lambda: A.LowpassBiquad(4000, 1500, 0.7), "riaa": lambda: A.RiaaBiquad(44100),
    "riaa-96": lambda: A.RiaaBiquad(96000), "treble": lambda: A.TrebleBiquad(RATE, 5.0),
    "lfilter": lambda: A.LFilter([1.0, 0.1, 0.3, 0.2], [0.2, 0.1, 0.3, 0.4]),
    "lfilter-free": lambda: A.LFilter([0.5, 0.1], [2.0, 0.3], False),
    "contrast": lambda: A.Contrast(), "gain": lambda: A.Gain(3.5), "vol": lambda: A.Vol(1.7),
    "vol-power": lambda: A.Vol(2.5, A.GainType.POWER), "vol-db": lambda: A.Vol(-3, A.GainType.DB),
    "dc": lambda: A.DCShift(0.5, 0.02), "dc-below": lambda: A.DCShift(-0.3, 0.05),
    **{f"fade-{shape.value}": lambda shape=shape: A.Fade(60, 90, shape) for shape in A.FadeShape},
    "encoded": lambda: A.MuLawEncoding(), "amplitude": lambda: A.DBToAmplitude(0.5, 0.5),
    "resample": lambda: A.Resample(16000, 12000), "resample-up": lambda: A.Resample(8000, 22050),
    "resample-kaiser": lambda: A.Resample(48000, 16000, A.ResampleMethod.KAISER_WINDOW, 12, 0.9),
    "resample-same": lambda: A.Resample(8000, 8000),
}


@case(each={"what": list(FILTERS)}, atol=1e-4, rtol=1e-5, reason="the recursion is in single precision there")
def test_of_waves(what):
    return FILTERS[what]()(WAVE), FILTERS[what]()(LONG)


SPECTRA = {
    "spectrogram": lambda: A.Spectrogram(40)(LONG),
    "magnitudes": lambda: A.Spectrogram(64, 50, 20, power=1.0)(WAVE),
    "complex": lambda: A.Spectrogram(32, power=0.0)(LONG),
    "normalized": lambda: A.Spectrogram(32, normalized=True)(WAVE),
    "two-sided": lambda: A.Spectrogram(32, onesided=False)(WAVE),
    "not-centered": lambda: A.Spectrogram(32, center=False)(WAVE),
    "padded": lambda: A.Spectrogram(32, pad=9, pad_mode=A.BorderType.EDGE)(WAVE),
    **{f"window-{kind.value}": lambda kind=kind: A.Spectrogram(32,
                                                               window=kind)(WAVE) for kind in A.WindowType},
    "mel": lambda: A.MelScale(8, 16000, n_stft=21)(POWERS),
    "mel-slaney": lambda: A.MelScale(6, 8000, 50.0, 3000.0, 21, A.NormType.SLANEY, A.MelType.SLANEY)(POWERS),
    "deltas": lambda: [A.ComputeDeltas()(POWERS), A.ComputeDeltas(7, A.BorderType.REFLECT)(POWERS)],
    "decibels": lambda: [A.AmplitudeToDB()(POWERS),
                         A.AmplitudeToDB(A.ScaleType.MAGNITUDE, 2.0, 1e-5, 9.0)(POWERS)],
    "norm": lambda: [A.ComplexNorm(p)(PAIRS) for p in (1.0, 2.0, 0.5)], "angle": lambda: A.Angle()(PAIRS),
    "magphase": lambda: A.Magphase(2.0)(PAIRS), "decoded": lambda: A.MuLawDecoding()(np.arange(256)[None]),
    "time": lambda: A.TimeMasking(False, 3, 2, 5.0)(POWERS),
    "frequency": lambda: A.FrequencyMasking(False, 4, 1)(POWERS),
}


@case(each={"what": list(SPECTRA)}, atol=2e-5, rtol=2e-5, reason="the sums are in single precision there")
def test_of_spectra(what):
    return SPECTRA[what]()


MISTAKES = {
    "kind": lambda: A.Gain("a"), "input": lambda: A.Gain()([1, 2]),
    "q": lambda: A.BassBiquad(44100, 1.0, 100.0, 2.0),
    "rate": lambda: A.LowpassBiquad(44100.5, 100.0), "shift": lambda: A.DCShift(3.0),
    "vol": lambda: A.Vol(-1.0),
    "contrast": lambda: A.Contrast(200), "fade": lambda: A.Fade(-1), "mu": lambda: A.MuLawEncoding(0),
    "window": lambda: A.Spectrogram(10, 20), "rolloff": lambda: A.Resample(rolloff=0.0),
    "width": lambda: A.Resample(
        lowpass_filter_width=0), "frequency": lambda: A.Resample(-1),
        "method": lambda: A.Resample(resample_method="x"),
    "masks": lambda: A.TimeMasking(1), "mask": lambda: A.TimeMasking(mask_start=-1),
    "norm": lambda: A.MelScale(norm="x"),
}


@case(each={"what": list(MISTAKES)})
def test_mistakes(what):
    return said(lambda: MISTAKES[what]() and None)
