"""Figures made of pictures: Codex pets, Shimeji packs, plain pictures, and Neo without Live2D's
library.
"""
