"""Tries an endpoint: what works there, and which mode to use."""
