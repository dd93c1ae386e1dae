"""Tools that the user wrote: Python files in a folder, each run in a child process."""
