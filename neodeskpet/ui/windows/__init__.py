"""What windows have in common: which there are, where they stand, what happens to them."""
