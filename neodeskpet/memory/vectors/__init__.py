"""Embedding vectors of texts: stored, updated in the background, and searched."""
