"""Facts about the user, found in their own words."""
