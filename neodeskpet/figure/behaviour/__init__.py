"""What it does by itself: idling, sleep, feelings. Pure: chance and time come from the caller."""
