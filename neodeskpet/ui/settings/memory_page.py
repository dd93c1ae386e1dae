"""The settings page of the memory: its settings, and the progress of indexing by meaning."""

from __future__ import annotations

from typing import Protocol

from neodeskpet.language import format_error, tr
from neodeskpet.memory.vectors.vector_indexer import EmbeddingProgress
from neodeskpet.platform.observers import Observers
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_search import SettingsPort
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import PlainLabel


class EmbeddingsPort(Protocol):
    """A background indexer that creates vectors."""

    changed: Observers[[]]

    @property
    def progress(self) -> EmbeddingProgress: ...


class MemoryPage(SettingsPage):
    """`meanings` are the indexers of messages and of documents. They may change while the page is
    shown.
    """

    def __init__(
        self,
        section: SectionInfo,
        port: SettingsPort,
        meanings: tuple[EmbeddingsPort, EmbeddingsPort],
        theme: Theme,
    ) -> None:
        self._meanings = meanings
        super().__init__(section, port, theme)
        for meaning in meanings:
            end = meaning.changed.subscribe(self._show)
            self.destroyed.connect(lambda _gone=None, end=end: end())

    def build(self) -> None:
        super().build()
        self.progress = PlainLabel()
        self.add_notice(self.progress)
        self._show()

    def retranslate(self) -> None:
        super().retranslate()
        self._show()

    def _show(self) -> None:
        said, known = (one.progress for one in self._meanings)
        lines = [] if known.model and not said.model else [progress_text(said, tr("Meaning"))]
        if known.model and known.total:
            lines.append(progress_text(known, tr("Meaning of documents")))
        self.progress.setText("\n".join(lines))


def progress_text(progress: EmbeddingProgress, what: str) -> str:
    """Return the progress as a text."""
    counts = {"what": what, "done": f"{progress.done:,}", "total": f"{progress.total:,}"}
    if not progress.model:
        return tr(
            "No model for “Embeddings” is chosen: only keywords are searched, nothing is sent."
        )
    if progress.problem is not None:
        return tr(
            "{what}: {done} of {total} texts. Paused; it continues automatically: {problem}",
            problem=format_error(progress.problem),
            **counts,
        )
    if not progress.is_complete:
        return tr(
            "{what}: {done} of {total} texts are indexed by {model}. You can quit; it"
            " continues after the next start.",
            model=progress.model,
            **counts,
        )
    return tr("{what}: all {total} texts are indexed by {model}.", model=progress.model, **counts)
