"""Whether music plays in any program: that alone, not which."""
