"""What every protocol reads a stream with: its events, whole characters, thinking in tags."""
