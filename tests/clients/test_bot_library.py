"""A bot on the library that existing bots are written on, run by the library's own command."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from tests.clients import counting_bot
from tests.factories import MakeChannel, MakeUser, Person
from tests.support.client import ApiClient
from tests.support.responses import assert_success
from tests.support.waiting import until_polls_wait, until_true


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A poll whose client has gone ends with the next heartbeat."""
    return settings.model_copy(update={"heartbeat_seconds": 1})


@asynccontextmanager
async def running_bot(config: Path, runtime: Runtime, realm: RealmRecord) -> AsyncIterator[None]:
    """The bot in a process of its own, until it waits for events."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-W", "ignore", "-m", "zulip_bots.run", counting_bot.__file__),
        *("--config-file", str(config), "--quiet"),
    )
    try:
        await until_polls_wait(runtime, realm)
        yield
    finally:
        process.kill()
        await process.wait()
        # Until the server has noticed, the next process seems to wait before it has registered.
        await until_polls_wait(runtime, realm, 0)


async def replies_to(client: ApiClient, reader: Person, bot: Person) -> list[str]:
    response = await client.get(
        "/messages",
        reader,
        anchor="newest",
        num_before=10,
        num_after=0,
        apply_markdown=False,
        narrow=[["sender", bot.user_id]],
    )
    return [message["content"] for message in assert_success(response)["messages"]]


async def test_bot_that_uses_storage_remembers_across_a_restart(
    url: str,
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    owner: Person,
    make_user: MakeUser,
    make_channel: MakeChannel,
    tmp_path: Path,
) -> None:
    bot = await make_user(bot_owner=owner, full_name="Counter")
    channel = await make_channel("games", subscribers=[owner, bot])
    config = tmp_path / "zuliprc"
    config.write_text(f"[api]\nemail={bot.email}\nkey={bot.api_key}\nsite={url}\n")

    async def tell(expected: list[str], **message: object) -> None:
        assert_success(await client.post("/messages", owner, **message))

        async def has_replied() -> bool:
            return await replies_to(client, owner, bot) == expected

        await until_true(has_replied)

    async with running_bot(config, runtime, realm):
        await tell(["1: hello"], type="direct", to=[bot.user_id], content="hello")
        await tell(
            ["1: hello", "2: you"],
            type="stream",
            to=channel.id,
            topic="counting",
            content="@**Counter** you",
        )
    async with running_bot(config, runtime, realm):
        await tell(
            ["1: hello", "2: you", "3: again"], type="direct", to=[bot.user_id], content="again"
        )
