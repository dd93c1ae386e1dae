"""Markdown without Qt: splitting into pieces, preparation for a parser, and plain text."""
