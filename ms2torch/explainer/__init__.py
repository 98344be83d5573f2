"""Why a network says what it says (``mindspore.explainer``, 1.1 to 1.5): saliency maps of images.

Its benchmarks and the runner that writes for MindInsight are not here; the package mindspore-xai has them.
"""
