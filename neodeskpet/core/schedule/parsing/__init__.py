"""Times as people say them, in English and Chinese: what was said, and what it amounts to."""
