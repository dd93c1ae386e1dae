"""What answers cost: requests, their sums, and the budget. Pure."""
