"""Formulas: drawn in a process of their own, kept, and put into text."""
