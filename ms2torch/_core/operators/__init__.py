"""Operators: one definition each, and the forms that derive from it.

Invariants
- A kernel sees torch tensors alone; Tensors are lowered before it and results lifted after it (`dispatch`).
- A name has one definition (`registry` refuses a second); ``replaces`` says where a form differs on purpose.
- MindSpore's words for a wrong call are made after a call has failed, never on the way in.
"""
