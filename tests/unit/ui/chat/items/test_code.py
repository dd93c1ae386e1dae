"""Code: parts that touch, colours once it is closed, plain parts in cards."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from neodeskpet.core.markdown.pieces import Joint, Kind, Piece
from neodeskpet.ui.chat.items.card import CardHead
from neodeskpet.ui.chat.items.code import CodeBlock, CodeItem, MonoItem
from neodeskpet.ui.chat.items.item import Pointed, Scene
from neodeskpet.ui.chat.view.view import ChatView
from tests.unit.ui.chat.doubles import call, click, companion, find, open_view, part, said, stream
from tests.unit.ui.highlight.test_child import BUSY


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    view = open_view(qtbot)
    yield view.scene


def piece(text: str, *, closed: bool = True, joint: Joint = Joint.NONE) -> Piece:
    made = Piece(Kind.CODE, language="python", closed=closed, joint=joint)
    for line in text.split("\n"):
        made.add(line)
    return made


def colors(document: QTextDocument) -> int:
    block, count = document.begin(), 0
    while block.isValid():
        count += len(block.layout().formats())
        block = block.next()
    return count


def code_of(view: ChatView, number: int = 0) -> CodeItem:
    item = find(view, "a", CodeItem, number)[1]
    assert isinstance(item, CodeItem)
    return item


def test_parts_give_the_whole() -> None:
    block = CodeBlock("python")
    for text, joint in (("a", Joint.NONE), ("🌂", Joint.LINE), ("c", Joint.INLINE)):
        block.chunks.append(CodeItem(piece(text, joint=joint), block))
    assert block.text == "a\n🌂c"
    assert [block.offset_of(chunk) for chunk in block.chunks] == [0, 2, 4]


def test_growing_appends(scene: Scene) -> None:
    block = CodeBlock("python")
    item = CodeItem(piece("x = 1", closed=False), block)
    block.chunks.append(item)
    item.measure(scene, 300)
    document = scene.documents.get(item)
    assert item.update(piece("x = 1\ny", closed=False), scene)
    assert scene.documents.get(item) is document
    assert document.toPlainText() == "x = 1\ny"
    assert not item.update(piece("x = 1\ny", closed=False), scene)
    assert item.update(piece("z", closed=False), scene)
    item.measure(scene, 300)
    assert item.text_between(scene, 0, 9) == "z"
    assert item.estimate(scene, 300) == item.height


def test_another_language_is_another_block() -> None:
    item = CodeItem(piece("x"), CodeBlock("python"))
    other = piece("x")
    other.language = "rust"
    assert not item.accepts(other)
    assert item.accepts(piece("xy"))


def coloured(qtbot: QtBot, view: ChatView, item: CodeItem) -> int:
    """How much of it has a colour, when it has one."""
    count = [0]

    def look() -> bool:
        view.grab()
        count[0] = colors(item.document(view.scene))
        return bool(count[0])

    qtbot.waitUntil(look, timeout=60_000)
    return count[0]


def test_colours_come_while_it_streams_and_when_it_closes(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    stream(view, "a", "```python\nx = 'a'\n")
    before = coloured(qtbot, view, code_of(view))
    stream(view, "a", "y = 'b' # c\n```\n")
    item = code_of(view)
    qtbot.waitUntil(lambda: coloured(qtbot, view, item) > before)


def test_long_code_waits_for_its_end(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    stream(view, "a", "```python\n" + "x = 'a'\n" * 800)
    view.grab()
    assert code_of(view).block.spans is None
    stream(view, "a", "```\n")
    assert coloured(qtbot, view, code_of(view, 9)) > 0


def test_code_that_keeps_a_lexer_busy_keeps_the_window_alive(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", f"```c\n{BUSY}\n```\n\n```python\nx = 1\n```"))
    view.grab()
    view.scroller.scroll_to_end()
    places = [view.column.item(place) for place in view.scroller.visible_places()]
    last = next(item for item in reversed(places) if isinstance(item, CodeItem))
    assert last.block.language == "python"
    assert coloured(qtbot, view, last) > 0


def test_colours_survive_eviction(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "```python\nx = 'a'\n```"))
    item = code_of(view)
    count = coloured(qtbot, view, item)
    view.scene.documents.drop(item)
    view.grab()
    assert colors(item.document(view.scene)) == count


def test_the_copy_button_shows_where_the_mouse_is(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "```python\nx = 1\n```"))
    item = code_of(view)
    before = view.grab().toImage()
    view.scene.hover = Pointed(item)
    assert view.grab().toImage() != before
    view.scene.hover = None
    view.scene.focus = Pointed(item, "copy")
    assert view.grab().toImage() != before


def test_only_the_first_part_is_a_stop_of_the_keyboard(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "```\n" + "x\n" * 200 + "```"))
    assert [len(code_of(view, n).parts(view.scene)) for n in range(3)] == [1, 0, 0]


def test_plain_parts(scene: Scene) -> None:
    item = MonoItem("**a**\nb", Joint.NONE)
    item.measure(scene, 300)
    assert item.text_between(scene, 0, 99) == "**a**\nb"
    assert item.palette(scene.look) is scene.look.palette
    assert MonoItem("x", Joint.NONE, failed=True).palette(scene.look) is scene.look.failed_palette


def test_it_paints_in_a_card(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", call(0)))
    before = view.grab().toImage()
    click(view, find(view, "a", CardHead)[0], "toggle")
    assert view.grab().toImage() != before


def test_the_head_names_the_language_and_covers_no_code(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "```python\nx = 1\n```"))
    place, item = find(view, "a", CodeItem)
    assert isinstance(item, CodeItem)
    copy = part(view, item, "copy").rect
    assert copy.bottom() < item.origin(view.look).y()
    box = view.scroller.box_of(place)
    head = view.grab(QRect(box.topLeft(), QSize(120, round(copy.bottom())))).toImage()
    bare = view.look.color("code")
    marked = [head.pixelColor(x, y) != bare for x in range(10, 110) for y in range(6, 20)]
    assert any(marked), "the language isn't there without the mouse"
