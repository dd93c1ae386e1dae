"""Fills the palette, and carries out what hot keys ask for."""
