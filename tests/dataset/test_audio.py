"""What is sought from random numbers, held against mathematics."""

import numpy as np

import ms2torch.dataset.audio as audio


def test_griffin_lim_from_random_phases_has_the_given_spectrum():
    frames = audio.Spectrogram(64, hop_length=16)
    powers = frames(np.sin(np.arange(640) / 3).astype(np.float32))
    found = frames(audio.GriffinLim(64, 60, hop_length=16, momentum=0.2)(powers))
    assert np.linalg.norm(np.sqrt(found) - np.sqrt(powers)) < 0.25 * np.linalg.norm(np.sqrt(powers))
