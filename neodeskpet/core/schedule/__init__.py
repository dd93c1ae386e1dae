"""When things come: rules and their next runs, and the words people say them in."""
