"""Conversations as files that people keep: Markdown, a web page, JSON, paper."""
