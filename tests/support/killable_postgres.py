"""A PostgreSQL of a test's own, which may be killed and started again."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL

from tests.support.child_server import temporary_folder
from tests.support.temporary_postgres import (
    NOBODY,
    STOP_TIMEOUT_SECONDS,
    Cluster,
    TemporaryPostgres,
    usable_programs,
)


class KillablePostgres:
    """What was committed before a kill is there after a start."""

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


@contextmanager
def killable_postgres() -> Iterator[KillablePostgres]:
    with temporary_folder("pg") as folder:
        owner = NOBODY if os.geteuid() == 0 else None
        cluster = Cluster(folder, usable_programs(folder, owner), owner)
        cluster.initialise()
        postgres = KillablePostgres(cluster)
        try:
            postgres.start()
            yield postgres
        finally:
            postgres.kill()
