"""Items that may be wider than their place and are scrolled sideways."""
