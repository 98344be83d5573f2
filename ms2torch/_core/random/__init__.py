"""Random numbers: MindSpore's, bit for bit, where its generators are known.

Invariants
- Every draw comes from a stream that ``set_seed`` determines: one of MindSpore's own, or torch's generator.
  The seeds of initial weights alone come from numpy's global generator, as MindSpore's do.
- What was drawn from MindSpore's streams since `random_streams.begin_journal` can be taken back.
"""
