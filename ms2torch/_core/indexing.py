"""Indexing as MindSpore has it."""
def getitem(t, index):
    return t[index]
def setitem(t, index, value):
    t[index] = value
