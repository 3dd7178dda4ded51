"""A PostgreSQL of a test's own, which may be killed, stopped, copied and started again."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL

from tests.support.child_processes import signal_with_children
from tests.support.child_server import temporary_folder
from tests.support.temporary_postgres import (
    NOBODY,
    STOP_TIMEOUT_SECONDS,
    Cluster,
    TemporaryPostgres,
    usable_programs,
)


class KillablePostgres:
    """A server whose commits before a kill are there after a start."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._process: subprocess.Popen[bytes] | None = None
        self.server = TemporaryPostgres(
            URL.create(
                "postgresql+asyncpg",
                username="postgres",
                database="postgres",
                query={"host": str(cluster.sockets)},
            )
        )

    def start(self) -> None:
        self._process = self._cluster.start(durable=True)
        self._cluster.wait_until_ready(self._process)

    def kill(self) -> None:
        if self._process is not None:
            # Every connection ends at once; the data folder is as a crash would leave it.
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(STOP_TIMEOUT_SECONDS)
            self._process = None

    def require_passwords(self) -> None:
        """Start anew, and refuse connections without a password; no role has one."""
        self.kill()
        (self._cluster.data / "pg_hba.conf").write_text("local all all scram-sha-256\n")
        self.start()

    def freeze(self) -> None:
        """Stop all of its processes: connections stay open, and get no response."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let its processes go on where they were stopped."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, sent: signal.Signals) -> None:
        if self._process is not None:
            signal_with_children(self._process.pid, sent)

    @contextmanager
    def copy(self) -> Iterator["KillablePostgres"]:
        """A second server with the same data, as one to fail over to; ours is started anew."""
        self.kill()
        with temporary_folder("pg") as folder:
            cluster = Cluster(folder, self._cluster.programs, self._cluster.owner)
            cluster.initialise()
            shutil.rmtree(cluster.data)
            shutil.copytree(self._cluster.data, cluster.data)
            if cluster.owner is not None:
                for path in (cluster.data, *cluster.data.rglob("*")):
                    os.chown(path, cluster.owner, cluster.owner, follow_symlinks=False)
            self.start()
            with _started(KillablePostgres(cluster)) as second:
                yield second


@contextmanager
def killable_postgres() -> Iterator[KillablePostgres]:
    with temporary_folder("pg") as folder:
        owner = NOBODY if os.geteuid() == 0 else None
        cluster = Cluster(folder, usable_programs(folder, owner), owner)
        cluster.initialise()
        with _started(KillablePostgres(cluster)) as postgres:
            yield postgres


@contextmanager
def _started(postgres: KillablePostgres) -> Iterator[KillablePostgres]:
    try:
        postgres.start()
        yield postgres
    finally:
        # A stopped process would not handle the signal to end.
        postgres.thaw()
        postgres.kill()
