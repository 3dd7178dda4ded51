"""Apprise, an alerting tool, sends through a bot: it checks the form of the key itself."""

import asyncio

import pytest
from apprise.plugins.zulip import NotifyZulip

from tests.factories import MakeChannel, Person
from tests.support.client import ApiClient
from tests.support.responses import assert_success


@pytest.mark.filterwarnings("ignore:.*imghdr:DeprecationWarning")
async def test_sends_to_a_channel_through_the_key_of_a_webhook_bot(
    url: str, client: ApiClient, owner: Person, make_channel: MakeChannel
) -> None:
    await make_channel("builds", subscribers=[owner])
    bot = assert_success(
        await client.post("/bots", owner, full_name="Alerts", short_name="alerts", bot_type=2)
    )
    plugin = NotifyZulip("alerts", "acme.localhost", bot["api_key"], ["builds"])  # type: ignore[no-untyped-call]  # not typed
    # The tool insists on https, which the server of a test does not speak.
    plugin.notify_url = f"{url}/api/v1/messages"
    assert await asyncio.to_thread(plugin.notify, body="Disk is full", title="web-1")
    newest = await client.get("/messages", owner, anchor="newest", num_before=1, num_after=0)
    [message] = assert_success(newest)["messages"]
    assert (message["sender_id"], message["subject"]) == (bot["user_id"], "web-1")
    assert "Disk is full" in message["content"]
