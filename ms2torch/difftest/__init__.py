"""The twin run: a script on the real MindSpore and on ms2torch, number by number (``ms2torch diff``)."""
