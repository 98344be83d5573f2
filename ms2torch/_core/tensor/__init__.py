"""The Tensor: one slot around one torch.Tensor, its kinds, its indexing, its printed form.

Invariants
- ``_t`` is the torch.Tensor inside. The engine and kernels read it; only this room, ``gradient`` and
  ``Parameter`` write it. Two wrappers may hold the same torch tensor; a wrapper never holds a wrapper.
- Outside a differentiation no ``_t`` requires grad.
- ``_origin`` says what a copied part was read from (`writing_back`); views need none.
- A write to elements goes through ``Tensor._write``, which asks the differentiation that is open where the
  value may go; nobody else writes into ``_t``'s memory in place.
"""
