"""Differentiation: the only room where autograd records.

Invariants
- At rest nothing requires grad, and no state of a differentiation is left anywhere.
- A body runs once; what it wrote is committed once or rolled back wholly.
- A train cell's step that raises has not begun: what its passes settled and drew, what it wrote to Parameters
  itself and what an optimizer of the package wrote (`nn.optim._undo`) is taken back. What stays: writes of an
  optimizer that a program wrote itself, attributes that are no Parameters, what other processes did.
- A gradient function, and an optimizer called on its own, is such a whole each.
- Gradients are values: ``.grad`` is never written on a weight.
- One thread at a time is in a pass, or in a train cell.
"""
