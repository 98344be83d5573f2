"""Devices: the one in use, its streams, its memory, and the C library's heap."""
