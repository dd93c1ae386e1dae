"""The usual way as a guest: `python -m tests.bench.light.naive URL [TEXT]`, a QTextBrowser whose
whole text is set as Markdown for every frame of 33 ms. It begins with TEXT. Answers as `guest`
does; knows `send` and `rest`.
"""

from __future__ import annotations

import json
import sys
import threading
import urllib.request

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QTextBrowser

from tests.bench.view import SIZE


class _Reader(QObject):
    """Reads a stream on a thread of its own."""

    came = Signal(str)
    ended = Signal()
    ordered = Signal(str)

    def listen(self) -> None:
        for line in sys.stdin:
            self.ordered.emit(line.strip())

    def read(self, url: str, words: str) -> None:
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": words}]})
        request = urllib.request.Request(f"{url}/chat/completions", body.encode())
        with urllib.request.urlopen(request) as answer:
            for line in answer:
                if line.startswith(b"data: {"):
                    delta = json.loads(line[6:])["choices"][0]["delta"]
                    self.came.emit(delta.get("content", ""))
        self.ended.emit()


def main(url: str, text: str = "") -> None:
    app = QApplication([])
    browser, reader, timer = QTextBrowser(), _Reader(), QTimer(interval=33, singleShot=True)
    browser.resize(*SIZE)
    browser.setMarkdown(text)
    browser.show()
    shown: list[str] = []
    orders: list[str] = []

    def come(piece: str) -> None:
        shown.append(piece)
        if not timer.isActive():
            timer.start()

    def show() -> None:
        browser.setMarkdown("".join(shown))
        browser.verticalScrollBar().setValue(browser.verticalScrollBar().maximum())

    def answer() -> None:
        print(json.dumps({"done": orders.pop()}), flush=True)

    def obey(order: str) -> None:
        orders.append(order)
        word, _, rest = order.partition(" ")
        if word == "send":
            shown.clear()
            threading.Thread(target=reader.read, args=(url, rest), daemon=True).start()
        elif word == "rest":
            QTimer.singleShot(round(float(rest) * 1000), answer)
        elif word == "quit":
            app.quit()
        else:
            answer()

    for signal, slot in ((reader.came, come), (reader.ended, answer), (reader.ordered, obey)):
        signal.connect(slot, Qt.ConnectionType.QueuedConnection)
    timer.timeout.connect(show)
    threading.Thread(target=reader.listen, daemon=True).start()
    QTimer.singleShot(300, lambda: print(json.dumps({"chat": int(browser.winId())}), flush=True))
    sys.exit(QApplication.exec())


if __name__ == "__main__":
    main(*sys.argv[1:])
