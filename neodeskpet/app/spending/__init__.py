"""The budget of a month, watched."""
