"""Platform."""
