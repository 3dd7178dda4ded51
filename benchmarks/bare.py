"""The yardstick: the least a FastAPI application can do, with and without one INSERT."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated

import aiosqlite
import asyncpg
from fastapi import FastAPI, Form
from pydantic import BaseModel

_CONNECTIONS = 10


class Sent(BaseModel):
    """The fields of a message, read by FastAPI's own form model."""

    type: str
    to: str
    topic: str
    content: str


Insert = Callable[[str], Awaitable[None]]


@asynccontextmanager
async def open_postgres(url: str) -> AsyncGenerator[Insert, None]:
    """One statement through the driver itself, each a transaction of its own."""
    address = url.replace("postgresql+asyncpg", "postgresql")
    async with asyncpg.create_pool(address, min_size=_CONNECTIONS, max_size=_CONNECTIONS) as pool:
        await pool.execute("CREATE TABLE note (id bigserial PRIMARY KEY, text text NOT NULL)")

        async def insert(text: str) -> None:
            await pool.execute("INSERT INTO note (text) VALUES ($1)", text)

        yield insert


@asynccontextmanager
async def open_sqlite(url: str) -> AsyncGenerator[Insert, None]:
    """One connection, as SQLite has one writer; as careful with the disk as the service is."""
    path = url.partition("///")[2]
    async with aiosqlite.connect(path, isolation_level=None) as connection:
        await connection.execute("PRAGMA journal_mode = WAL")
        await connection.execute("PRAGMA synchronous = FULL")
        await connection.execute("CREATE TABLE note (id integer PRIMARY KEY, text text NOT NULL)")

        async def insert(text: str) -> None:
            await connection.execute("INSERT INTO note (text) VALUES (?)", (text,))

        yield insert


def create_app() -> FastAPI:
    url = os.environ["BARE_DATABASE_URL"]
    open_database = open_sqlite if url.startswith("sqlite") else open_postgres
    inserts: list[Insert] = []

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None, None]:
        async with open_database(url) as insert:
            inserts.append(insert)
            yield

    app = FastAPI(lifespan=lifespan)

    @app.get("/bare")
    async def bare() -> dict[str, str]:
        return {"result": "success", "msg": ""}

    @app.post("/send")
    async def send(form: Annotated[Sent, Form()]) -> dict[str, str]:
        await inserts[0](form.content)
        return {"result": "success", "msg": ""}

    return app
