"""Operators: one definition each, and the forms that derive from it.

Invariants
- A kernel sees torch tensors alone; Tensors are lowered before it and results lifted after it (`dispatch`).
- A name has one definition (`registry` refuses a second). A form whose arguments alone are called otherwise
  is declared by its signature (`spelling`); one that computes something else has a definition of its own.
- MindSpore's words for a wrong call (`calls`, `rules`) are made after a call has failed. Only where kernels
  would take what MindSpore refuses are inputs looked at on the way in: by the Primitives in `guards`, and by
  the functions and methods in guards.tsv and preconditions.tsv (`prechecks`).
"""
