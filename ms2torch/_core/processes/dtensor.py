"""torch's DTensor, which torch 2.4 has under a private name alone."""

try:
    from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
    from torch.distributed.tensor.experimental import implicit_replication
except ImportError:
    from torch.distributed._tensor import DTensor, Partial, Replicate, Shard
    from torch.distributed._tensor.experimental import implicit_replication

__all__ = ["DTensor", "Partial", "Replicate", "Shard", "implicit_replication"]
