"""What happened in a turn, for whoever asks."""
