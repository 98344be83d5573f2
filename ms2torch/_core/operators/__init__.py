"""Operators: one definition each, and the forms that derive from it.

Invariants
- A kernel sees torch tensors alone; Tensors are lowered before it and results lifted after it (`dispatch`).
- A name has one definition (`registry` refuses a second). A form whose arguments alone are called otherwise
  is declared by its signature (`spelling`); one that computes something else has a definition of its own.
- What a call may be given, and what is said of a wrong one, is the next room's (`_core/checks/`).
"""
