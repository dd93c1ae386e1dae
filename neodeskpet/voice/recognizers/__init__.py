"""Speech recognizers that don't use HTTP: one file for each."""
