"""The page of the characters: cards of one's own and of others."""
