"""Datasets: what keeps its order becomes torch.utils.data; a shuffled one stays on ms2torch.dataset."""
