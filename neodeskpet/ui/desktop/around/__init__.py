"""The windows of other programs: where they are, and when one of them moves."""
