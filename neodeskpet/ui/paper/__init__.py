"""Conversations on paper: a PDF, painted by a process of its own."""
