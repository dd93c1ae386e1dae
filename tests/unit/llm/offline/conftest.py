"""A conversation with the offline helper, for every test that uses `talk`."""

from __future__ import annotations

import pytest

from tests.unit.llm.offline.talking import Talk


@pytest.fixture(params=["native", "tool_request"])
def talk(request: pytest.FixtureRequest) -> Talk:
    """In both modes: all results must be the same."""
    return Talk(request.param)
