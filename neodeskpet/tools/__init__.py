"""The tools that ship with the app. Their families are in `builtin`."""
