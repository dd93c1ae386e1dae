"""Short facts about the person: read from their own words alone, kept with where they said it."""
