"""Reads times in English and Chinese phrases: what was said, and which rule it means."""
