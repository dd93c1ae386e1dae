"""Qt's word that the display went is heard; what else it says goes on to who heard it before."""

from __future__ import annotations

from PySide6.QtCore import QtMsgType, qInstallMessageHandler, qWarning

from neodeskpet.app.desktop_session import watch_display_end


def test_only_the_end_of_the_display_is_told_and_all_goes_on() -> None:
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
