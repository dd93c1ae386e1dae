"""Finding words: in the open conversation, and in all of them."""
