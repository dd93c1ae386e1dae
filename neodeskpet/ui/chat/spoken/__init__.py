"""What of a conversation is said aloud as it comes."""
