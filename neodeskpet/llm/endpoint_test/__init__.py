"""Tests an endpoint: which features work, and which tool mode to use."""
