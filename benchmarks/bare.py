"""The yardstick: the least a FastAPI application can do, with and without one INSERT."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from sqlalchemy import Column, Integer, MetaData, Table, Text, event, insert
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

metadata = MetaData()
note = Table(
    "note", metadata, Column("id", Integer, primary_key=True), Column("text", Text, nullable=False)
)


def create_engine(url: str) -> AsyncEngine:
    """Opened as the service opens its own, or sixteen writers would not even be possible."""
    if not url.startswith("sqlite"):
        return create_async_engine(url)
    engine = create_async_engine(url, connect_args={"timeout": 60})

    @event.listens_for(engine.sync_engine, "connect")
    def use_write_ahead_log(connection: DBAPIConnection, _entry: object) -> None:
        connection.cursor().execute("PRAGMA journal_mode = WAL")

    return engine


def create_app() -> FastAPI:
    engine = create_engine(os.environ["BARE_DATABASE_URL"])

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None, None]:
        async with engine.begin() as connection:
            await connection.run_sync(metadata.create_all)
        yield
        await engine.dispose()

    app = FastAPI(lifespan=lifespan)

    @app.get("/bare")
    async def bare() -> dict[str, str]:
        return {"result": "success", "msg": ""}

    @app.post("/insert")
    async def insert_one() -> dict[str, str]:
        async with engine.begin() as connection:
            await connection.execute(insert(note).values(text="hello"))
        return {"result": "success", "msg": ""}

    return app
