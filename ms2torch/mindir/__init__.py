"""MindIR files: networks as graphs of primitives, read without MindSpore and run on ours."""
