"""Exports conversations to files: Markdown, JSON, HTML and PDF."""
