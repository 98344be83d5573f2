"""Differentiation: the only room where autograd records.

Invariants
- At rest nothing requires grad, and no state of a differentiation is left anywhere.
- A body runs once; what it wrote is committed once or rolled back wholly.
- Gradients are values: ``.grad`` is never written on a weight.
"""
