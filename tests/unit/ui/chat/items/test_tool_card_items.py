"""The items of a tool card: texts, durations, links, buttons."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRectF, Qt
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Text, ToolStatus
from neodeskpet.core.errors import ApprovalUnanswered, ListHidden, ToolFault
from neodeskpet.core.grant_scope import Grant
from neodeskpet.core.i18n import Reason
from neodeskpet.core.tool_result import ApprovalText
from neodeskpet.ui.chat.items.item import HitRegion, ItemAction, PointedRegion, Scene
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.tool_card_items import (
    CARD_INSET,
    ApprovalButtons,
    CardHead,
    CardLabel,
    CardLinks,
    GroupHead,
)
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.chat.doubles import NOW, call, companion, find, open_view


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    view = open_view(qtbot)
    yield view.scene


def head(scene: Scene, status: ToolStatus, width: int = 400, **more: object) -> CardHead:
    item = CardHead(call(0, status, **more))
    item.measure(scene, width)
    return item


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (ToolStatus.WRITING, "writing"),
        (ToolStatus.QUEUED, "queued"),
        (ToolStatus.ASKING, ""),
        (ToolStatus.RUNNING, "2.5 s"),
        (ToolStatus.SUCCESS, "It rains."),
        (ToolStatus.CANCELLED, "cancelled"),
        (ToolStatus.DENIED, "you said no"),
        (ToolStatus.INTERRUPTED, "interrupted"),
    ],
)
def test_every_state_has_its_text(scene: Scene, status: ToolStatus, words: str) -> None:
    assert head(scene, status).status_text(NOW + 2.5) == words
    narrow = "running" if status is ToolStatus.RUNNING else words
    assert head(scene, status, width=250).status_text(NOW + 2.5) == narrow


def test_progress(scene: Scene) -> None:
    item = head(scene, ToolStatus.RUNNING, progress=0.42, progress_text="reading\npage 2")
    assert item.status_text(NOW + 1) == "42 % · 1.0 s"
    assert item.argument_text(scene) == "reading page 2  rain"
    assert item.is_animated


def test_a_long_call_can_continue_in_the_background(scene: Scene) -> None:
    def offered(item: CardHead) -> list[str]:
        return [part.name for part in item.hit_regions(scene) if part.key == "leave"]

    long = head(scene, ToolStatus.RUNNING, started=scene.clock() - 6)
    assert offered(long) == []
    scene.can_detach = lambda call: call.name == "web.search"
    assert offered(long) == ["Continue in the background"]
    toggle, leave = long.hit_regions(scene)
    assert long.region_at(scene, leave.rect.center()) == leave
    assert long.region_at(scene, toggle.rect.topLeft()) == toggle
    assert offered(head(scene, ToolStatus.RUNNING, started=scene.clock() - 4)) == []
    assert offered(head(scene, ToolStatus.RUNNING, started=scene.clock() - 6, width=350)) == []
    assert offered(head(scene, ToolStatus.SUCCESS, started=scene.clock() - 6)) == []


def test_a_running_call_can_be_stopped_in_its_line(scene: Scene) -> None:
    scene.can_stop = scene.can_detach = lambda call: call.name == "web.search"
    long = head(scene, ToolStatus.RUNNING, started=scene.clock() - 6)
    toggle, leave, stop = long.hit_regions(scene)
    assert (leave.action, stop.action) == (ItemAction.DETACH, ItemAction.STOP)
    assert stop.name == "Stop: web.search"
    state = long.result_rect(scene, toggle.rect)
    assert leave.rect.right() <= state.left() <= state.right() <= stop.rect.left()
    assert long.region_at(scene, stop.rect.center()) == stop
    short = head(scene, ToolStatus.RUNNING, width=260, started=scene.clock())
    assert [part.action for part in short.hit_regions(scene)][1:] == [ItemAction.STOP]
    done = head(scene, ToolStatus.SUCCESS, started=scene.clock() - 6)
    assert ItemAction.STOP not in [part.action for part in done.hit_regions(scene)]


def test_without_times(scene: Scene) -> None:
    assert head(scene, ToolStatus.CANCELLED, started=None).status_text(NOW) == "cancelled"
    assert head(scene, ToolStatus.QUEUED, started=NOW).seconds(NOW + 1) is None


def test_states_differ_without_colours(qtbot: QtBot) -> None:
    """The icon of every state has its own shape."""
    calls = [call(n, status) for n, status in enumerate(ToolStatus)]
    view = open_view(qtbot, companion("a", *calls), size=(480, 1100))
    shapes = set()
    for number in range(len(calls)):
        place, _ = find(view, "a", CardHead, number)
        box = view.scroller.row_rect(place)
        image = view.grab(box.adjusted(8, 6, 30 - box.width(), -6)).toImage()
        gray = image.convertToFormat(image.Format.Format_Grayscale8)
        shapes.add(bytes(v < 200 for v in gray.constBits()))
    assert len(shapes) == len(calls)


def test_hovering_highlights(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", call(0), call(1), call(2)))
    place, item = find(view, "a", GroupHead)
    before = view.grab(view.scroller.row_rect(place)).toImage()
    view.scene.hover = PointedRegion(item, "toggle")
    hovered = view.grab(view.scroller.row_rect(place)).toImage()
    view.scene.focus = PointedRegion(item, "toggle")
    assert len({before.cacheKey(), hovered.cacheKey()}) == 2
    assert before != hovered
    assert view.grab(view.scroller.row_rect(place)).toImage() != hovered


def test_a_closed_card_has_the_reason_of_its_failure(scene: Scene) -> None:
    failed = head(scene, ToolStatus.ERROR)
    assert failed.status_text(NOW) == "No network."
    assert head(scene, ToolStatus.ERROR, width=250).status_text(NOW) == "failed"
    failed.opened = True
    assert failed.status_text(NOW) == "failed · 0.8 s"


def test_undo_is_in_the_line_for_half_a_minute(scene: Scene) -> None:
    scene.can_undo = lambda _call: True
    scene.clock = lambda: NOW + 5
    card = head(scene, ToolStatus.SUCCESS)
    assert ItemAction.UNDO in [region.action for region in card.hit_regions(scene)]
    scene.clock = lambda: NOW + 60
    assert ItemAction.UNDO not in [region.action for region in card.hit_regions(scene)]


def test_a_long_question_wraps_and_is_never_cut(scene: Scene) -> None:
    title = Reason("Delete the note “{name}”?", {"name": "a name of very many words " * 2})
    asked = ApprovalText(title)
    short = head(scene, ToolStatus.ASKING, question=ApprovalText(Reason("Delete?")))
    assert short.height == scene.style.theme.card_height
    assert head(scene, ToolStatus.ASKING, width=250, question=asked).height > short.height + 20


def test_accessible_texts(scene: Scene) -> None:
    assert head(scene, ToolStatus.ERROR).accessible_text == "web.search, rain, failed"
    group = GroupHead([call(n) for n in range(3)])
    assert group.accessible_text == "3 calls: web.search It rains."
    assert CardLabel("Output", ruled=False).accessible_text == "Output"
    assert ApprovalButtons(0).accessible_text


def test_links(scene: Scene) -> None:
    links = CardLinks("output 0", section="output", text="x")
    links.measure(scene, 300)
    assert [part.name for part in links.hit_regions(scene)] == ["copy"]
    links.clipped = True
    assert [part.name for part in links.hit_regions(scene)] == ["show all", "copy"]
    links.shows_all = True
    scene.copied = "output 0"
    assert [part.name for part in links.hit_regions(scene)] == ["show less", "copied"]


@pytest.mark.parametrize("width", [180, 260, 400])
def test_buttons_fit(scene: Scene, width: int) -> None:
    buttons = ApprovalButtons(0)
    for denying in (False, True):
        buttons.denying = denying
        buttons.measure(scene, width)
        for part in buttons.hit_regions(scene):
            assert part.rect.right() <= width
            assert part.rect.bottom() <= buttons.height
        field = buttons.form_rect(scene)
        assert (field is not None) == denying
        assert field is None or field.right() <= width
    assert abs(buttons.estimate(scene, 400) - buttons.height) < 50


def measured(scene: Scene, width: int, labels: tuple[str, str]) -> dict[str, QRectF]:
    buttons = ApprovalButtons(0)
    buttons.labels = labels
    buttons.grants = (Grant("tool"),)
    buttons.measure(scene, width)
    regions = {part.key: part.rect for part in buttons.hit_regions(scene)}
    assert max(rect.bottom() for rect in regions.values()) <= buttons.height
    assert max(rect.right() for rect in regions.values()) <= width
    return regions


def test_in_a_wide_card_all_answers_are_in_one_row(scene: Scene) -> None:
    rects = measured(scene, 560, ("Delete", "Keep it"))
    assert list(rects) == ["once", "keep", "always_menu", "more"]
    assert len({rect.top() for rect in rects.values()}) == 1
    assert rects["more"].right() > 500


def test_in_a_narrow_card_the_two_answers_share_the_first_row(scene: Scene) -> None:
    rects = measured(scene, 240, ("Delete", "Keep it"))
    assert rects["once"].top() == rects["keep"].top()
    assert rects["once"].width() == rects["keep"].width()
    assert rects["always_menu"].top() == rects["more"].top() >= rects["once"].bottom()


@pytest.mark.parametrize("width", [200, 240])
def test_with_large_text_answers_have_their_own_rows_and_are_not_cut(
    scene: Scene, width: int
) -> None:
    scene.style = ItemStyle(LIGHT.sized(28))
    labels = ("Change the appointment", "Leave it as it is")
    rects = measured(scene, width, labels)
    assert rects["once"].bottom() <= rects["keep"].top()
    room = QRectF(0, 0, rects["once"].width() - 16, 10_000)
    wrapped = int(Qt.TextFlag.TextWordWrap)
    needed = scene.style.metrics.boundingRect(room, wrapped, labels[0])
    assert needed.height() <= rects["once"].height()


def link_of(scene: Scene, card: CardHead) -> HitRegion | None:
    return next((part for part in card.hit_regions(scene) if part.key == "link"), None)


@pytest.mark.parametrize("width", [250, 254, 300, 399])
@pytest.mark.parametrize("text_size", [14, 20])
def test_a_narrow_card_shows_its_whole_name_before_a_long_result(
    scene: Scene, width: int, text_size: int
) -> None:
    scene.style = ItemStyle(LIGHT.sized(text_size))
    scene.can_undo = lambda _call: True
    scene.clock = lambda: NOW + 5
    result = Reason("{text}", {"text": "The spare key hangs in the cellar behind the door"})
    card = head(scene, ToolStatus.SUCCESS, width=width, brief=result)
    box = QRectF(0, 0, width, card.height)
    link = link_of(scene, card)
    room = card.result_rect(scene, box).left() - CARD_INSET
    name = scene.style.bold_metrics.horizontalAdvance(card.title)
    used = 0.0 if link is None else link.rect.width()
    # A third of the free line is left to the result.
    assert room >= min(name, 0.6 * (width - CARD_INSET - 34 - used))


def test_a_result_that_repeats_the_argument_is_said_once(scene: Scene) -> None:
    card = head(scene, ToolStatus.SUCCESS, brief=Reason("{text}", {"text": "rain"}))
    card.argument = "rain"
    assert card.accessible_text.count("rain") == 1


@pytest.mark.parametrize("width", [260, 400, 560])
def test_a_link_is_beside_the_result(scene: Scene, width: int) -> None:
    scene.can_undo = lambda _call: True
    scene.clock = lambda: NOW + 5
    card = head(scene, ToolStatus.SUCCESS, width=width)
    link = link_of(scene, card)
    assert link is not None
    box = QRectF(0, 0, width, card.height)
    assert not link.rect.intersects(card.result_rect(scene, box))
    assert link.rect.right() <= width - 16


def test_a_broken_call_can_be_run_again_from_its_line(scene: Scene) -> None:
    scene.can_repeat = lambda _call: True
    for status in (ToolStatus.ERROR, ToolStatus.INTERRUPTED):
        link = link_of(scene, head(scene, status))
        assert link is not None
        assert link.action is ItemAction.RUN_AGAIN
    for status in (ToolStatus.SUCCESS, ToolStatus.DENIED, ToolStatus.CANCELLED):
        assert link_of(scene, head(scene, status)) is None


def test_a_call_that_was_not_answered_says_so(scene: Scene) -> None:
    denied = head(scene, ToolStatus.DENIED)
    assert denied.status_text(NOW) == "you said no"
    fault = ToolFault.of(ApprovalUnanswered())
    assert head(scene, ToolStatus.DENIED, fault=fault).status_text(NOW) == "not answered"
    fault = ToolFault.of(ListHidden(name="todo.list"))
    assert head(scene, ToolStatus.DENIED, fault=fault).status_text(NOW) == "not allowed"


def test_a_label_wraps(scene: Scene) -> None:
    label = CardLabel("What would change in this file", ruled=False)
    assert label.measure(scene, 120) > label.measure(scene, 500)


def test_a_change_is_never_grouped(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    view.set_changing_tools(["note.add"])
    calls = [call(0), call(1), call(2), call(3, name="note.add"), call(4)]
    view.add_message(companion("a", *calls, Text(5, 0, "Done.")))
    _, group = find(view, "a", GroupHead)
    assert isinstance(group, GroupHead)
    assert [one.index for one in group.calls] == [0, 1, 2]
    _, alone = find(view, "a", CardHead)
    assert isinstance(alone, CardHead)
    assert alone.call.name == "note.add"
