"""Hears at once when another computer has put something on the server, over a connection of its own
that does nothing else. Where that can't be had (a server behind something that passes no
notifications on), the looks at the clock remain.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable

from neodeskpet.core.errors import StoreError
from neodeskpet.memory.shared.server import Server

_log = logging.getLogger(__name__)


class Ear:
    """Listens until `close`, or until the server goes; `there` says whether it does. `heard` is
    called on its thread; what connections of `own` numbers put is passed over.
    """

    def __init__(
        self,
        connect: Callable[[], Server],
        heard: Callable[[], object],
        own: Callable[[], int],
    ) -> None:
        self.there = False
        self.ended = False
        self._connect = connect
        self._heard = heard
        self._own = own
        self._end, self._ends = socket.socketpair()
        # A daemon: a connection that doesn't come about doesn't hold up the app's end.
        threading.Thread(target=self._main, name="sharing-ear", daemon=True).start()

    def close(self) -> None:
        """Idempotent. Nothing is heard any more."""
        self.ended = True
        self._end.close()

    def _main(self) -> None:
        try:
            self._listen()
        except StoreError as error:
            _log.info("Other computers aren't heard at once: %s", error)
        finally:
            told, self.there = self.there, False
            if told and not self.ended:
                self.ended = True
                self._heard()  # the server has gone: that is seen at the next look
            self.ended = True
            self._end.close()
            self._ends.close()

    def _listen(self) -> None:
        server = self._connect()
        try:
            server.listen()
            self.there = True
            self._heard()  # what was put before it listened
            while who := server.hear(self._ends):
                if any(one != self._own() for one in who) and not self.ended:
                    self._heard()
        finally:
            server.close()
