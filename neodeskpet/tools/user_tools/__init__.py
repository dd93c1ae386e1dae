"""Tools that the person wrote: Python files in a folder, each run in a process of its own."""
