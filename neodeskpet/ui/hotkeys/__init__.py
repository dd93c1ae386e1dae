"""Keys that are heard wherever the focus is, where the desktop allows it."""
