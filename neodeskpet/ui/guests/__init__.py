"""The window of all companions."""
