"""The knowledge base before the person: what they added, and what it says."""
