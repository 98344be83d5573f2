"""Random numbers: MindSpore's, bit for bit, where its generators are known.

Invariants
- Every draw comes from a stream that ``set_seed`` determines; nothing draws from Python's or numpy's global
  generator in silence.
- What was drawn since `random_streams.begin_journal` can be taken back.
"""
