"""Companions that talk with each other: whose turn it is, and what each of them hears. Pure."""
