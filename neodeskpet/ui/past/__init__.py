"""The window in which a past is looked at, and chosen from, before it is brought in."""
