"""Figures: their models, what these can do, and how they move. No Qt here."""
