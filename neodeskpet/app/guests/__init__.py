"""Companions beside the first: their figures, their conversations, and who is meant by what."""
