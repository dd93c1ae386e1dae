"""The tools: how one is declared, run and asked about; the builtin families are in `builtin`."""
