"""Channels for the tests of topics' visibility."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import insert

from chatapi.auth.realms import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import ChannelId
from chatapi.core.system_groups import SystemGroup
from chatapi.db.models import Channel, Subscription, SubscriptionPeriod
from chatapi.db.session import DatabaseSession
from chatapi.permissions.settings import CHANNEL_PERMISSIONS
from tests.factories import Person
from tests.support.sample_events import PersonTouched, tell

MakeChannel = Callable[..., Awaitable[ChannelId]]


@pytest.fixture
def make_channel(runtime: Runtime, realm: RealmRecord) -> MakeChannel:
    async def make(name: str = "general", *people: Person, **changes: Any) -> ChannelId:
        nobody = realm.system_groups[SystemGroup.NOBODY]
        settings = dict.fromkeys(CHANNEL_PERMISSIONS, nobody)
        settings["can_send_message_group"] = realm.system_groups[SystemGroup.EVERYONE]
        values = {
            "realm_id": realm.id,
            "name": name,
            "name_key": name.lower(),
            "description": "",
            "rendered_description": "",
            "date_created": runtime.clock.now(),
            "invite_only": False,
            "is_web_public": False,
            "history_public_to_subscribers": True,
            "topics_policy": "inherit",
            "default_push_notifications": False,
            "is_default": False,
            "is_archived": False,
            "subscriber_count": len(people),
            "settings": settings,
        }
        async with DatabaseSession(runtime.database) as db:
            number = await db.lock_realm(realm.id)
            rows = await db.execute(
                insert(Channel).values({**values, **changes}).returning(Channel.id)
            )
            channel_id = rows.scalar_one()
            for person in people:
                key = {"user_id": person.user_id, "channel_id": channel_id}
                await db.execute(
                    insert(Subscription).values(
                        **key,
                        is_active=True,
                        read_up_to=0,
                        color="#cccccc",
                        is_muted=False,
                        pin_to_top=False,
                    )
                )
                await db.execute(
                    insert(SubscriptionPeriod).values(**key, since_event=number, since_message=0)
                )
            await db.commit()
        await tell(
            runtime,
            realm,
            PersonTouched(user_ids=frozenset(person.user_id for person in people)),
        )
        return ChannelId(channel_id)

    return make
