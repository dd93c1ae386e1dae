"""A model's own marks before JSON, mostly special tokens of its vocabulary."""
