"""Work that goes on after the turn that began it: its states, and when its end is told."""
