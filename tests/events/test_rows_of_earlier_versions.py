"""Rows of the event log as earlier versions wrote them reach clients like today's."""

from typing import Any

import orjson
from sqlalchemy import select, update

from chatapi.auth.runtime import Runtime
from chatapi.db.models import EventRow
from chatapi.db.session import DatabaseSession
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.edit.editing import edit
from tests.features.messages.fetch.conversations import send
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_success

EARLIER_KINDS = {
    "role_at_least": "at_least",
    "user_visible_to": "who_sees",
    "channel_visible_to": "who_knows_channel",
    "channel_readers": "who_reads_channel",
    "can_follow_move": "who_follows_move",
    "cannot_follow_move": "who_loses_sight",
    "subscribed_to_source_only": "who_is_left_behind",
    "visible_only_to_subscribers": "who_knows_only_from_inside",
    "lost_or_gained_visibility": "who_knows_channel_unlike",
}
EARLIER_FIELDS = {
    "visible_to": "knowing",
    "open_to": "opening",
    "excluding": "unlike",
    "data": "facts",
    "muted_sender_users": "unheeding_users",
}


def as_earlier(value: Any) -> Any:
    """The same document with the names of earlier versions."""
    if isinstance(value, list):
        return [as_earlier(each) for each in value]
    if not isinstance(value, dict):
        return value
    earlier = {EARLIER_FIELDS.get(name, name): as_earlier(each) for name, each in value.items()}
    if "kind" in earlier:
        earlier["kind"] = EARLIER_KINDS.get(earlier["kind"], earlier["kind"])
    return earlier


async def rewrite_log(runtime: Runtime) -> set[str]:
    """Give all rows the names of earlier versions; return the kinds of audiences now stored."""
    kinds: set[str] = set()
    async with DatabaseSession(runtime.database) as db, db.transaction():
        rows = (await db.execute(select(EventRow.number, EventRow.audience, EventRow.body))).all()
        for number, audience, body in rows:
            earlier = as_earlier(orjson.loads(audience))
            kinds.add(earlier["kind"])
            changed = {
                "audience": orjson.dumps(earlier).decode(),
                "body": orjson.dumps(as_earlier(orjson.loads(body))).decode(),
            }
            await db.execute(update(EventRow).where(EventRow.number == number).values(changed))
    return kinds


async def without_ids(listener: Listener) -> list[dict[str, Any]]:
    return [{**event, "id": None} for event in await listener.new_events()]


async def test_events_with_earlier_names_are_delivered_like_those_with_todays(
    client: ApiClient,
    start_app: StartApp,
    runtime: Runtime,
    owner: Person,
    make_user: MakeUser,
    make_channel: MakeChannel,
) -> None:
    reader = await make_user()
    source = await make_channel("source", subscribers=[owner, reader])
    target = await make_channel("target", subscribers=[owner])
    now, later = await listen(client, reader), await listen(client, reader)
    owner_now, owner_later = await listen(client, owner), await listen(client, owner)

    assert_success(await client.post(f"/users/me/muted_users/{owner.user_id}", reader))
    message = await send(client, owner, source, topic="lunch", content="soup")
    assert_success(await edit(client, owner, message, stream_id=target.id))
    assert_success(await client.patch(f"/streams/{source.id}", owner, new_name="renamed"))
    assert_success(await client.patch(f"/streams/{target.id}", owner, is_private=True))
    bot = {"full_name": "Helper", "short_name": "helper"}
    assert_success(await client.post("/bots", owner, **bot))
    default = {"name": "welcome", "subscribers": [], "is_default_stream": True}
    assert_success(await client.post("/channels/create", owner, **default))
    leave = {"subscriptions": ["target"]}
    assert_success(await client.delete("/users/me/subscriptions", owner, **leave))

    expected, owner_expected = await without_ids(now), await without_ids(owner_now)
    kinds = await rewrite_log(runtime)
    elsewhere = ApiClient(await start_app())
    later.client = owner_later.client = elsewhere
    assert await without_ids(later) == expected
    assert await without_ids(owner_later) == owner_expected
    assert "read" in next(each for each in expected if each["type"] == "message")["flags"]
    assert kinds >= {
        "at_least",
        "who_sees",
        "who_knows_channel",
        "who_follows_move",
        "who_knows_channel_unlike",
        "who_knows_only_from_inside",
    }
