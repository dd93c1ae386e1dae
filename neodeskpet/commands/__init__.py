"""The commands of the terminal, one a file with `run(argv) -> exit code`."""
