"""A PostgreSQL server for the tests: Debian's, in a folder that is deleted with it."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from tests.support.ending import at_end
from tests.support.postgres_tls import write_certificate

PASSWORD = "the-tests' secret"
_names = itertools.count(1)


class Postgres:
    """Runs from the first moment on; `stop` and `start` any number of times. `password_method`: how
    it asks for the password.
    """

    def __init__(self, *, tls: bool = False, password_method: str = "scram-sha-256") -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="neodeskpet-postgres-"))
        self.data = self._folder / "data"
        self._as: list[str] = []
        if os.getuid() == 0:  # it refuses to run as root
            self._as = ["runuser", "-u", "postgres", "--"]
            shutil.chown(self._folder, "postgres")
        word = self._folder / "password"
        word.write_text(PASSWORD)
        word.chmod(0o644)
        self._run(
            "initdb",
            "-D",
            str(self.data),
            "-U",
            "person",
            "--pwfile",
            str(word),
            "-A",
            password_method,
            "-E",
            "UTF8",
            "--locale",
            "C",
            "--no-sync",
        )
        self._tls = ""
        if tls:
            for file in write_certificate(self._folder):
                if self._as:
                    shutil.chown(file, "postgres")
            self._tls = (
                f" -c ssl=on -c ssl_cert_file={self._folder}/server.crt"
                f" -c ssl_key_file={self._folder}/server.key"
            )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.start()
        at_end(self.end)

    def start(self) -> None:
        options = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories="
            " -c fsync=off -c full_page_writes=off -c max_connections=40" + self._tls
        )
        log = str(self._folder / "log")
        self._run("pg_ctl", "-D", str(self.data), "-w", "-l", log, "-o", options, "start")

    def stop(self) -> None:
        """Stop at once, also during a request."""
        self._run("pg_ctl", "-D", str(self.data), "-w", "-m", "immediate", "stop")

    def end(self) -> None:
        """Idempotent."""
        if (self.data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def address(self, database: str, name: str = "person") -> str:
        return f"postgresql://{name}@127.0.0.1:{self.port}/{database}"

    def new_database(self, *, encoding: str = "UTF8") -> str:
        """Return the address of an empty one."""
        name = f"d{next(_names)}"
        self.query("postgres", f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0")
        return self.address(name)

    def query(self, database: str, statement: str) -> list[tuple[object, ...]]:
        import psycopg

        address = database if "://" in database else self.address(database)
        with psycopg.connect(address, password=PASSWORD, autocommit=True) as connection:
            found = connection.execute(statement.encode())
            return found.fetchall() if found.description else []

    def _run(self, program: str, *words: str) -> None:
        command = [*self._as, str(_programs() / program), *words]
        done = subprocess.run(
            command,
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.decode()}")


def _programs() -> Path:
    """Return those of the newest version that Debian installed."""
    versions = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda one: int(one.parent.name)
    )
    return versions[-1]


@cache
def postgres() -> Postgres:
    """One for all tests of this process."""
    return Postgres()
