"""The Tensor: one slot around one torch.Tensor, its kinds, its indexing, its printed form.

Invariants
- ``_t`` is the torch.Tensor inside. The engine and kernels read it. This room, ``gradient`` and ``Parameter``
  write it; so do those who lend a Parameter other content for a block (``repeating``, hooked parameters, a
  trace), the writing operators (``ops.function._writing``) and the graph language's containers. Two
  wrappers may hold the same torch tensor; a wrapper never holds a wrapper.
- Outside a differentiation no ``_t`` requires grad.
- ``_origin`` says what a copied part was read from (`writing_back`); views need none. ``_part`` is set on
  what was read by an index.
- A write to elements goes through ``Tensor._set_elements``. At rest a write by numbers and slices is seen
  by all that share the memory; one by any other index gives the torch tensor memory of its own (`sharing`),
  but for a part, which is written where it was read. ``Tensor._write`` asks the differentiation that is
  open where the value may go. Beside it the writing operators alone, and optimizers inside
  `recording.Updating`, write into ``_t``'s memory in place.
"""
