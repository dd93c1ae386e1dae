"""Texts found by what they mean: their vectors, on this computer, and the work of making them."""
