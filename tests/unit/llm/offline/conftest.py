"""A conversation with the offline helper, for every test that asks for `talk`."""

from __future__ import annotations

import pytest

from tests.unit.llm.offline.talking import Talk


@pytest.fixture(params=["native", "tool_request"])
def talk(request: pytest.FixtureRequest) -> Talk:
    """In both modes: everything must come out the same."""
    return Talk(request.param)
