"""Benchmarks of the message view, against a naive `QTextBrowser.setMarkdown` in the same run.

Each function needs a QApplication and returns numbers by name: `*_ms` milliseconds of the
interface's thread (painting included), `*_ratio` without a unit. They measure, they don't judge.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTextBrowser

from neodeskpet.core.blocks import Message, MessageHead, MessageState, Role, Text
from neodeskpet.core.turn.turn_events import BlockStarted, TextAppended, TurnEvent, TurnStarted
from neodeskpet.ui.bridge import Bridge
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.theme import LIGHT, preload_fonts

SIZE = (420, 640)
DELTA = 32

_PARAGRAPHS = (
    "The forecast for tomorrow says **light rain** in the morning and 9 to 14 °C. Take an "
    "umbrella, and maybe a coat; the wind comes from the *north-east* at `3 Bft`.\n\n",
    "明天上海小雨转阴，气温九到十四度，东北风三级。出门记得带伞，也要多穿一点衣服。\n\n",
    "1. Look at the sky\n2. Take the umbrella\n   - the blue one\n   - not the broken one\n"
    "3. Leave\n\n",
    "```python\nasync def umbrella(city: str) -> bool:\n    sky = await weather(city, day=1)\n"
    "    return sky.rain > 0.5  # bring it\n```\n\n",
    "| City | Weather | °C |\n|---|---|--:|\n| Shanghai | rain | 14 |\n| Berlin | grey | 4 |\n\n",
    "> Whoever carries an umbrella is never surprised.\n\n## And then\n\n",
)

# Two rounds through all kinds of text, so that the place where one begins doesn't matter.
_SAMPLES = 2 * sum(map(len, _PARAGRAPHS)) // DELTA


def sample_text(chars: int) -> str:
    """Mixed Markdown of this length: paragraphs, Chinese, lists, code, tables, quotes."""
    whole = "".join(_PARAGRAPHS)
    return (whole * (chars // len(whole) + 1))[:chars]


def flush_cost(
    sizes: Sequence[int] = (5_000, 200_000), naive_size: int = 20_000
) -> dict[str, float]:
    """The cost of 32 more characters when the message has that many already: for this view at each
    of `sizes` (and the last size's ratio to the first), for the naive one at `naive_size`.
    """
    out: dict[str, float] = {}
    for size in sizes:
        out[f"flush_{size}_ms"] = _own_flush(size)
    first, last = f"flush_{sizes[0]}_ms", f"flush_{sizes[-1]}_ms"
    out["flush_ratio"] = out[last] / out[first]
    out[f"naive_flush_{sizes[0]}_ms"] = _naive_flush(sizes[0])
    out[f"naive_flush_{naive_size}_ms"] = _naive_flush(naive_size)
    return out


def _own_flush(size: int) -> float:
    view = _view()
    text = sample_text(size + _SAMPLES * DELTA)
    view.apply([("m", TurnStarted("m")), ("m", BlockStarted(Text(0, 0, text[:size])))])
    _drain()

    def grow(piece: str) -> None:
        view.apply([("m", TextAppended(0, piece))])
        _drain()

    cost = _mean(grow, text, size)
    _close(view)
    return cost


def _naive_flush(size: int) -> float:
    browser = QTextBrowser()
    browser.resize(*SIZE)
    browser.show()
    samples = 12
    text = sample_text(size + samples * DELTA)
    shown = text[:size]

    def grow(piece: str) -> None:
        nonlocal shown
        shown += piece
        browser.setMarkdown(shown)
        browser.verticalScrollBar().setValue(browser.verticalScrollBar().maximum())
        browser.viewport().repaint()
        _drain()

    grow("")
    cost = _mean(grow, text, size, samples)
    browser.close()
    browser.deleteLater()
    return cost


def _mean(grow: Callable[[str], None], text: str, size: int, samples: int = _SAMPLES) -> float:
    taken: list[float] = []
    gc.disable()
    for number in range(samples):
        piece = text[size + number * DELTA : size + (number + 1) * DELTA]
        before = time.thread_time()
        grow(piece)
        taken.append(time.thread_time() - before)
    gc.enable()
    return statistics.fmean(taken) * 1000


def rich_text() -> str:
    """A reply with 50 formulas and 20 tables."""
    part = (
        "Let $x_{n}$ be the *mean* of what was measured, and $\\sigma^2 = \\frac{1}{n}$ how far "
        "it is spread.\n\n| Way | $t$ | s |\n|---|--:|--:|\n| walk | 12 | 1 |\n| ride | 4 | 1 |\n\n"
    )
    wide = "$$\nx = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}\n$$\n\n"
    # 20 times two and one in the table's head stand in `part`; half of the heads are plain.
    parts = [part if n < 5 else part.replace("| $t$ |", "| t |") for n in range(20)]
    return "".join(f"{one}{wide if n < 5 else ''}" for n, one in enumerate(parts))


def reading_cost() -> dict[str, float]:
    """The cost of a flush in a message with 50 formulas and 20 tables, and in plain text of the
    same size: when it grows by plain text, and over the whole time that it streams in (its formulas
    drawn, as in a conversation that is opened again).
    """
    rich = rich_text()
    paragraph = (
        "Plain words in a row, some of them **strong**, none of them a formula. " * 4 + "\n\n"
    )
    plain = (paragraph * (len(rich) // len(paragraph) + 1))[: len(rich)]
    tail = paragraph * (_SAMPLES * DELTA // len(paragraph) + 1)
    out: dict[str, float] = {"reading_chars": float(len(rich))}
    for name, text in (("plain", plain), ("rich", rich)):
        view = _view()
        view.apply([("m", TurnStarted("m")), ("m", BlockStarted(Text(0, 0, text)))])
        view.scroller.follows_end = False
        for top in (*range(0, view.column.total, SIZE[1] // 2), 1 << 28):
            view.verticalScrollBar().setValue(top)
            _drain()
        QTest.qWait(3_000 if name == "rich" else 0)  # the formulas are drawn
        view.scroller.scroll_to_end()

        def grow(piece: str, view: ChatView = view) -> None:
            view.apply([("m", TextAppended(0, piece))])
            _drain()

        out[f"reading_{name}_ms"] = _mean(grow, text + tail, len(text))
        view.apply([("n", TurnStarted("n")), ("n", BlockStarted(Text(0, 0, "")))])

        def stream(piece: str, view: ChatView = view) -> None:
            view.apply([("n", TextAppended(0, piece))])
            _drain()

        out[f"reading_{name}_stream_ms"] = _mean(stream, text, 0, len(text) // DELTA)
        _close(view)
    out["reading_ratio"] = out["reading_rich_ms"] / out["reading_plain_ms"]
    out["reading_stream_ratio"] = out["reading_rich_stream_ms"] / out["reading_plain_stream_ms"]
    return out


def opening(few: int = 100, many: int = 10_000, naive: int = 100) -> dict[str, float]:
    """From `open_conversation` to the last message painted, for few and for many messages; the
    naive view puts `naive` messages into one document.
    """
    out: dict[str, float] = {}
    for number in (few, many):
        out[f"open_{number}_ms"] = min(_own_open(number) for _ in range(3))
    out["open_ratio"] = out[f"open_{many}_ms"] / out[f"open_{few}_ms"]
    out[f"naive_open_{naive}_ms"] = _naive_open(naive)
    return out


def _messages(number: int) -> tuple[list[MessageHead], Callable[[list[str]], list[Message]]]:
    texts = [sample_text(120 + 37 * (n % 23)) for n in range(23)]
    heads = [
        MessageHead(f"m{n}", "user" if n % 2 == 0 else "assistant", len(texts[n % 23]))
        for n in range(number)
    ]

    def load(ids: list[str]) -> list[Message]:
        return [
            Message(
                one,
                Role.USER if int(one[1:]) % 2 == 0 else Role.ASSISTANT,
                (Text(0, 0, texts[int(one[1:]) % 23]),),
                MessageState.DONE,
                0.0,
                1.0,
            )
            for one in ids
        ]

    return heads, load


def _own_open(number: int) -> float:
    view = _view()
    heads, load = _messages(number)
    view.messages_wanted.connect(lambda ids: view.add_loaded_messages(load(ids)))
    _drain()
    before = time.thread_time()
    view.open_conversation(heads)
    view.viewport().repaint()
    cost = time.thread_time() - before
    _close(view)
    return cost * 1000


def _naive_open(number: int) -> float:
    heads, load = _messages(number)
    browser = QTextBrowser()
    browser.resize(*SIZE)
    browser.show()
    _drain()
    before = time.thread_time()
    browser.setMarkdown("\n\n---\n\n".join(m.text for m in load([h.id for h in heads])))
    browser.verticalScrollBar().setValue(browser.verticalScrollBar().maximum())
    browser.viewport().repaint()
    cost = time.thread_time() - before
    browser.close()
    browser.deleteLater()
    return cost * 1000


class _PaintCount(ChatView):
    paints = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.paints += 1


def first_delta(rounds: int = 20) -> dict[str, float]:
    """From the first delta (seen by the bridge) to its paint: in frames of 33 ms that passed
    before it was painted (0: before `see` returned), and in milliseconds.
    """
    frames: list[float] = []
    taken: list[float] = []
    view = _PaintCount(LIGHT)
    _show(view)
    bridge = Bridge([view])
    for number in range(rounds):
        name = f"m{number}"
        bridge.on_turn_event(name, TurnStarted(name))
        bridge.on_turn_event(name, BlockStarted(Text(0, 0, "")))
        _drain()
        painted = view.paints
        before = time.perf_counter()
        bridge.on_turn_event(name, TextAppended(0, "Hello"))
        waited = 0
        while view.paints == painted and waited < 30:
            QTest.qWait(33)
            waited += 1
        frames.append(waited)
        taken.append(time.perf_counter() - before)
    _close(view)
    return {
        "first_delta_frames": max(frames),
        "first_delta_ms": statistics.median(taken) * 1000,
    }


def sharp_cases() -> dict[str, float]:
    """The most expensive single flush (ms) while one block of a difficult kind streams in."""
    cases: dict[str, Callable[[], Iterator[str]]] = {
        "long_table": lambda: iter(
            ["| a | b | c |\n|---|---|---|\n", *(f"| row {n} | text | 12 |\n" for n in range(300))]
        ),
        "endless_paragraph": lambda: iter(["word and more "] * 1500),
        "long_list": lambda: iter(f"- item number {n} with words\n" for n in range(1000)),
        "long_code": lambda: iter(
            [
                "```python\n",
                *("value = compute(alpha, beta)  # note\n" for _ in range(1100)),
                "```\n",
            ]
        ),
        "long_word": lambda: iter(["w" * 10] * 100),
    }
    out: dict[str, float] = {}
    for name, pieces in cases.items():
        view = _view()
        events: list[TurnEvent] = [TurnStarted("m"), BlockStarted(Text(0, 0, ""))]
        view.apply([("m", event) for event in events])
        worst: list[float] = []
        for piece in pieces():
            before = time.thread_time()
            view.apply([("m", TextAppended(0, piece))])
            worst.append(time.thread_time() - before)
        # The second most expensive: one outlier of the machine isn't the view's.
        out[f"sharp_{name}_ms"] = sorted(worst)[-2] * 1000
        _close(view)
    return out


def measure() -> dict[str, float]:
    """All of it."""
    preload_fonts(LIGHT)
    return {**flush_cost(), **reading_cost(), **opening(), **first_delta(), **sharp_cases()}


def _view() -> ChatView:
    view = ChatView(LIGHT)
    _show(view)
    return view


def _show(view: ChatView) -> None:
    view.resize(*SIZE)
    view.show()
    _drain()


def _close(view: ChatView) -> None:
    view.close()
    view.deleteLater()
    _drain()


def _drain() -> None:
    QApplication.processEvents()


if __name__ == "__main__":
    application = QApplication([])
    for key, value in measure().items():
        print(f"{key:28} {value:10.2f}")
