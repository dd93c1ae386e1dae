"""What is dropped on the companion: it says where it lands, takes it and asks what to do."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QMimeData, QObject, Slot

from neodeskpet.language import tr
from neodeskpet.ui.chat.compose.attacher import Attacher
from neodeskpet.ui.chat.compose.offers import Contents, contents_of
from neodeskpet.ui.pet.companion import Companion
from neodeskpet.ui.pet.drop_target import DropTarget
from neodeskpet.ui.pet.window import PetWindow

_HINT = "drop hint"
_TAKEN = "dropped"


class PetDrops(QObject):
    """`show_chat()` brings the chat to the front."""

    def __init__(
        self,
        pet: PetWindow,
        companion: Companion,
        attacher: Attacher,
        show_chat: Callable[[], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._pet = pet
        self._companion = companion
        self._attacher = attacher
        self._show_chat = show_chat
        self._held = Contents()
        target = DropTarget(pet)
        target.hovered.connect(self._hover)
        target.dropped.connect(self._take)
        companion.answered.connect(self._answer)

    @Slot(bool)
    def _hover(self, over: bool) -> None:
        self._pet.set_target(over)
        if over:
            self._companion.ask(_HINT, tr("Drop it on me, and I'll ask what to do with it."))
        else:
            self._companion.settle(_HINT)

    @Slot(QMimeData)
    def _take(self, data: QMimeData) -> None:
        found = contents_of(data)
        if found.empty:
            self._companion.say(tr("There is nothing in it that I can take."))
            return
        self._held = found
        choices = (
            ("ask", tr("Ask about it")),
            ("add", tr("Add to the message")),
            ("no", tr("Never mind")),
        )
        self._companion.ask(_TAKEN, _words(found), choices, sign="plus")

    @Slot(str, str)
    def _answer(self, key: str, choice: str) -> None:
        if key != _TAKEN or not choice:
            return
        held, self._held = self._held, Contents()
        self._companion.settle(_TAKEN)
        if choice == "no":
            return
        self._show_chat()
        if choice == "ask":
            self._attacher.bring(held, tr("What do you make of this?"))
        else:
            self._attacher.bring(held)


def _words(found: Contents) -> str:
    names = found.names
    if len(names) == 1:
        return tr("I have “{name}”. What shall I do with it?", name=names[0].replace("`", "'"))
    if names:
        return tr("I have {count} files. What shall I do with them?", count=str(len(names)))
    if found.offers:
        return tr("I have the picture. What shall I do with it?")
    return tr("I have the text. What shall I do with it?")
