"""``ms2torch convert-checkpoint``: weights and optimizer state between MindSpore's files and PyTorch's."""
