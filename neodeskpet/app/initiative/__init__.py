"""Joins speaking by itself and the windows."""
