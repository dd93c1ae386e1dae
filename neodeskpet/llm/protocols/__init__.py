"""The protocols of model services: pure request builders and decoders."""
