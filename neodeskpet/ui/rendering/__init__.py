"""Draws formulas, colours code and paints pages: the parts that run in child processes, and the
parts that ask them.
"""
