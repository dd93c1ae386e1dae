"""The type of an app. An app is a module with a function that makes an `App`; `tools.apps` has the
host.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field

from neodeskpet.core.app_windows.window import AppWindow, WindowAction, WindowOptions
from neodeskpet.core.data_labels import DataSource, Labels, SourceKind, labels_of
from neodeskpet.toolkit.registry import Tool

LAUNCH = "launch"


@dataclass(frozen=True, slots=True)
class AppContent:
    """The content of a window. `untrusted` are the untrusted sources of the entries that
    it shows.
    """

    text: str
    untrusted: tuple[DataSource, ...] = ()


@dataclass(frozen=True, slots=True)
class App:
    """An app. `id` names its window. `title` is shown to the user, in English and marked with `N_`;
    `description` is for the model. `content` returns the current content for the target that the
    window was opened with ("" for none).

    `actions` maps action ids to tools. The user's rules and answers are stored by tool name, so an
    action that does the same as a tool of the toolbox has that tool's name. Those tools aren't sent
    while the window is open, and neither are the others listed in `replaces`.

    `private`: the content is the user's own and isn't given to other programs. `reads` is the kind
    of data that the window shows, for the information-flow policy.
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
        """Check the names. Raises ValueError for an invalid one: a bug."""
        self.window("", self.actions)

    def labels(self, content: AppContent) -> Labels:
        """Return the data labels of the content."""
        if self.reads is None:
            return Labels(content.untrusted)
        source = DataSource(self.reads)
        own = labels_of(source, untrusted=source.is_untrusted)
        return own | Labels(content.untrusted)

    def window(self, content: str, offered: Iterable[str]) -> AppWindow:
        """Return its window with the actions named in `offered`."""
        actions = (
            WindowAction(name, tool.description, tool.parameters, tool.mode)
            for name, tool in self.actions.items()
            if name in set(offered)
        )
        return AppWindow(
            self.id, self.title, self.description, content, tuple(actions), self.options
        )

    def hidden_tools(self) -> frozenset[str]:
        """The names of the tools that aren't sent while the window is open. Tools that act in the
        middle of a reply (`eager`) are still sent, because a call in a window runs only after the
        reply.
        """
        named = {tool.name for tool in self.actions.values() if not tool.eager}
        return self.replaces | named


def launch_result(app: str, target: str = "", *, close_source: bool = False) -> dict[str, object]:
    """Return the data of a result that opens `app`; with `close_source`, the window of the action
    is closed.
    """
    return {"action": LAUNCH, "app": app, "target": target, "close_source": close_source}
