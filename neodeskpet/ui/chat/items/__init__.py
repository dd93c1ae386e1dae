"""The items that a message is painted from, one below the other."""
