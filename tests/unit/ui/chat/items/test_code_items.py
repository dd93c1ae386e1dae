"""Code: adjacent parts, colours once it is closed, plain parts in cards."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from neodeskpet.core.markdown.pieces import Continuation, Piece, PieceKind
from neodeskpet.ui.chat.items.code_items import FOLDED_LINES, CodeBlock, CodeItem, MonospaceItem
from neodeskpet.ui.chat.items.item import PointedRegion, Scene
from neodeskpet.ui.chat.items.tool_card_items import CardHead
from neodeskpet.ui.chat.view.chat_view import ChatView
from tests.unit.ui.chat.doubles import call, click, companion, find, open_view, part, said, stream
from tests.unit.ui.rendering.test_highlight_worker import BUSY


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    view = open_view(qtbot)
    yield view.scene


def piece(text: str, *, closed: bool = True, joint: Continuation = Continuation.NONE) -> Piece:
    made = Piece(PieceKind.CODE, language="python", closed=closed, continuation=joint)
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


def test_the_parts_joined_are_the_whole_code() -> None:
    block = CodeBlock("python")
    for text, joint in (
        ("a", Continuation.NONE),
        ("🌂", Continuation.LINE),
        ("c", Continuation.INLINE),
    ):
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
    """Return the coloured part once there is one."""
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


def test_long_code_is_coloured_when_it_ends(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    stream(view, "a", "```python\n" + "x = 'a'\n" * 800)
    view.grab()
    assert code_of(view).block.spans is None
    stream(view, "a", "```\n")
    assert coloured(qtbot, view, code_of(view, 9)) > 0


def test_code_that_is_slow_to_colour_does_not_block_the_window(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", f"```c\n{BUSY}\n```\n\n```python\nx = 1\n```"))
    view.grab()
    view.scroller.scroll_to_end()
    last = code_of(view, -1)
    assert last.block.language == "python"
    assert coloured(qtbot, view, last) > 0


def test_colours_survive_the_eviction_of_the_document(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "```python\nx = 'a'\n```"))
    item = code_of(view)
    count = coloured(qtbot, view, item)
    view.scene.documents.drop(item)
    view.grab()
    assert colors(item.document(view.scene)) == count


def test_the_copy_button_appears_at_the_mouse(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "```python\nx = 1\n```"))
    item = code_of(view)
    before = view.grab().toImage()
    view.scene.hover = PointedRegion(item)
    assert view.grab().toImage() != before
    view.scene.hover = None
    view.scene.focus = PointedRegion(item, "copy")
    assert view.grab().toImage() != before


def test_only_the_first_part_is_a_keyboard_stop(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    stream(view, "a", "```\n" + "x\n" * 200)
    assert [keys(view, n) for n in range(3)] == [["fold", "wrap", "save", "copy"], [], []]


def keys(view: ChatView, number: int = 0) -> list[str]:
    return [part.key for part in code_of(view, number).hit_regions(view.scene)]


LONG = "```py\n" + "".join(f"line_{n} = {n}\n" for n in range(200)) + "```\n\nEnd."


def test_long_complete_code_is_folded(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", LONG))
    chunks = [code_of(view, n) for n in range(3)]
    line = view.item_style.code_line
    assert FOLDED_LINES * line < chunks[0].height < (FOLDED_LINES + 6) * line
    assert [chunk.height for chunk in chunks[1:]] == [0, 0]
    assert "line_199" in view.access.message("a").text
    view.select_all()
    assert "line_199" in view.selected_text()
    name = part(view, chunks[0], "unfold").name
    assert name == "Show all 200 lines"
    click(view, find(view, "a", CodeItem)[0], "unfold")
    assert view.column.total > 200 * line
    assert keys(view) == ["fold", "wrap", "save", "copy"]
    click(view, find(view, "a", CodeItem)[0], "fold")
    assert chunks[0].height < (FOLDED_LINES + 6) * line


def test_code_that_grows_while_visible_stays_open(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    heights = []
    for start in range(0, len(LONG), 400):
        stream(view, "a", LONG[start : start + 400])
        heights.append(view.column.total)
    assert heights == sorted(heights)
    assert not code_of(view).block.folded


def test_the_estimated_height_of_hidden_code_is_exact(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    item = CodeBlock("py")
    first, second = (CodeItem(piece("x\n" * 60), item) for _ in range(2))
    item.chunks += [first, second]
    assert second.estimate(view.scene, 300) == 0
    guess = first.estimate(view.scene, 300)
    assert guess == first.measure(view.scene, 300)


def test_long_lines_scroll_if_they_are_not_wrapped(qtbot: QtBot) -> None:
    text = "```\n" + "word " * 60 + "\nshort\n```"
    view = open_view(qtbot, said("a", text))
    place, item = find(view, "a", CodeItem)
    assert isinstance(item, CodeItem)
    wrapped = item.height
    assert not item.overflow(view.item_style)
    click(view, place, "wrap")
    assert item.height < wrapped
    assert item.overflow(view.item_style) > 1000
    assert keys(view) == ["wrap", "save", "copy", "scroll"]
    before = view.grab().toImage()
    click(view, place, "scroll")
    assert item.scroll_state.offset > 0
    assert view.grab().toImage() != before
    click(view, place, "wrap")
    assert item.height == wrapped
    assert item.scroll_state.offset == 0


def test_saving_is_left_to_the_owner(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "```python\nx = 1\n```"))
    with qtbot.waitSignal(view.save_requested) as told:
        click(view, find(view, "a", CodeItem)[0], "save")
    assert told.args == ["x = 1", "python"]


def test_a_diagram_is_marked_as_source(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "```mermaid\ngraph TD\n```"))
    plain = open_view(qtbot, said("a", "```marmeid\ngraph TD\n```"))
    assert words_end(view) > words_end(plain) + 60


def words_end(view: ChatView) -> int:
    """Return the right end in pixels of the text at the left of the head of code."""
    place, item = find(view, "a", CodeItem)
    box = view.scroller.row_rect(place)
    picture, ground = view.grab().toImage(), view.item_style.color("code").lightness()
    rows = range(box.top() + 4, box.top() + 26)
    buttons = min(part.rect.left() for part in item.hit_regions(view.scene))
    return max(
        x
        for x in range(box.left(), box.left() + int(buttons))
        if any(picture.pixelColor(x, y).lightness() < ground - 60 for y in rows)
    )


def test_plain_parts(scene: Scene) -> None:
    item = MonospaceItem("**a**\nb", Continuation.NONE)
    item.measure(scene, 300)
    assert item.text_between(scene, 0, 99) == "**a**\nb"
    assert item.palette(scene.style) is scene.style.palette
    assert (
        MonospaceItem("x", Continuation.NONE, failed=True).palette(scene.style)
        is scene.style.failed_palette
    )


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
    assert copy.bottom() < item.origin(view.item_style).y()
    box = view.scroller.row_rect(place)
    head = view.grab(QRect(box.topLeft(), QSize(120, round(copy.bottom())))).toImage()
    bare = view.item_style.color("code")
    marked = [head.pixelColor(x, y) != bare for x in range(10, 110) for y in range(6, 20)]
    assert any(marked), "the language isn't shown without the mouse"
