"""The PostgreSQL and the Valkey of a test run: started once, shared by all workers."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from sqlalchemy import make_url

from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.migrate import upgrade_database
from tests.support.temporary_postgres import TemporaryPostgres, temporary_postgres
from tests.support.temporary_valkey import TemporaryValkey, temporary_valkey

TEMPLATE = "chatapi_template"


@dataclass(frozen=True)
class Servers:
    """The servers that every worker of the run may use."""

    postgres: TemporaryPostgres
    valkey: TemporaryValkey

    def addresses(self) -> dict[str, str]:
        url = self.postgres.maintenance_url
        return {
            "postgres": url.render_as_string(hide_password=False),
            "valkey": self.valkey.url,
        }

    @classmethod
    def at(cls, addresses: dict[str, str]) -> "Servers":
        return cls(
            TemporaryPostgres(make_url(addresses["postgres"])), TemporaryValkey(addresses["valkey"])
        )


_servers = pytest.StashKey[Servers]()
_resources = pytest.StashKey[ExitStack]()


def servers_of(config: pytest.Config) -> Servers:
    """The servers of this run; the first call starts them, unless a controller has."""
    if _servers not in config.stash:
        addresses = getattr(config, "workerinput", {}).get("servers")
        config.stash[_servers] = Servers.at(addresses) if addresses else _start(config)
    return config.stash[_servers]


def stop_servers(config: pytest.Config) -> None:
    if _resources in config.stash:
        config.stash[_resources].close()


def _start(config: pytest.Config) -> Servers:
    resources = config.stash[_resources] = ExitStack()
    servers = Servers(
        resources.enter_context(temporary_postgres()), resources.enter_context(temporary_valkey())
    )
    # In a thread, because pytest's own event loop belongs to this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, _make_template(servers.postgres)).result()
    return servers


async def _make_template(postgres: TemporaryPostgres) -> None:
    await postgres.drop_database(TEMPLATE)
    await postgres.create_database(TEMPLATE)
    await migrate(postgres.url_for(TEMPLATE))


async def migrate(database_url: str) -> None:
    database = Database(Settings(database_url=database_url))
    try:
        await upgrade_database(database)
    finally:
        await database.close()
