"""Qt's message about the lost display is noticed; other messages go on to the earlier handler."""

from __future__ import annotations

from PySide6.QtCore import QtMsgType, qInstallMessageHandler, qWarning

from neodeskpet.app.desktop_session import watch_display_end


def test_only_the_end_of_the_display_is_reported_and_all_messages_are_passed_on() -> None:
    said: list[tuple[QtMsgType, str]] = []
    gone: list[str] = []
    before = qInstallMessageHandler(lambda kind, _where, words: said.append((kind, words)))
    try:
        with watch_display_end(lambda: gone.append("gone")):
            qWarning("something else")
            assert gone == []
            qWarning("The X11 connection broke (error 1). Did the X11 server die?")
            qWarning("The X11 connection broke (error 1). Did the X11 server die?")
            assert gone == ["gone"]
        qWarning("The X11 connection broke: I/O error (code 1)")
        assert gone == ["gone"]
    finally:
        qInstallMessageHandler(before)
    assert [words for _kind, words in said] == [
        "something else",
        "The X11 connection broke (error 1). Did the X11 server die?",
        "The X11 connection broke (error 1). Did the X11 server die?",
        "The X11 connection broke: I/O error (code 1)",
    ]
