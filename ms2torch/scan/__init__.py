"""Reading programs without running them: ``ms2torch check`` and ``ms2torch scan`` are this one engine.

`reading` follows names through a file's syntax tree, `answers` asks ms2torch what it has under a name,
`calls` whether it takes a call's arguments, `evaluate` settles tests of versions and of names; `program` and
`codebase` say which files, `report` shows what was found. Nothing of a program is executed.
"""
