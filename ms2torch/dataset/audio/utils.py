"""Enumerations of the audio transforms (``mindspore.dataset.audio.utils``)."""

from __future__ import annotations

from enum import Enum


class BorderType(str, Enum):
    """What to put around a signal."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class DensityFunction(str, Enum):
    """The noise of `Dither`: triangular, even, or normal."""

    TPDF = "TPDF"
    RPDF = "RPDF"
    GPDF = "GPDF"


class FadeShape(str, Enum):
    """How a fade rises and falls."""

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(str, Enum):
    """What a gain is measured in."""

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"


class Interpolation(str, Enum):
    """How `Flanger` reads between samples."""

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class MelType(str, Enum):
    """Which mel scale."""

    HTK = "htk"
    SLANEY = "slaney"


class Modulation(str, Enum):
    """The wave by which `Flanger` swings its delay."""

    SINUSOIDAL = "sinusoidal"
    TRIANGULAR = "triangular"


class NormMode(str, Enum):
    """How a discrete cosine transform is normed."""

    ORTHO = "ortho"
    NONE = "none"


class NormType(str, Enum):
    """Whether mel filters have equal areas."""

    SLANEY = "slaney"
    NONE = "none"


class ResampleMethod(str, Enum):
    """The window over the sinc function of `Resample`."""

    SINC_INTERPOLATION = "sinc_interpolation"
    KAISER_WINDOW = "kaiser_window"


class ScaleType(str, Enum):
    """Whether a spectrogram holds powers or magnitudes."""

    POWER = "power"
    MAGNITUDE = "magnitude"


class WindowType(str, Enum):
    """The window over the frames of a spectrogram."""

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"
