"""Finds what was said in earlier conversations and answers a question."""
