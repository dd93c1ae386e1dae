"""Markdown without Qt: cut into pieces, made ready for a parser, read as plain words."""
