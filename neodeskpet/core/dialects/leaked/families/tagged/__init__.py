"""Tags around the name and around each argument, read by `markup.py`; and those around thinking."""
