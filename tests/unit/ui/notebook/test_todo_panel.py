"""The form of a to-do: the text, and which due date is read from it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.schedule.due import Due
from neodeskpet.language import set_language
from neodeskpet.notebook.todos import Todo
from neodeskpet.ui.formatting import due_words
from neodeskpet.ui.notebook.todo_panel import TodoForm

NOW = datetime(2026, 11, 27, 10).timestamp()
"""A Friday, in local clock time."""


@pytest.fixture
def form(qtbot: QtBot) -> Iterator[TodoForm]:
    form = TodoForm(lambda: NOW)
    qtbot.addWidget(form)
    form.retranslate()
    form.show()
    form.edit(None)
    yield form


def test_a_sentence_has_a_text_and_a_due_date(form: TodoForm) -> None:
    form.text.setText("hand in the form by Monday 5 pm")
    assert form.from_text.isVisible()
    assert form.from_text.text() == "Due: Mon, 30 Nov 17:00"
    assert form.read() == ("hand in the form", "2026-11-30 17:00")
    form.from_text.setChecked(False)
    assert form.read() == ("hand in the form by Monday 5 pm", "")
    form.text.setText("周三交表")
    form.from_text.setChecked(True)
    assert form.read() == ("交表", "2026-12-02")
    form.text.setText("milk")
    assert not form.from_text.isVisible()
    assert form.read() == ("milk", "")


def test_an_unclear_time_is_named_and_stays_in_the_text(form: TodoForm) -> None:
    form.text.setText("prepare Friday's meeting")
    assert not form.from_text.isVisible()
    assert "“Friday”" in form.understood.text()
    assert form.read() == ("prepare Friday's meeting", "")


def test_the_field_of_the_due_date_has_priority_over_the_sentence(form: TodoForm) -> None:
    form.text.setText("the film of tomorrow")
    form.due.setText("next Wednesday")
    assert form.understood.text() == "Wed, 2 Dec"
    assert not form.from_text.isVisible()
    assert form.read() == ("the film of tomorrow", "2026-12-02")
    form.due.setText("when I can")
    assert not form.understood.isVisible()
    assert form.read() is None
    assert "isn't a time I understand" in form.sheet.error_label.text()


def test_one_that_is_overdue_can_be_edited(form: TodoForm) -> None:
    form.edit(Todo(1, "tomorrow's form", 0.0, due=Due(date(2026, 11, 1), time(9))))
    assert form.due.text() == "2026-11-01 09:00"
    assert form.read() == ("tomorrow's form", "2026-11-01 09:00")
    form.due.clear()
    assert form.read() == ("tomorrow's form", "")


@pytest.mark.parametrize(
    ("due", "english", "chinese"),
    [
        (Due(date(2026, 11, 27), time(17)), "Today 17:00", "今天 17:00"),
        (Due(date(2026, 11, 28)), "Tomorrow", "明天"),
        (Due(date(2026, 11, 26)), "Yesterday", "昨天"),
        (Due(date(2026, 12, 4)), "Fri, 4 Dec", "12月4日 周五"),
        (Due(date(2027, 1, 4)), "4 Jan 2027", "2027年1月4日"),
    ],
)
def test_the_due_date_in_words(due: Due, english: str, chinese: str) -> None:
    assert due_words(due, NOW) == english
    set_language("zh_CN")
    try:
        assert due_words(due, NOW) == chinese
    finally:
        set_language("en")
