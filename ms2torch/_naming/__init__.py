"""Names: all that MindSpore has or had, which release's meaning each has, what an absent one answers."""
