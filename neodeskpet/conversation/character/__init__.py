"""Characters of cards in conversations."""
