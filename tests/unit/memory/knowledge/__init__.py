"""Knowledge."""
