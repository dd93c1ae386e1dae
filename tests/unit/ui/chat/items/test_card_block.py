"""The content of a card, opened by the user or by its question."""

import json
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import ToolStatus
from neodeskpet.core.errors import InvalidArguments, ToolFault
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import ApprovalText
from neodeskpet.language import set_language
from neodeskpet.ui.chat.items.code_items import MonospaceItem
from neodeskpet.ui.chat.items.tool_card_items import (
    ApprovalButtons,
    CardEnd,
    CardHead,
    CardLabel,
    CardLinks,
)
from neodeskpet.ui.chat.items.tool_card_model import CLIP_LINES, ToolCardModel, clip_head, clip_tail
from tests.unit.ui.chat.doubles import call, click, companion, entry, find, open_view


def opened(model: ToolCardModel) -> ToolCardModel:
    if not model.opened:
        model.toggle()
    return model


def texts(model: ToolCardModel) -> list[str]:
    return [item.source for item in model.items() if isinstance(item, MonospaceItem)]


def labels(model: ToolCardModel) -> list[str]:
    return [item.text for item in model.items() if isinstance(item, CardLabel)]


def test_closed_it_is_one_line() -> None:
    model = ToolCardModel(call(0))
    assert [type(item) for item in model.items()] == [CardHead]
    assert not model.head.has_body


def test_open_it_has_labelled_parts() -> None:
    model = opened(ToolCardModel(call(0)))
    kinds = [type(item) for item in model.items()]
    part = [CardLabel, MonospaceItem, CardLinks]
    assert kinds == [CardHead, *part, *part, CardEnd]
    assert labels(model) == ["Arguments", "Output"]
    assert model.head.has_body


def test_a_call_that_was_read_from_the_text_says_so() -> None:
    model = opened(ToolCardModel(call(0, leaked=True)))
    assert labels(model) == ["Arguments · read from the text", "Output"]
    assert model.head.accessible_text == "web.search, rain, It rains., read from the text"
    assert ToolCardModel(call(0)).head.accessible_text == "web.search, rain, It rains."


@pytest.mark.parametrize(
    ("status", "label", "token"),
    [(ToolStatus.ERROR, "Error", "failed"), (ToolStatus.DENIED, "Reason", "muted")],
)
def test_what_broke_is_red_and_what_was_not_allowed_is_not(
    status: ToolStatus, label: str, token: str
) -> None:
    model = opened(ToolCardModel(call(0, status, error="Because.")))
    assert labels(model) == ["Arguments", label]
    assert texts(model)[-1] == "Because."
    (shown,) = [one for one in model.items() if isinstance(one, CardLabel) and one.text == label]
    assert shown.token == token


def test_the_text_of_a_failure_follows_the_language_and_the_models_text_is_below(
    qtbot: QtBot,
) -> None:
    error = InvalidArguments.at("id", N_("there is no note {id}."), id="7")
    error.advice = "Find it with note.search first."
    failed = call(0, ToolStatus.ERROR, error=str(error), fault=ToolFault.of(error))
    view = open_view(qtbot, companion("a", failed), size=(480, 700))
    place, _ = find(view, "a", CardHead)
    click(view, place, "toggle")
    model = entry(view, "a").card(0)
    assert model is not None
    assert labels(model) == ["Arguments", "Error"]
    assert texts(model)[1] == str(error)
    set_language("zh_CN")
    try:
        view.retranslate()
        assert labels(model) == ["参数", "错误", "模型读到的内容"]
        assert texts(model)[1:] == ["参数不符合要求。id：没有编号为 7 的笔记。", str(error)]
    finally:
        set_language("en")


def test_many_lines_are_counted_and_clipped() -> None:
    model = opened(ToolCardModel(call(0, output="x\n" * 50)))
    assert labels(model)[1] == "Output · 51 lines"
    assert len(texts(model)[1].split("\n")) == CLIP_LINES
    model.sections["output"].shows_all = True
    assert "\n".join(texts(model)[1:]) == "x\n" * 50


def test_of_megabytes_the_beginning_is_shown_and_everything_can_be_copied_or_shown() -> None:
    rows = [{"row": "中\u202e" * 9_000}] * 60
    model = opened(ToolCardModel(call(0, arguments={"rows": rows}, output="\x1bword " * 100_000)))
    arguments, output = (model.sections[name] for name in ("arguments", "output"))
    for section in (arguments, output):
        model.items()
        assert section.links.clipped
    assert texts(model)[0].startswith('{\n  "rows": [\n    {\n      "row": "中\\u202e中')
    assert texts(model)[0].endswith(" …")
    assert json.loads(arguments.links.text) == {"rows": rows}
    assert output.links.text == "word " * 100_000
    arguments.shows_all = True
    assert json.loads("".join(texts(model)[:-1])) == {"rows": rows}


def test_a_huge_output_is_cut_into_parts() -> None:
    model = opened(ToolCardModel(call(0, output="word " * 100_000)))
    model.sections["output"].shows_all = True
    parts = texts(model)[1:]
    assert "".join(parts) == "word " * 100_000
    assert max(map(len, parts)) <= 3_000


def test_a_question_is_in_words_and_json_is_only_in_the_details() -> None:
    asked = call(0, ToolStatus.ASKING, arguments={"path": "/x", "when": {"day": 2}, "all": True})
    model = ToolCardModel(asked)
    assert not model.opened
    assert model.head.accessible_text == "Use “web.search”?"
    assert texts(model) == ["path: /x\nwhen › day: 2\nall: ✓"]
    model.toggle()
    assert "{" in texts(model)[1]
    nothing = ToolCardModel(call(0, ToolStatus.ASKING, arguments={}))
    assert [type(item) for item in nothing.items()] == [CardHead, ApprovalButtons, CardEnd]


def test_a_question_has_the_text_of_the_tool() -> None:
    title = Reason("Delete the note “{name}”?", {"name": "PIN"})
    text = ApprovalText(title, "PIN: 40-17", verb="Delete", keep="Keep it")
    model = ToolCardModel(call(0, ToolStatus.ASKING, question=text))
    assert model.head.accessible_text == "Delete the note “PIN”?"
    assert texts(model) == ["PIN: 40-17"]
    assert labels(model) == ["Can be undone"]
    final = replace(text, undoable=False)
    model.set_block(call(0, ToolStatus.ASKING, question=final))
    assert labels(model) == ["Can't be undone"]


def test_the_users_choice_is_kept_in_another_state() -> None:
    model = ToolCardModel(call(0, ToolStatus.ASKING, arguments={"a": 1, "b": 2}))
    model.set_block(call(0, ToolStatus.RUNNING))
    assert not model.opened
    model.toggle()
    model.set_block(call(0))
    assert model.opened


def test_arguments_are_visible_while_they_stream(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    scene = view.scene
    writing = call(0, ToolStatus.WRITING, arguments={}, raw_arguments="")
    model = ToolCardModel(writing)
    model.set_block(
        type(writing)(0, 0, "c", "note.add", raw_arguments="", status=ToolStatus.WRITING)
    )
    opened(model)
    for piece in ('{"text"', ': "Hel', "lo"):
        model.append(piece)
        model.sync(scene)
    assert texts(model) == ['{"text": "Hello']
    model.append("\n".join(str(n) for n in range(40)))
    model.sync(scene)
    assert texts(model)[0].endswith("38\n39")


def test_unchanged_items_are_kept(qtbot: QtBot) -> None:
    model = opened(ToolCardModel(call(0)))
    before = model.items()
    model.set_block(call(0))
    assert model.items() == before


def test_clipping() -> None:
    assert clip_head("short") == "short"
    assert clip_head("x" * 5000).endswith("x …")
    assert clip_tail("short") == "short"
    assert clip_tail("a\n" * 40 + "end").endswith("a\nend")
    assert clip_tail("a\n" * 40 + "end").startswith("… ")


def test_a_long_text_is_cut_to_six_lines_until_everything_is_wanted() -> None:
    text = "\n".join(f"line {number}" for number in range(9))
    asked = ApprovalText(Reason("Add the note?"), text)
    model = ToolCardModel(call(0, ToolStatus.ASKING, question=asked))
    assert texts(model)[0].count("\n") == 5
    model.sections["thing"].shows_all = True
    assert texts(model)[0] == text
