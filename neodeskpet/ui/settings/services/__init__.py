"""The settings of model services: connections, keys, models, tests and roles."""
