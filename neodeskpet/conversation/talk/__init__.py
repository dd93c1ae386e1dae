"""A talk of companions with each other, run."""
