"""Calls as Python writes them, bare or between marks, read by `literals.py`."""
