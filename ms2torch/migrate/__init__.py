"""Leaving for plain PyTorch: ``differences()`` are the facts in which the two frameworks differ."""
