"""What the desktop around the windows offers: its bus, notices, sounds, power, compositor."""
