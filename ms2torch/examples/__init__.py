"""Programs as MindSpore's users wrote them: ``python -m ms2torch -m ms2torch.examples.segments``."""
