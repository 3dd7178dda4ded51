"""The throw-away servers respond, and Valkey can be killed and restarted."""

import pytest
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from tests.support.temporary_postgres import temporary_postgres
from tests.support.temporary_valkey import temporary_valkey


async def scalar(url: str, statement: str) -> object:
    engine = create_async_engine(url)
    try:
        async with engine.connect() as connection:
            return (await connection.execute(text(statement))).scalar_one()
    finally:
        await engine.dispose()


async def ping(url: str) -> bool:
    async with Redis.from_url(url, retry=Retry(NoBackoff(), 0)) as client:
        return bool(await client.ping())


async def test_postgres_answers_in_a_copied_database() -> None:
    with temporary_postgres() as server:
        await server.create_database("original")
        await server.create_database("copy", template="original")
        assert await scalar(server.url_for("copy"), "select 1") == 1
        await server.drop_database("copy")
        await server.drop_database("original")


async def test_valkey_comes_back_after_a_kill() -> None:
    with temporary_valkey(private=True) as server:
        assert await ping(server.url)
        server.kill()
        with pytest.raises(RedisConnectionError):
            await ping(server.url)
        server.start()
        assert await ping(server.url)
