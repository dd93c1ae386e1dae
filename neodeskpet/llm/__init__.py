"""Model services: protocol adapters (pure), the HTTP client, retries, offline models."""
