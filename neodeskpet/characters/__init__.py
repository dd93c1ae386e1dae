"""Characters and personas: the name of each figure, what a model is told about it, and its
greeting.
"""
