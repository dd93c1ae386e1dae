"""What an app is: one file with a function that makes one of these, and a line in `shelf.py`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field

from neodeskpet.core.app_windows.window import AppWindow, WindowAction, WindowOptions
from neodeskpet.core.data_labels import DataSource, Labels, SourceKind, labels_of
from neodeskpet.toolkit.registry import Tool

LAUNCH = "launch"


@dataclass(frozen=True, slots=True)
class AppContent:
    """What a window holds. `untrusted` are the untrusted sources of entries that it shows."""

    text: str
    untrusted: tuple[DataSource, ...] = ()


@dataclass(frozen=True, slots=True)
class App:
    """`id` names its window. `title` is what people call it, English and marked with `N_`;
    `description` is for the model. `content` gives what the window holds now, for the target that
    it was opened with ("" for none).

    `actions` are tools by the action's id. A tool's name is what the person's rules and answers
    are kept by, so an action that does what a tool of the toolbox does bears its name; those tools
    aren't sent while the window is open, and neither are the others that it `replaces`.

    `private`: what it holds is the person's own, and isn't told to other programs. `reads` is what
    the window shows, for the information-flow policy.
    """

    id: str
    title: str
    description: str
    content: Callable[[str], Awaitable[AppContent | str]]
    actions: Mapping[str, Tool] = field(default_factory=dict)
    options: WindowOptions = field(default_factory=WindowOptions)
    replaces: frozenset[str] = frozenset()
    private: bool = False
    reads: SourceKind | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for names that can't be: a bug."""
        self.window("", self.actions)

    def labels(self, content: AppContent) -> Labels:
        """The labels of what its window holds."""
        if self.reads is None:
            return Labels(content.untrusted)
        source = DataSource(self.reads)
        own = labels_of(source, untrusted=source.is_untrusted)
        return own | Labels(content.untrusted)

    def window(self, content: str, offered: Iterable[str]) -> AppWindow:
        """Its window with those actions that are `offered`."""
        actions = (
            WindowAction(name, tool.description, tool.parameters, tool.mode)
            for name, tool in self.actions.items()
            if name in set(offered)
        )
        return AppWindow(
            self.id, self.title, self.description, content, tuple(actions), self.options
        )

    def hidden_tools(self) -> frozenset[str]:
        """The names of the tools that aren't sent while it is open. What acts in the middle of a
        reply (`eager`) stays: a call in a window waits for the end of it.
        """
        named = {tool.name for tool in self.actions.values() if not tool.eager}
        return self.replaces | named


def launch_result(app: str, target: str = "", *, close_source: bool = False) -> dict[str, object]:
    """The data of a result that opens `app`; with `close_source` the window it came from goes."""
    return {"action": LAUNCH, "app": app, "target": target, "close_source": close_source}
