"""What answers cost, as it is kept beside the conversations."""
