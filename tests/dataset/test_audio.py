"""What MindSpore draws without a seed to follow: held against mathematics."""

import numpy as np

import ms2torch.dataset.audio as audio


def test_inverse_mel_scale_has_the_given_mels():
    spectrum = np.random.RandomState(0).rand(2, 21, 7).astype(np.float32)
    scale = audio.MelScale(8, 8000, n_stft=21)
    found = audio.InverseMelScale(21, 8, 8000, max_iter=3000)(scale(spectrum))
    assert found.shape == spectrum.shape
    assert found.min() >= 0
    assert np.abs(scale(found) - scale(spectrum)).max() < 0.02


def test_griffin_lim_from_random_phases_has_the_given_spectrum():
    frames = audio.Spectrogram(64, hop_length=16)
    powers = frames(np.sin(np.arange(640) / 3).astype(np.float32))
    found = frames(audio.GriffinLim(64, 60, hop_length=16, momentum=0.2)(powers))
    assert np.linalg.norm(np.sqrt(found) - np.sqrt(powers)) < 0.25 * np.linalg.norm(np.sqrt(powers))
