"""The rewriting of one file."""
