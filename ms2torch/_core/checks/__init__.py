"""What MindSpore asks of a call, and what it says of a wrong one.

Invariants
- A good call pays nothing here, or next to it: words are made after a call has failed (`calls`, `rules`,
  `refused`). Only where torch would take what MindSpore refuses are arguments looked at on the way in, by
  what guards.tsv, preconditions.tsv and odd.tsv name (`guards`, `prechecks`, `preconditions`, `odd`).
- A text is MindSpore's or is found by cause and operands (`causes`, `refusals`); the few words of torch's
  that tell a cause are listed in `torch_private`.
- What was read off the real one by scripts/sweep_errors.py is a table (guards, odd, refused, rules,
  single_forms); preconditions.tsv and overloads.tsv are written by hand. A line holds for every input of its
  kind, or it goes.
"""
