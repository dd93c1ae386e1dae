"""Hostile input: what no text, archive, model or database may do to the app.

`./run bench hostile [--only WORD]`: each case runs in a process of its own, under a limit of time
and memory. A row tells the longest hold of the interface's thread, the seconds, the peak of memory
and what it came to. `texts`, `turns`, `tools`, `figures` and `databases` hold the cases, `child`
runs one.
"""
