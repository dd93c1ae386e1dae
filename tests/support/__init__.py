"""Shared parts of the tests: servers, test doubles, playbooks."""
