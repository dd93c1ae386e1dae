"""Unit tests; the folders mirror the package."""
