"""`neodeskpet store`: where conversations and memory are."""
