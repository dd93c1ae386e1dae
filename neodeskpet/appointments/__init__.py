"""Appointments: what comes once or again, by the calendar, and rings or has the companion act."""
