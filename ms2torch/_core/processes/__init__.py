"""Many processes: who this one is, groups, collectives, reduced gradients, faults by name.

Invariants
- One process has no process group and pays nothing.
- On the CPU, processes compare what they are about to do first: a mismatch is an error with names.
- A failure anywhere ends every rank, and each names the one that failed.
"""
