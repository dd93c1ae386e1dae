"""Gets a notification when another computer has written to the server, over a connection of its
own. Where that is not possible (behind a proxy that passes no notifications), sync still runs at
regular intervals.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable

from neodeskpet.core.errors import StoreError
from neodeskpet.memory.shared.server import ServerConnection

_log = logging.getLogger(__name__)


class NotifyListener:
    """Listens until `close`, or until the connection ends; `there` says whether it listens. `heard`
    is called on its thread. Notifications of the connection `own` are ignored.
    """

    def __init__(
        self,
        connect: Callable[[], ServerConnection],
        heard: Callable[[], object],
        own: Callable[[], int],
    ) -> None:
        self.is_listening = False
        self.ended = False
        self._connect = connect
        self._heard = heard
        self._own = own
        self._end, self._ends = socket.socketpair()
        # A daemon: an attempt to connect does not delay the app's exit.
        threading.Thread(target=self._main, name="sharing-ear", daemon=True).start()

    def close(self) -> None:
        """Idempotent."""
        self.ended = True
        self._end.close()

    def _main(self) -> None:
        try:
            self._listen()
        except StoreError as error:
            _log.info("No notifications from the server: %s", error)
        finally:
            told, self.is_listening = self.is_listening, False
            if told and not self.ended:
                self.ended = True
                self._heard()  # the connection is lost: the next step finds out
            self.ended = True
            self._end.close()
            self._ends.close()

    def _listen(self) -> None:
        server = self._connect()
        try:
            server.listen()
            self.is_listening = True
            self._heard()  # there may have been changes before it listened
            while who := server.wait_for_notification(self._ends):
                if any(one != self._own() for one in who) and not self.ended:
                    self._heard()
        finally:
            server.close()
