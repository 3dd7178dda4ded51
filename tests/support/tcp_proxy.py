"""A TCP proxy in front of a server, which loses packets and connections on demand."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import URL

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[], Awaitable[Streams]]


@dataclass(eq=False)
class _Link:
    """One connection through the proxy."""

    client_port: int
    writers: list[asyncio.StreamWriter]
    loses_questions: bool = False
    loses_answers: bool = False

    def silence(self) -> None:
        """Drop everything that arrives, from either side, without closing."""
        self.loses_questions = self.loses_answers = True

    def close(self) -> None:
        for writer in self.writers:
            writer.transport.abort()


@dataclass
class TcpProxy:
    """Passes connections on to a target; what it does is changed while they are open."""

    port: int
    target: Connect
    held_answers: int = 0
    _swallows: bool = False
    _may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    _links: set[_Link] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _server: asyncio.Server | None = None

    def __post_init__(self) -> None:
        self._may_answer.set()

    @property
    def open_connections(self) -> int:
        return len(self._links)

    async def listen(self) -> None:
        """Accept connections again after `refuse`."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    def swallow(self) -> None:
        """From here on no packet arrives anywhere; connections are accepted and stay open."""
        self._swallows = True
        self.silence_open_connections()

    def pass_on(self) -> None:
        """New connections work again; those that have lost packets never do."""
        self._swallows = False

    def silence_open_connections(self) -> None:
        """Connections that are open lose everything from here on; new ones work."""
        for link in self._links:
            link.silence()

    def silence_connection_from(self, port: int) -> None:
        """One connection loses everything from here on: the one whose client has this port."""
        [link] = [link for link in self._links if link.client_port == port]
        link.silence()

    def lose_answers(self) -> None:
        """Requests on open connections still arrive; no response comes back."""
        for link in self._links:
            link.loses_answers = True

    def hold_answers(self) -> None:
        """Keep responses back until `release_answers`, which passes on all of them at once."""
        self._may_answer.clear()

    def release_answers(self) -> None:
        self._may_answer.set()

    async def _until_released(self) -> None:
        self.held_answers += 1
        await self._may_answer.wait()
        self.held_answers -= 1

    def drop(self) -> None:
        """Reset all connections."""
        for link in list(self._links):
            link.close()

    async def refuse(self) -> None:
        """Reset all connections, and accept none."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.drop()

    async def close(self) -> None:
        await self.refuse()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = _Link(writer.get_extra_info("peername")[1], [writer])
        if self._swallows:
            link.silence()
        self._links.add(link)
        task = asyncio.create_task(self._serve(link, reader, writer))
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._end(done, link))

    def _end(self, done: asyncio.Task[None], link: _Link) -> None:
        self._tasks.discard(done)
        self._links.discard(link)
        link.close()

    async def _serve(
        self, link: _Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(OSError):
            back_reader, back_writer = await self.target()
            link.writers.append(back_writer)
            async with asyncio.TaskGroup() as both:
                both.create_task(_copy(reader, back_writer, lambda: link.loses_questions))
                both.create_task(
                    _copy(back_reader, writer, lambda: link.loses_answers, self._until_released)
                )


async def _copy(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    is_lost: Callable[[], bool],
    until_released: Callable[[], Awaitable[None]] | None = None,
) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(65536):
            if until_released is not None:
                await until_released()
            if not is_lost():
                writer.write(chunk)
    if not is_lost():
        writer.close()


def to_postgres(url: URL) -> Connect:
    """Connections to a server of the tests, on its Unix socket or on TCP."""

    async def connect() -> Streams:
        folder = url.query.get("host")
        if isinstance(folder, str):
            return await asyncio.open_unix_connection(Path(folder) / ".s.PGSQL.5432")
        return await asyncio.open_connection(url.host, url.port or 5432)

    return connect


def to_unix_socket(path: str | Path) -> Connect:
    async def connect() -> Streams:
        return await asyncio.open_unix_connection(path)

    return connect


@asynccontextmanager
async def tcp_proxy(target: Connect, port: int = 0) -> AsyncIterator[TcpProxy]:
    proxy = TcpProxy(port, target)
    await proxy.listen()
    try:
        yield proxy
    finally:
        await proxy.close()
