"""What a question means, for what was said to be found by it."""
