"""What the tests share: servers, doubles that only tests need, playbooks."""
