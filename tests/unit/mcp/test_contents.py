"""Answers of MCP servers as results of a tool."""

import base64
from typing import Any

import pytest

from neodeskpet.core.attachments import MOST_ATTACHMENTS, Picture
from neodeskpet.core.errors import PictureRefused
from neodeskpet.core.tool_result import ShownImage, ToolResult
from neodeskpet.mcp.result_mapping import (
    prompt_as_user_text,
    read_prompt,
    read_resource,
    read_result,
    to_result,
)

DATA = base64.b64encode(b"picture").decode()
IMAGE = {"type": "image", "data": DATA, "mimeType": "image/png"}


def fit(data: bytes, name: str) -> Picture:
    if data != b"picture":
        raise PictureRefused(name=name or "it")
    return Picture("digest", data, "image/png", name)


def result(*parts: Any, **more: Any) -> ToolResult:
    return to_result(read_result({"content": list(parts), **more}), fit)


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def test_texts_are_joined_and_data_is_kept() -> None:
    got = result(text("one"), text("two"), structuredContent={"n": 2})
    assert (got.text, got.data, got.images) == ("one\ntwo", {"n": 2}, ())


def test_data_without_text_is_given_as_json() -> None:
    assert result(structuredContent={"城": "上海"}).text == '{"城": "上海"}'


def test_a_picture_is_shown_and_sent() -> None:
    got = result(IMAGE)
    assert got.shown == ShownImage("digest")
    assert [one.data for one in got.images] == [b"picture"]
    assert got.text == "See the picture."
    with_words = result(text("here"), IMAGE)
    assert (with_words.text, with_words.shown, len(with_words.images)) == ("here", None, 1)


def test_content_that_can_not_be_shown_is_described() -> None:
    bad = {**IMAGE, "data": base64.b64encode(b"x").decode()}
    got = result(
        bad,
        {"type": "audio", "data": DATA, "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "file:///a%20b.bin", "blob": DATA}},
        {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "words"}},
        {"type": "resource_link", "uri": "x://y", "name": "Y", "description": "why"},
        {"type": "hologram"},
        {"type": "image", "data": "abc", "mimeType": "image/png"},
        "nonsense",
    )
    assert got.text.splitlines() == [
        "[sound of the kind audio/wav, 7 bytes: not readable]",
        "[a b.bin of the kind unknown kind, 7 bytes: not readable]",
        "words",
        "[resource Y at x://y: why]",
        "[content of the kind hologram, which isn't known here]",
        "[data of the kind image/png, not readable]",
        "[content of the kind None, which isn't known here]",
        "[a picture that can't be shown: it can't be used as a picture.]",
    ]


def test_the_number_of_pictures_is_limited() -> None:
    got = result(*[IMAGE] * (MOST_ATTACHMENTS + 2))
    assert len(got.images) == MOST_ATTACHMENTS
    assert got.text == "[2 more pictures were left out]"


def test_a_huge_answer_is_cut_before_it_reaches_the_window() -> None:
    got = result(text("x" * 3_000_000))
    assert got.text.endswith("x\n[2000000 more characters were left out]")
    assert len(got.text) < 1_001_000


@pytest.mark.parametrize("content", [[], None, "x", 3])
def test_an_answer_without_content_says_so(content: object) -> None:
    assert to_result(read_result({"content": content}), fit).text == "Done; it said nothing."


def test_an_error_is_known() -> None:
    assert read_result({"content": [text("no")], "isError": True}).failed
    assert not read_result({"content": [text("no")]}).failed


def test_resources_and_prompts_are_read() -> None:
    blob = {"uri": "x://p.png", "blob": DATA, "mimeType": "image/png"}
    found = read_resource({"contents": [{"uri": "x://a", "text": "A"}, blob]})
    assert (found.text, found.images) == ("A", ((b"picture", "p.png"),))
    messages = [{"role": "user", "content": text("Hi")}, {"role": "assistant", "content": IMAGE}]
    prompt = read_prompt({"messages": messages})
    assert prompt.text == "user: Hi\n\nassistant: "
    assert len(prompt.images) == 1
    assert prompt_as_user_text({"messages": messages}) == prompt
    said = prompt_as_user_text({"messages": [messages[0], {"role": "user", "content": IMAGE}]})
    assert said.text == "Hi\n\n"
    assert len(said.images) == 1
