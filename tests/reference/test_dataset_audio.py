"""Transforms of sound: what they give, within single precision, and what they say of bad arguments."""

import mindspore.dataset as ds
import mindspore.dataset.audio as A
import numpy as np

from tests.reference.judge import case, data
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
    "filtfilt": lambda: A.Filtfilt([1.0, 0.1, 0.3, 0.2], [0.2, 0.1, 0.3, 0.4]),
    "overdrive": lambda: A.Overdrive(), "overdrive-loud": lambda: A.Overdrive(50.0, 80.0),
    "phaser": lambda: A.Phaser(8000), "phaser-triangular": lambda: A.Phaser(44100, 0.5, 0.6, 2.0, 0.3, 1.2, False),
    "pitch-up": lambda: A.PitchShift(8000, 4, 12, 64), "pitch-down": lambda: A.PitchShift(
        8000, -3, 24, 64, 50, 16, A.WindowType.HAMMING),
    "centroid": lambda: A.SpectralCentroid(8000, 64), "centroid-window": lambda: A.SpectralCentroid(
        8000, 64, 50, 20, 4, A.WindowType.HAMMING),
    "mel-spectrogram": lambda: A.MelSpectrogram(8000, 64, n_mels=12),
    "mel-spectrogram-slaney": lambda: A.MelSpectrogram(
        8000, 64, 50, 20, 30.0, 3000.0, 3, 9, A.WindowType.HAMMING, 1.5, True, True, A.BorderType.EDGE, True,
        A.NormType.SLANEY, A.MelType.SLANEY),
    "mfcc": lambda: A.MFCC(4000, 8, 2, A.NormMode.ORTHO, True, {**FRAMES, **MELS}),
    "lfcc": lambda: A.LFCC(4000, 12, 8, 0.0, None, 2, A.NormMode.ORTHO, True, {**FRAMES}),
}
FRAMES = {"n_fft": 64, "win_length": 64, "hop_length": 32, "pad": 0, "window": A.WindowType.HANN, "power": 2.0,
          "normalized": False, "center": True, "pad_mode": A.BorderType.REFLECT, "onesided": True}
MELS = {"f_min": 0.0, "f_max": 2000, "n_mels": 12, "norm": A.NormType.NONE, "mel_scale": A.MelType.HTK}


DECIBELS = {
    "mfcc-decibels": lambda: A.MFCC(4000, 8, 2, A.NormMode.NONE, False, {**FRAMES, **MELS}),
    "lfcc-decibels": lambda: A.LFCC(4000, 12, 8, 20.0, 1900.0, speckwargs={**FRAMES}),
}


@case(each={"what": list(DECIBELS)}, atol=2e-3, rtol=1e-5,
      reason="the decibels of what is nearly silent magnify its single precision")
def test_of_decibels(what):
    return DECIBELS[what]()(WAVE), DECIBELS[what]()(LONG)


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
    "of one number": lambda: [A.ComplexNorm(2.0)(PAIRS[0, 0]), A.Angle()(PAIRS[0, 0]), *A.Magphase()(PAIRS[0, 0])],
    "magphase": lambda: A.Magphase(2.0)(PAIRS), "decoded": lambda: A.MuLawDecoding()(np.arange(256)[None]),
    "time": lambda: A.TimeMasking(False, 3, 2, 5.0)(POWERS),
    "frequency": lambda: A.FrequencyMasking(False, 4, 1)(POWERS),
}


@case(each={"what": list(SPECTRA)}, atol=2e-5, rtol=2e-5, reason="the sums are in single precision there")
def test_of_spectra(what):
    return SPECTRA[what]()


COMPLEX = RANDOM.rand(2, 21, 12, 2).astype(np.float32) - 0.5
TONE = np.sin(2 * np.pi * 220 * np.arange(3000) / 8000).astype(np.float32)
ADVANCE = np.linspace(0, np.pi * 10, 21)[:, None].astype(np.float32)
RARE = {                                             # copies, as MindSpore writes into some inputs
    "dct": lambda: [A.create_dct(5, 9, mode) for mode in A.NormMode],
    "linear": lambda: [A.linear_fbanks(33, 0, 4000, 8, 8000), A.linear_fbanks(20, 100.0, 3000, 5, 7000)],
    "mels": lambda: [A.melscale_fbanks(33, 10.0, 4000, 8, 8000, n, t) for n in A.NormType for t in A.MelType],
    "inverse": lambda: [A.InverseSpectrogram(length, 40, width, hop)(COMPLEX.copy())
                        for length in (None, 100) for width, hop in ((None, None), (30, 10))],
    "inverse-normalized": lambda: A.InverseSpectrogram(120, 40, pad=5, normalized=True)(COMPLEX.copy()),
    "inverse-not-centered": lambda: A.InverseSpectrogram(n_fft=40, center=False)(COMPLEX.copy()),
    "vocoder": lambda: [A.PhaseVocoder(rate, ADVANCE)(COMPLEX.copy()) for rate in (1.3, 0.7, 2, 1)],
    "stretch": lambda: [A.TimeStretch(10, 21, rate)(COMPLEX.copy()) for rate in (1.3, 0.7, None)],
    "doubles": lambda: [str(A.MFCC(4000, 8)(WAVE.astype(np.float64)).dtype),    # the values are NaN there
                        A.DetectPitchFrequency(8000)(TONE.astype(np.float64)),
                        A.TimeStretch(n_freq=21)(COMPLEX[0].astype(np.float64))],
    "griffin": lambda: A.GriffinLim(40, 5, rand_init=False, momentum=0.5)(POWERS.copy()),
    "griffin-power": lambda: A.GriffinLim(40, 3, power=1.0, rand_init=False, momentum=0.0)(POWERS.copy()),
    "normalized": lambda: [A.SlidingWindowCmn(5, 3, center, norm)(POWERS.copy())
                           for center in (False, True) for norm in (False, True)],
    "normalized-all": lambda: A.SlidingWindowCmn()(POWERS.copy()),
    "pitch": lambda: [A.DetectPitchFrequency(8000)(np.stack([TONE, TONE[::2].repeat(2)])),
                      A.DetectPitchFrequency(4000, 0.02, 5, 100, 1000)(TONE[:2960])],
    "flanger": lambda: [A.Flanger(8000)(WAVE.copy()), A.Flanger(
        44100, 5.0, 4.0, 50.0, 60.0, 3.0, 40.0, A.Modulation.TRIANGULAR, A.Interpolation.QUADRATIC)(WAVE.copy())],
    "mask": lambda: [A.MaskAlongAxis(2, 3, 5.0, axis)(POWERS.copy()) for axis in (1, 2)],
}


@case(each={"what": list(RARE)}, atol=5e-5, rtol=2e-5, reason="the sums are in single precision there")
def test_of_rare_ones(what):
    return RARE[what]()


@case(each={"seed": [1, 2]})
def test_masks_are_drawn_from_the_seed(seed):
    found = []
    for transform in (A.MaskAlongAxisIID(8, 1.0, 1), A.MaskAlongAxisIID(8, 1.0, 2), A.TimeMasking(True, 8),
                      A.FrequencyMasking(True, 8)):
        ds.config.set_seed(seed)
        data = ds.NumpySlicesDataset({"x": np.stack([POWERS[0]] * 4)}, shuffle=False)
        data = data.map(transform, ["x"], num_parallel_workers=1)
        found.append([row["x"] for row in data.create_dict_iterator(1, output_numpy=True)])
    return found


@case
def test_a_spectrogram_of_given_mels():
    spectrum = np.random.RandomState(0).rand(2, 21, 7).astype(np.float32)
    scale = A.MelScale(8, 8000, n_stft=21)
    found = A.InverseMelScale(21, 8, 8000, max_iter=3000)(scale(spectrum))
    return found.shape, str(found.dtype), bool(found.min() >= 0)


@case(each={"dtype": ["float32", "float64"]}, atol=2e-5, rtol=0.0, reason="sums in another order")
def test_what_is_sought_from_random_numbers(dtype):
    mels, found = np.abs(np.random.RandomState(0).rand(2, 8, 3)).astype(dtype), []
    for settings in ({"max_iter": 4}, {"max_iter": 300, "tolerance_loss": 0.05}, {"max_iter": 300, "tolerance_change": 1e-3},
                     {"max_iter": 9, "sgdargs": {"sgd_lr": 0.2, "sgd_momentum": 0.5}}):
        ds.config.set_seed(7)
        found.append(A.InverseMelScale(21, 8, 8000, **settings)(mels))
    for powers in (POWERS.copy(), POWERS[None].copy(), POWERS[0].copy()):
        ds.config.set_seed(5)
        found.append(A.GriffinLim(40, 2)(powers))
    return found, A.PitchShift(8000, 0, n_fft=64)(WAVE.astype(dtype)), A.Resample(8000, 8000)(np.arange(3))


MISTAKES = {
    "overdrive": lambda: A.Overdrive(200), "phaser": lambda: A.Phaser(44100, 2.0),
    "phaser-speed": lambda: A.Phaser(44100, mod_speed=3.0), "flanger": lambda: A.Flanger(0),
    "flanger-delay": lambda: A.Flanger(44100, 40.0), "flanger-kind": lambda: A.Flanger(44100, modulation="x"),
    "mask-axis": lambda: A.MaskAlongAxis(1, 2, 1.0, 3), "mask-width": lambda: A.MaskAlongAxis(1, 0, 1.0, 1),
    "iid": lambda: A.MaskAlongAxisIID(-1, 1.0, 1), "vocoder": lambda: A.PhaseVocoder(-1, ADVANCE),
    "vocoder-list": lambda: A.PhaseVocoder(1.0, [1]), "stretch": lambda: A.TimeStretch(0),
    "pitch": lambda: A.PitchShift(8000, 1.5), "pitch-bins": lambda: A.PitchShift(8000, 1, 0),
    "doubles": lambda: [str(A.MFCC(4000, 8)(WAVE.astype(np.float64)).dtype),    # the values are NaN there
                        A.DetectPitchFrequency(8000)(TONE.astype(np.float64)),
                        A.TimeStretch(n_freq=21)(COMPLEX[0].astype(np.float64))],
    "griffin": lambda: A.GriffinLim(10, win_length=20), "griffin-power": lambda: A.GriffinLim(power=-1),
    "inverse": lambda: A.InverseSpectrogram(-1), "inverse-window": lambda: A.InverseSpectrogram(n_fft=10, win_length=20),
    "dct": lambda: A.create_dct(0, 3), "dct-kind": lambda: A.create_dct(1.0, 3),
    "banks": lambda: A.linear_fbanks(3, 5, 4, 2, 8000), "mel-banks": lambda: A.melscale_fbanks(3, 0, 4, 2, 8000, 1),
    "mfcc": lambda: A.MFCC(dct_type=3), "lfcc": lambda: A.LFCC(f_min=9000.0), "lfcc-order": lambda: A.LFCC(
        f_min=90.0, f_max=80.0),
    "cmn": lambda: A.SlidingWindowCmn(-1), "detect": lambda: A.DetectPitchFrequency(0),
    "mel-order": lambda: A.MelSpectrogram(f_min=90.0, f_max=80.0), "mel-low": lambda: A.MelSpectrogram(f_min=9000.0),

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


@case(each={"shaped": [False, True], "kind": ["float32", "float64"]})
def test_dither(shaped, kind):
    return A.Dither(noise_shaping=shaped)(WAVE.astype(kind))


VADS = {
    "plain": {}, "search": {"search_time": 0.2}, "level": {"trigger_level": 0.0, "pre_trigger_time": 0.05},
    "long": {"pre_trigger_time": 0.3, "search_time": 1.5}, "often": {"measure_freq": 33.0, "measure_duration": 0.07},
    "lifters": {"hp_lifter_freq": 2000.0, "lp_lifter_freq": 150.0}, "none": {"search_time": 0.0},
    "filters": {"hp_filter_freq": 6000.0, "lp_filter_freq": 50.0}, "up": {"noise_up_time": 0.001},
    "text": {"search_time": "1"}, "duration": {"measure_duration": -1.0},
}


@case(each={"what": list(VADS), "kind": ["float32", "float64"]})
def test_vad(what, kind):
    return said(lambda: A.Vad(1000, **VADS[what])(data((2, 1300), kind)))


@case
def test_waves_without_samples_or_of_other_kinds():
    return [said(lambda w=w: A.Vol(0.5)(w)) for w in (np.zeros((2, 0)), np.ones(3, np.complex64), np.array(["a"]))]
