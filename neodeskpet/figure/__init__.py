"""The companion's body: models, what they can do, how they move. No Qt here."""
