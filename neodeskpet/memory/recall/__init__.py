"""What was said is found again: an index beside the conversations, and how it is asked."""
