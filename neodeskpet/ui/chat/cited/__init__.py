"""Which documents an answer was told of: chips below it."""
