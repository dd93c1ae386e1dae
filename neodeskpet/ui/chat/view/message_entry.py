"""One message in the view: its models in order, their items, and the items' heights."""

from __future__ import annotations

import logging
from collections.abc import Generator, Sequence
from dataclasses import replace
from itertools import islice

from neodeskpet.core.blocks import (
    Block,
    Document,
    Image,
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.core.text_language import SAMPLE_CHARACTERS, language_of
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    ModelChosen,
    RoundStarted,
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
    UsageChanged,
)
from neodeskpet.core.wire import (
    CueReached,
    DescriptionAnnounced,
    LoadingAnnounced,
    PictureDescribed,
    RetryAnnounced,
    WaitAnnounced,
)
from neodeskpet.ui.chat.items.block_models import (
    BlockModel,
    FileModel,
    ImageModel,
    NoticeModel,
    TextModel,
    ThinkingModel,
    UserTextModel,
)
from neodeskpet.ui.chat.items.item import BrokenItem, Item, Scene, StatusItem
from neodeskpet.ui.chat.items.item_spacing import set_gaps
from neodeskpet.ui.chat.items.message_annotations import (
    CitationsItem,
    GestureLine,
    SummaryMark,
    cited_in,
    passages_of,
)
from neodeskpet.ui.chat.items.message_footer import EditFieldItem, FooterItem, VersionsItem
from neodeskpet.ui.chat.items.text_items import TextItem
from neodeskpet.ui.chat.items.tool_card_items import GroupHead
from neodeskpet.ui.chat.items.tool_card_model import ToolCardModel
from neodeskpet.ui.chat.items.user_message import ActionNames
from neodeskpet.ui.chat.view.height_tree import HeightTree
from neodeskpet.ui.formatting import activity_text, approval_wait_seconds

_log = logging.getLogger(__name__)

GROUP_SIZE = 3
_GESTURE_STATES = frozenset(
    {ToolStatus.WRITING, ToolStatus.QUEUED, ToolStatus.RUNNING, ToolStatus.SUCCESS}
)
STEP_CHARS = 3_000
MIN_ITEM_WIDTH = 40  # minimum px that an item is laid out for
_FEW = 8

_STATUS_ICON_NAMES = {
    RetryAnnounced: "retry",
    DescriptionAnnounced: "picture",
    LoadingAnnounced: "loading",
    WaitAnnounced: "loading",
}


class MessageEntry:
    """A loaded message. `rows` contains gap and height of each of `items`."""

    def __init__(self, message: Message, scene: Scene, actions: ActionNames) -> None:
        self.id = message.id
        self.role = message.role
        self.state = message.state
        self.created = message.created
        self.ended = message.ended
        self._paused = message.paused
        self.usage: Usage | None = message.usage
        self.rounds = message.rounds
        self.model = message.model
        self.items: list[Item] = []
        self._instead: dict[Item, Item] = {}
        self.rows = HeightTree()
        self.repaint_from = 0
        """Pixels in the first changed row from which it changed, set by `refresh`."""
        self.opened_groups: set[str] = set()
        self._scene = scene
        self._actions = actions
        self._models: dict[int, BlockModel] = {}
        self._groups: dict[int, GroupHead] = {}
        self._marks: dict[int, GestureLine] = {}
        self._moved_marks: list[Item] = []
        self._changed: set[int] = set()
        self._growing: list[int] = []  # texts that may not have ended
        self._status: StatusItem | None = None
        self._waiting = StatusItem()
        self._footer = FooterItem(self.id, actions)
        self._versions = VersionsItem(self.id, right=self.is_user)
        self._summary = SummaryMark()
        self._cited = CitationsItem()
        self._asked_in = ""
        self.is_edited: EditFieldItem | None = None
        """Replaces all items while the user edits the message."""
        self._was_toggled = False
        self._caret: TextItem | None = None
        # Row of the first item of the last model, while only that model's text grows.
        self._tail_row: int | None = None
        for block in message.blocks:
            self._put(block)
        if self.state is not MessageState.RUNNING:
            self._settle()

    @classmethod
    def build_in_steps(
        cls, message: Message, scene: Scene, actions: ActionNames, width: int
    ) -> Generator[None, None, MessageEntry]:
        """Create an entry, pausing (`yield`) after every `STEP_CHARS` characters of a long text.
        Its rows are estimated for `width` meanwhile, as far as the cost doesn't grow with the text.
        """
        long = {
            block.index: block.text
            for block in message.blocks
            if isinstance(block, Text) and len(block.text) > STEP_CHARS
        }
        if not long or message.role is Role.USER:
            return cls(message, scene, actions)
        blocks = tuple(
            replace(block, text="") if isinstance(block, Text) and block.index in long else block
            for block in message.blocks
        )
        growing = replace(message, blocks=blocks, state=MessageState.RUNNING)
        entry = cls(growing, scene, actions)
        for index, text in long.items():
            for start in range(0, len(text), STEP_CHARS):
                entry._models[index].append(text[start : start + STEP_CHARS])
                if index == max(entry._models):
                    entry._changed.add(index)
                    entry.refresh(width)
                else:
                    entry._models[index].sync(scene)
                yield
        entry.state = message.state
        if not entry.running:
            entry._settle()
        entry._tail_row = None
        return entry

    @property
    def running(self) -> bool:
        return self.state is MessageState.RUNNING

    @property
    def can_unload(self) -> bool:
        """Whether it can be loaded again as it is shown now: it is complete, and the user neither
        opened parts of it nor edits it.
        """
        return not (self.running or self._was_toggled or self.is_edited is not None)

    @property
    def can_retry(self) -> bool:
        """Whether it is a reply that can be regenerated; the message of a timer isn't."""
        return not (self.is_user or self.running) and self.ended != self.created

    @property
    def is_user(self) -> bool:
        return self.role is Role.USER

    @property
    def opening_text(self) -> str:
        """Return its first block if that is text. In a conversation between companions it names the
        speaker.
        """
        first = self._models.get(0)
        return first.markdown if first is not None else ""

    @property
    def markdown(self) -> str:
        """Return its text like `Message.text`."""
        texts = [self._models[i].markdown for i in sorted(self._models)]
        return "\n\n".join(text for text in texts if text.strip())

    @property
    def language(self) -> str:
        """Return the language of its text or of the user's message before it; "" if unknown."""
        sample = ""
        for index in sorted(self._models):
            if len(sample) < SAMPLE_CHARACTERS:
                sample += self._models[index].beginning(SAMPLE_CHARACTERS) + "\n"
        return language_of(sample) or self._asked_in

    def set_asked_in(self, language: str) -> bool:
        """Set the language of the user's message before it, used if it has no text; return whether
        it changed.
        """
        changed = language != self._asked_in
        self._asked_in = language
        return changed

    @property
    def models(self) -> list[BlockModel]:
        return [self._models[index] for index in sorted(self._models)]

    def card(self, index: int) -> ToolCardModel | None:
        model = self._models.get(index)
        return model if isinstance(model, ToolCardModel) else None

    # Events

    def apply(self, event: TurnEvent) -> None:
        """Apply an event; `refresh` updates the items."""
        match event:
            case TextAppended(index=index, text=text) | ArgumentsAppended(index=index, json=text):
                self._grow(index, text)
            case BlockStarted(block=block) | BlockChanged(block=block):
                self._status = None
                self._put(block)
            case BlockEnded(block=block):
                self._put(block)
                model = self._models[block.index]
                if isinstance(model, TextModel):
                    model.finish()
            case _:
                self._apply_frame(event)

    def _grow(self, index: int, text: str) -> None:
        if self._status is not None:
            self._status, self._tail_row = None, None
        if index in self._models:
            self._models[index].append(text)
            self._changed.add(index)

    def _apply_frame(self, event: TurnEvent) -> None:
        self._tail_row = None
        match event:
            case TurnStarted(at=at):
                self._begin(at)
            case TurnEnded(state=state, at=at):
                self.state, self.ended = state, at
                self._settle()
            case BlocksRemoved(start=start):
                for index in [i for i in self._models if i >= start]:
                    del self._models[index]
            case RoundStarted(round=number):
                self.rounds = max(self.rounds, number + 1)
            case UsageChanged(usage=usage):
                self.usage = usage
            case ModelChosen(label=label):
                self.model = label
            case RetryAnnounced() | DescriptionAnnounced() | LoadingAnnounced() | WaitAnnounced():
                self._status = StatusItem(
                    activity_text(event), sign=_STATUS_ICON_NAMES[type(event)]
                )
            case PictureDescribed() | CueReached():
                pass  # shown with the picture, and by the figure
            case _:
                raise TypeError(f"unknown event {event!r}")

    def _begin(self, at: float) -> None:
        """Mark it as running, at the start or after a pause."""
        if self.ended is not None:
            self._paused += max(0.0, at - self.ended)
        self.state, self.ended = MessageState.RUNNING, None

    def _put(self, block: Block) -> None:
        self._tail_row = None
        model = self._models.get(block.index)
        if model is None:
            self._finish_texts()
            self._models[block.index] = self._make(block)
            if isinstance(block, Text):
                self._growing.append(block.index)
        else:
            model.set_block(block)
        self._changed.add(block.index)

    def _make(self, block: Block) -> BlockModel:
        match block:
            case Text():
                return UserTextModel(block, self.id) if self.is_user else TextModel(block)
            case Thinking():
                return ThinkingModel(block, live=self.running and block.ended is None)
            case ToolUse():
                return ToolCardModel(block)
            case Notice():
                return NoticeModel(block)
            case Image():
                return ImageModel(block)
            case Document():
                return FileModel(block)

    def _finish_texts(self) -> None:
        """Finish the texts above a new block: they don't grow any more."""
        for index in self._growing:
            model = self._models.get(index)
            if isinstance(model, TextModel) and not model.ended:
                model.finish()
                self._changed.add(index)
        self._growing.clear()

    def _settle(self) -> None:
        """Finish all texts at the end of the turn."""
        self._status = None
        for index, model in self._models.items():
            if isinstance(model, (TextModel, ThinkingModel)):
                model.finish()
            self._changed.add(index)

    def toggle(self, key: str) -> bool:
        """Open or close the part of this key ("card 3", "thinking 0", "group 2")."""
        self._tail_row = None
        self._was_toggled = True
        kind, _, number = key.partition(" ")
        if kind == "group":
            self.opened_groups ^= {key}
            return True
        model = self._models.get(int(number)) if number.isdigit() else None
        if model is None:
            return False
        model.toggle()
        self._changed.add(int(number))
        return True

    def retranslate(self, actions: ActionNames) -> None:
        """Recreate and measure all texts after a change of the language."""
        self._actions = self._footer.actions = actions
        self._tail_row = None
        self._changed.update(self._models)
        for item in self.items:
            item.invalidate()

    def rebuild_items(self) -> None:
        """Recreate the items: something outside the blocks changed."""
        self._tail_row = None
        self._footer.invalidate()
        self._versions.invalidate()

    def mark_changed(self, index: int) -> None:
        """Mark a block that the user changed."""
        self._tail_row = None
        self._changed.add(index)

    def show_picture(self, digest: str, description: str | None) -> bool:
        """Update the picture, and its description if known; return whether it is in this
        message.
        """
        found = False
        for model in self.models:
            if isinstance(model, ImageModel) and model.item.image.digest == digest:
                known = model.item.image.description if description is None else description
                model.set_block(replace(model.item.image, description=known))
                self.mark_changed(model.item.image.index)
                found = True
            elif isinstance(model, ToolCardModel):
                for item in model.pictures:
                    if item.image.digest == digest:
                        item.invalidate()
                        self.mark_changed(item.image.index)
                        found = True
        return found

    # Items

    def refresh(self, width: int) -> int | None:
        """Update the items and their rows; return the first row that changed, or None."""
        touched: list[Item] = []
        self._name_gestures()
        for index in sorted(self._changed):
            if index in self._models:
                touched += self._models[index].sync(self._scene)
        caret = self._caret
        start, new = self._compose(sorted(self._changed))
        self._changed.clear()
        touched += self._moved_marks
        if caret is not None and caret is not self._caret:
            touched.append(caret)
        same = start
        for old, item in zip(islice(self.items, start, None), new, strict=False):
            if old is not item:
                break
            same += 1
        # Unmoved items keep their gaps.
        before = new[same - start - 1] if same > start else self.items[same - 1] if same else None
        set_gaps(new[same - start :], before, self._scene.style.theme)
        first: int | None = None
        if same < start + len(new) or same < len(self.items):
            first = same
            self.items[same:] = new[same - start :]
            self.rows.splice(same, [self.row_height(i, width) for i in new[same - start :]])
        self.repaint_from = 0
        rows = self._rows_of(touched)
        for item in touched:
            row = rows.get(id(item))
            if row is not None and (first is None or row < first):
                first, self.repaint_from = row, item.repaint_from
            if row is not None and item.width == 0 and not item.is_nearly_measured:
                self.rows.set_height(row, self.row_height(item, width))
        return first

    def _name_gestures(self) -> None:
        """Set the language of the gestures, which may only become known by a text below them."""
        gestures = [
            model.head
            for model in self._models.values()
            if isinstance(model, ToolCardModel) and self._scene.is_gesture(model.call.name)
        ]
        if not gestures:
            return
        language = self.language
        for head in gestures:
            if head.language != language:
                head.language = language
                self._changed.add(head.call.index)
                self._tail_row = None

    def _rows_of(self, items: Sequence[Item]) -> dict[int, int]:
        """Return the rows of those items that are present, by identity."""
        if len(items) > _FEW:
            return {id(item): row for row, item in enumerate(self.items)}
        found = ((id(item), self.row_of(item)) for item in items)
        return {key: row for key, row in found if row is not None}

    def row_of(self, item: Item) -> int | None:
        """Return the row of an item, searching from the end, where text grows."""
        for row in range(len(self.items) - 1, -1, -1):
            if self.items[row] is item:
                return row
        return None

    def update_heights(self, items: Sequence[Item], width: int) -> None:
        """Update the heights of these items."""
        wanted = set(map(id, items))
        for row, item in enumerate(self.items):
            if id(item) in wanted:
                item.invalidate()
                self.rows.set_height(row, self.row_height(item, width))

    def row_height(self, item: Item, width: int) -> int:
        if item.width:
            return item.gap + item.height
        try:
            return item.gap + item.estimate(self._scene, width - item.indent)
        except Exception:  # noqa: BLE001 - reported when it is measured
            return item.gap + self._scene.style.theme.line_px

    def measure(self, row: int, width: int) -> bool:
        """Measure a row's item for `width` if needed; return True if its height changed."""
        item = self.items[row]
        wanted = max(MIN_ITEM_WIDTH, width - item.indent)
        if item.width == wanted:
            return False
        try:
            item.measure(self._scene, wanted)
        except Exception:  # noqa: BLE001 - whatever is wrong with it, the others are shown
            item = self.replace_broken_item(row)
            item.measure(self._scene, wanted)
        height = item.gap + item.height
        changed = self.rows[row] != height
        self.rows.set_height(row, height)
        return changed

    def replace_broken_item(self, row: int) -> Item:
        """Log the failure of a row's item once, replace the item for good, and return the
        replacement.
        """
        item = self.items[row]
        _log.exception("A %s can't be shown", type(item).__name__)
        self.items[row] = self._instead[item] = BrokenItem(item)
        return self.items[row]

    def _compose(self, changed: list[int]) -> tuple[int, list[Item]]:
        """Return the items from a row on; from the first row unless only the last text grew."""
        if self._caret is not None:
            self._caret.shows_caret = False
            self._caret = None
        models = self.models
        last = models[-1] if models else None
        grown = len(changed) == 1 and changed[0] == max(self._models, default=-1)
        if self._tail_row is not None and grown and isinstance(last, TextModel):
            kept, out = last.changed_items()
            start = self._tail_row + kept
        else:
            start, out = 0, self._compose_all(models)
        if not self.running:
            out += self._sources(models)
        out += self._tail(models)
        if self._scene.summarised_until == self.id:
            out.append(self._summary)
        if self._instead:
            out = [self._instead.get(item, item) for item in out]
        return start, out

    def _sources(self, models: Sequence[BlockModel]) -> list[Item]:
        """Return the sources that a reply was given or found."""
        citations = list(self._scene.citations.get(self.id, ()))
        for model in models:
            if isinstance(model, ToolCardModel):
                citations += passages_of(model.call)
        if not citations or self.is_user or self.is_edited is not None:
            return []
        named = cited_in(citations, self.markdown)
        self._cited.set_citations(named)
        return [self._cited] if named else []

    def _compose_all(self, models: list[BlockModel]) -> list[Item]:
        out: list[Item] = []
        row = 0
        self._tail_row = None
        self._moved_marks = []
        if self.is_edited is not None:
            return [self.is_edited]
        while row < len(models):
            gestures = self._gestures(models, row)
            if gestures:
                out += self._marked(gestures)
                row += len(gestures)
                continue
            run = self._run(models, row)
            if run:
                over = row + len(run) < len(models) or not self.running
                grouped = len(run) >= GROUP_SIZE and over
                out += self._grouped(run) if grouped else [i for one in run for i in one.items()]
                row += len(run)
                continue
            if row == len(models) - 1:
                self._tail_row = len(out)
            out += models[row].items()
            row += 1
        return out

    def _gestures(self, models: list[BlockModel], start: int) -> list[ToolCardModel]:
        """Return the successful gestures from `start` on, to be shown in one line."""
        run: list[ToolCardModel] = []
        for row in range(start, len(models)):
            model = models[row]
            if not isinstance(model, ToolCardModel) or not self._is_mark(model):
                break
            run.append(model)
        return run

    def _is_mark(self, model: ToolCardModel) -> bool:
        return self._scene.is_gesture(model.call.name) and model.call.status in _GESTURE_STATES

    def _marked(self, run: list[ToolCardModel]) -> list[Item]:
        """Return one line for all gestures, and the cards of the opened ones."""
        first = run[0].call.index
        line = self._marks.setdefault(first, GestureLine(first))
        shown = [(model.call, model.opened) for model in run]
        if line.set_calls(shown, run[0].head.language):
            self._moved_marks.append(line)
        out: list[Item] = [line]
        for model in run:
            if model.opened:
                out += model.items()
        return out

    def _run(self, models: list[BlockModel], start: int) -> list[ToolCardModel]:
        """Return the finished calls from `start` on. They are grouped in one line if there are at
        least `GROUP_SIZE` and something follows them (a call that just ended stays visible).
        """
        run: list[ToolCardModel] = []
        for row in range(start, len(models)):
            model = models[row]
            if (
                not isinstance(model, ToolCardModel)
                or not model.can_be_grouped
                or self._is_mark(model)
            ):
                break
            run.append(model)
        return run

    def _grouped(self, run: list[ToolCardModel]) -> list[Item]:
        first = run[0].call.index
        head = self._groups.get(first)
        if head is None:
            head = self._groups[first] = GroupHead([model.call for model in run])
        head.calls = [model.call for model in run]
        head.titles = [self._scene.tool_title(call.name) for call in head.calls]
        head.opened = head.key in self.opened_groups
        out: list[Item] = [head]
        if head.opened:
            for model in run:
                out += model.items()
        return out

    def _tail(self, models: list[BlockModel]) -> list[Item]:
        if self.is_user:
            return self._person_tail(models)
        if not self.running:
            self._footer.set_state(self.state, self.rounds, self.usage, self._seconds(), self.model)
            self._footer.created = self.created
            self._footer.can_retry = self.can_retry
            return [self._footer]
        below: list[Item] = [self._versions] if self._has_versions() else []
        if self._status is not None:
            return [self._status, *below]
        last = models[-1] if models else None
        if isinstance(last, TextModel) and last.is_busy and last.last_text_item is not None:
            self._caret = last.last_text_item
            self._caret.shows_caret = True
        return below if last is not None and last.is_busy else [self._waiting, *below]

    def _has_versions(self) -> bool:
        return self._scene.versions(self.id)[1] > 1

    def _person_tail(self, models: list[BlockModel]) -> list[Item]:
        """Return the items below a user message: its small buttons are beside the text, or below it
        if it has versions or no text.
        """
        if self.is_edited is not None:
            return []
        said = [one for one in models if isinstance(one, UserTextModel) and one.items()]
        words = said[-1].last_text_item if said else None
        below = words is None or self._has_versions()
        if words is not None:
            words.actions = () if below else self._actions
            words.created = 0.0 if below else self.created
        self._versions.actions, self._versions.created = self._actions, self.created
        return [self._versions] if below else []

    def _seconds(self) -> float | None:
        """Return its duration without the time spent waiting for the user or paused."""
        if self.ended is None or self.ended == self.created:
            return None  # not a reply: the message of a timer
        calls = [model.call for model in self.models if isinstance(model, ToolCardModel)]
        return self.ended - self.created - self._paused - approval_wait_seconds(calls)
