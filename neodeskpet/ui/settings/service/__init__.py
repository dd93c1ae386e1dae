"""The settings of model services: cards, keys, models, trials, roles."""
