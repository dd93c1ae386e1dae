"""Opens, renders and closes the windows of apps. The open windows are restored after a restart."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

from neodeskpet.core.app_windows.window import AppWindow, fit_windows, render_window
from neodeskpet.core.data_labels import Labels, join_labels
from neodeskpet.core.errors import (
    LIST_HIDDEN_ADVICE,
    InvalidArguments,
    KnownError,
    ListHidden,
    StoreError,
)
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.platform.observers import Observers
from neodeskpet.toolkit.app_window import App, AppContent
from neodeskpet.tools.apps.window_log import WindowLog

_log = logging.getLogger(__name__)

_TARGET = 500
"""Most characters of a window's target."""


class AppHost:
    """`enabled` and `hidden` are called each time, because the user can turn a tool off, and hide
    a list: the window of an app with hidden tools can't be opened or read. Call it from the event
    loop.
    """

    def __init__(
        self,
        apps: Iterable[App],
        record: WindowLog,
        *,
        enabled: Callable[[ToolSpec], bool] = lambda spec: True,
        hidden: Callable[[ToolSpec], bool] = lambda spec: False,
    ) -> None:
        self._apps: dict[str, App] = {}
        self._record = record
        self._enabled = enabled
        self._hidden = hidden
        self._opened: dict[str, str] = {}
        # The content of each appended window when it was last rendered.
        self._last_content: dict[str, str] = {}
        self._changed: Observers[[]] = Observers()
        for app in apps:
            self.add(app)

    def add(self, app: App) -> None:
        """Add an app. Raises ValueError for a second app with the same id: a bug."""
        if app.id in self._apps:
            raise ValueError(f"Two apps are named {app.id}")
        self._apps[app.id] = app
        if app.options.pinned:
            self._opened[app.id] = ""

    async def restore(self) -> None:
        """Open the windows that were open at the last exit. An error is only logged: the start goes
        on.
        """
        try:
            left = await self._record.opened()
        except StoreError:
            _log.exception("The open windows can't be read")
            return
        self._opened |= {app: target for app, target in left.items() if app in self._apps}

    # Apps

    @property
    def apps(self) -> Sequence[App]:
        return list(self._apps.values())

    def app(self, app_id: str) -> App:
        """Return an app by its id. Raises InvalidArguments."""
        app = self._apps.get(app_id)
        if app is None:
            raise self._no_app(app_id)
        return app

    def is_hidden(self, app: App) -> bool:
        """Return whether the user hides what the app shows from models and programs."""
        if app.options.pinned:
            return False  # the spec of the launcher's action lists the apps that aren't hidden
        return any(self._hidden(action.spec) for action in app.actions.values())

    def specs(self) -> Sequence[ToolSpec]:
        """Return the specs of all actions."""
        tools = {one.name: one for app in self.apps for one in app.actions.values()}
        return [one.spec for one in tools.values()]

    @property
    def open_targets(self) -> Mapping[str, str]:
        """The targets of the open windows, in the order in which they were opened."""
        return dict(self._opened)

    def _visible(self) -> list[str]:
        """Return the ids of the open windows without hidden ones."""
        return [one for one in self._opened if not self.is_hidden(self._apps[one])]

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` after a window was opened or closed; returns a function that unsubscribes
        it.
        """
        return self._changed.subscribe(observer)

    def hidden_tools(self) -> frozenset[str]:
        """Return the names of the tools that open windows replace."""
        return frozenset[str]().union(*(self._apps[one].hidden_tools() for one in self._visible()))

    # Opening and closing

    async def open(self, app_id: str, target: str = "") -> App:
        """Open the window of an app, or change its target. Raises InvalidArguments and
        ListHidden.
        """
        app = self.app(app_id)
        self._check_visible(app)
        self._opened[app_id] = target[:_TARGET]
        await self._keep()
        return app

    async def close(self, app_id: str) -> bool:
        """Close a window; return False if it wasn't open or is pinned."""
        app = self._apps.get(app_id)
        if app is None or app.options.pinned or app_id not in self._opened:
            return False
        del self._opened[app_id]
        self._last_content.pop(app_id, None)
        await self._keep()
        return True

    async def _keep(self) -> None:
        self._changed.notify()
        try:
            await self._record.set_opened(self._opened)
        except StoreError:
            _log.exception("The open windows can't be stored")

    # Rendering for the model

    async def render(self, budget: int) -> tuple[str, str, Sequence[str], Labels]:
        """Return the open windows as text within `budget` tokens: first those with a fixed place,
        then those that are appended, the last changed one at the end. Then the titles of the
        windows that didn't fit, and the labels of the rendered windows.
        """
        contents = {one: await self._content(self._apps[one]) for one in self._visible()}
        every = [self._window(self._apps[one], content) for one, content in contents.items()]
        windows = fit_windows(sorted(every, key=self._age), budget)
        left_out = [self._apps[one.id].title for one in every if one not in windows]
        steady = [render_window(one) for one in windows if not one.options.appended]
        appended = [render_window(one) for one in windows if one.options.appended]
        labels = join_labels(self._apps[one.id].labels(contents[one.id]) for one in windows)
        return "\n".join(steady), "\n".join(appended), left_out, labels

    async def window(self, app_id: str) -> AppWindow:
        """Return the current window of an app, open or not. Raises InvalidArguments and
        ListHidden.
        """
        app = self.app(app_id)
        self._check_visible(app)
        content = await self._content(app)
        return app.window(content.text, self.offered(app))

    async def _content(self, app: App) -> AppContent:
        try:
            content = await app.content(self._opened.get(app.id, ""))
            return AppContent(content) if isinstance(content, str) else content
        except KnownError as error:
            return AppContent(f"(It can't be shown: {error})")
        except Exception as error:  # noqa: BLE001 - any app error is shown in its window
            _log.exception("The window %s can't be shown", app.id)
            return AppContent(f"(It can't be shown: {type(error).__name__})")

    def _window(self, app: App, content: AppContent) -> AppWindow:
        if app.options.appended and self._last_content.get(app.id) != content.text:
            self._last_content.pop(app.id, None)  # moves it to the end of `_told`
            self._last_content[app.id] = content.text
        return app.window(content.text, self.offered(app))

    def _age(self, window: AppWindow) -> int:
        """The sort key: appended windows in the order of their last change, after the others in the
        order in which they were opened.
        """
        return list(self._last_content).index(window.id) if window.options.appended else -1

    def offered(self, app: App) -> list[str]:
        """Return the names of the actions of `app` that can be called now."""
        return [
            name for name, one in app.actions.items() if one.offered() and self._enabled(one.spec)
        ]

    def find(self, window_id: str) -> App:
        """Return the app of an open window. Raises InvalidArguments and ListHidden."""
        if window_id in self._apps:
            self._check_visible(self._apps[window_id])
        if window_id in self._opened:
            return self._apps[window_id]
        text = N_("No window “{name}” is open; open are: {names}.")
        known = window_id in self._apps
        advice = f"Open it first: launcher.open with app={window_id}." if known else ""
        names = ", ".join(self._visible())
        raise InvalidArguments.at("", text, advice=advice, name=window_id, names=names)

    def _check_visible(self, app: App) -> None:
        if self.is_hidden(app):
            raise ListHidden(advice=LIST_HIDDEN_ADVICE, name=app.id)

    def _no_app(self, name: str) -> InvalidArguments:
        text = N_("There is no app “{name}”; there are: {names}.")
        shown = (one for one in self.apps if not one.options.pinned and not self.is_hidden(one))
        names = ", ".join(one.id for one in shown) or "—"
        return InvalidArguments(reasons=[Reason(text, {"name": name, "names": names})])
