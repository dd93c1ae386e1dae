"""A turn as a pure machine: signals in, events out; its states, its draft, its guards."""
