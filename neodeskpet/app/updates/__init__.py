"""Newer versions: what the person is told of them."""
