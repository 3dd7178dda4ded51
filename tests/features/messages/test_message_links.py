"""The links to a new message in the response of POST /messages."""

from html import escape

import pytest

from chatapi.core.roles import BotType
from tests.factories import MakeChannel, MakeUser, Person
from tests.support.client import ApiClient
from tests.support.responses import assert_success


@pytest.mark.any_database
async def test_channel_message_is_linked_in_its_topic(
    client: ApiClient, member: Person, make_channel: MakeChannel
) -> None:
    channel = await make_channel("the team", subscribers=[member])
    sent = await client.post(
        "/messages", member, type="channel", to="the team", topic="a [b]", content="hello"
    )
    response = assert_success(sent)
    place = f"/#narrow/channel/{channel.id}-the-team/topic/a.20.5Bb.5D/near/{response['id']}"
    assert response["message_url"] == f"http://localhost{place}"
    assert response["message_link"] == f"[#the team > a &#91;b&#93; @ 💬](http://localhost{place})"


@pytest.mark.any_database
@pytest.mark.parametrize(
    "topic",
    [
        "*loud* **louder** ~~gone~~ `code` ``two``",
        "[a](https://example.com) ![](/x.png) [[b]] ]( <b> &lt; &amp;",
        ":smile: :) <time:2026-01-01T00:00:00Z> $$x^2$$",
        "@**all** @_**all** #**team** https://example.com/a",
        "_x_ __x__ \\* back\\[slash\\]",
    ],
)
async def test_text_of_the_link_shows_the_topic_as_it_is(
    client: ApiClient, member: Person, make_channel: MakeChannel, topic: str
) -> None:
    await make_channel("team", subscribers=[member])
    sent = assert_success(
        await client.post("/messages", member, type="channel", to="team", topic=topic, content="x")
    )
    shown = await client.post("/messages/render", member, content=sent["message_link"])
    rendered = assert_success(shown)["rendered"]
    assert rendered.startswith(
        f'<p><a href="{sent["message_url"].removeprefix("http://localhost/")}"'
    )
    assert f">{escape(f'#team > {topic}')} @ <span" in rendered


@pytest.mark.any_database
async def test_direct_message_is_linked_in_its_conversation(
    client: ApiClient, member: Person, guest: Person
) -> None:
    sent = await client.post(
        "/messages", member, type="direct", to=[guest.user_id], content="hello"
    )
    response = assert_success(sent)
    ids = ",".join(map(str, sorted([member.user_id, guest.user_id])))
    url = f"http://localhost/#narrow/dm/{ids}-dm/near/{response['id']}"
    assert response["message_url"] == url
    assert response["message_link"] == f"[DM with {guest.full_name} @ 💬]({url})"


@pytest.mark.any_database
async def test_bot_that_may_not_see_the_channel_does_not_learn_its_name(
    client: ApiClient, member: Person, make_user: MakeUser, make_channel: MakeChannel
) -> None:
    channel = await make_channel("plans", subscribers=[member], invite_only=True)
    bot = await make_user(bot_owner=member, bot_type=BotType.GENERIC)
    sent = await client.post(
        "/messages", bot, type="channel", to=channel.id, topic="t", content="hello"
    )
    response = assert_success(sent)
    assert "plans" not in response["message_url"] + response["message_link"]
    assert response["message_url"].endswith(
        f"/#narrow/channel/{channel.id}/topic/t/near/{response['id']}"
    )


async def test_repeated_message_has_the_same_links(
    client: ApiClient, member: Person, make_channel: MakeChannel
) -> None:
    await make_channel("team", subscribers=[member])
    values = {"type": "channel", "to": "team", "topic": "t", "content": "hello"}
    echo = {"queue_id": "q", "local_id": "1.01"}
    first = assert_success(await client.post("/messages", member, **values, **echo))
    assert assert_success(await client.post("/messages", member, **values, **echo)) == first
