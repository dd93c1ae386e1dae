"""Colours of code: lexed in a process of its own, laid over a document."""
