"""Random numbers: MindSpore's, bit for bit, where its generators are known.

Invariants
- Every draw comes from a stream that ``set_seed`` determines; nothing draws from Python's or numpy's global
  generator in silence.
- The state of all streams can be taken and put back (`random_streams.as_before`).
"""
