"""From a purpose to the models that answer it: choice, order, pace and retry."""
