"""Shared widgets: labels of plain text, controls, lists, a search field, an undo bar."""
