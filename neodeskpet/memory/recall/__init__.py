"""Recall: finds texts of earlier conversations that answer a question."""
