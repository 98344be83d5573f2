"""Tools over probabilistic networks, of MindSpore 1.x (``mindspore.nn.probability.toolbox``)."""

from .uncertainty_evaluation import UncertaintyEvaluation
from .vae_anomaly_detection import VAEAnomalyDetection

__all__ = ["UncertaintyEvaluation", "VAEAnomalyDetection"]
