"""Hostile input: what no text, archive, model or database may do to the app.

`./run bench hostile [--only WORD]`: each case runs in a process of its own, with a limit of time
and memory. A row shows the longest block of the interface's thread, the seconds, the peak of memory
and the result. `texts`, `turns`, `tools`, `figures` and `databases` contain the cases, `child` runs
one.
"""
