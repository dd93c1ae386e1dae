"""Models for a purpose: selection, order, rate limits and retries."""
