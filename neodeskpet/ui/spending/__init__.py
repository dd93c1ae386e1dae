"""What answers cost, in a window."""
