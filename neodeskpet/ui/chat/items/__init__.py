"""What a message is painted from: items, one below the other."""
