"""Draws formulas, highlights code and paints pages: the parts in child processes, and their
clients.
"""
