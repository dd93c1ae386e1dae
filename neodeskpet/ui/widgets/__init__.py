"""Widgets that rooms share: labels of plain text, controls, a search field, a bar to undo."""
