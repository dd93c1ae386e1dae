"""Access to the desktop environment: D-Bus, notifications, sounds, power, compositor."""
