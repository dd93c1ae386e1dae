"""The system prompt."""

from neodeskpet.conversation.prompt import PERSONA, build_prompt
from neodeskpet.core.dialects import NATIVE, TOOL_REQUEST
from neodeskpet.core.toolspec import ToolSpec

TOOLS = [ToolSpec("clock.now", "The time.")]


def test_native_tools_travel_apart() -> None:
    assert build_prompt("You are Neo.", NATIVE, TOOLS) == "You are Neo."


def test_a_text_dialect_announces_them_behind_the_persona() -> None:
    prompt = build_prompt("You are Neo.", TOOL_REQUEST, TOOLS)
    assert prompt == "You are Neo.\n\n" + TOOL_REQUEST.announce(TOOLS)


def test_no_tools_no_announcement() -> None:
    assert build_prompt("You are Neo.", TOOL_REQUEST, []) == "You are Neo."


def test_the_companion_knows_who_it_is_and_that_it_has_a_body() -> None:
    assert "Neo" in PERSONA
    assert "live2d.expression" in PERSONA
