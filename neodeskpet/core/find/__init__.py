"""Words that are looked for, and where they stand in a text. Pure."""
