"""What the companion wanted to say, as a list."""
