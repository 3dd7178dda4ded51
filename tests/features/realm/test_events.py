"""Events about changes of the realm, on both databases."""

import asyncio

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.system_groups import SystemGroup
from tests.factories import Person
from tests.features.realm.settings import change_realm
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_error


async def hear(listener: Listener) -> list[dict[str, object]]:
    events = await listener.new_events()
    return [{key: value for key, value in event.items() if key != "id"} for event in events]


@pytest.mark.any_database
class TestUpdate:
    async def test_each_plain_setting_is_sent_to_all_users(
        self, client: ApiClient, admin: Person, guest: Person
    ) -> None:
        listener = await listen(client, guest, event_types=["realm"])
        await change_realm(client, admin, name="Acme & Sons", invite_required=False)
        await change_realm(client, admin, message_content_delete_limit_seconds='"unlimited"')
        update = {"type": "realm", "op": "update"}
        assert await hear(listener) == [
            {**update, "property": "name", "value": "Acme & Sons"},
            {**update, "property": "invite_required", "value": False},
            {**update, "property": "message_content_delete_limit_seconds", "value": None},
        ]

    async def test_unchanged_and_refused_values_emit_no_event(
        self, client: ApiClient, admin: Person
    ) -> None:
        listener = await listen(client, admin, event_types=["realm"])
        await change_realm(client, admin, name="Acme", invite_required=True)
        changes = {"invite_required": False, "digest_weekday": 8}
        assert_error(await client.patch("/realm", admin, **changes))
        assert await hear(listener) == []


class TestUpdateDict:
    @pytest.mark.any_database
    async def test_permissions_and_editing_come_in_one_event(
        self, client: ApiClient, realm: RealmRecord, admin: Person, guest: Person
    ) -> None:
        listener = await listen(client, guest, event_types=["realm"])
        people = {"direct_members": [admin.user_id], "direct_subgroups": []}
        moderators = realm.system_groups[SystemGroup.MODERATORS]
        await change_realm(
            client,
            admin,
            allow_message_editing=False,
            message_content_edit_limit_seconds="null",
            can_create_groups={"new": people},
            can_add_custom_emoji_group={"new": moderators},
        )
        assert await hear(listener) == [
            {
                "type": "realm",
                "op": "update_dict",
                "property": "default",
                "data": {
                    "allow_message_editing": False,
                    "message_content_edit_limit_seconds": None,
                    "can_create_groups": people,
                    "can_add_custom_emoji_group": moderators,
                },
            }
        ]


async def test_concurrent_changes_do_not_overwrite_each_other(
    client: ApiClient, admin: Person
) -> None:
    """No change reverts another one made at the same time."""
    weekdays = asyncio.gather(
        *(change_realm(client, admin, digest_weekday=day) for day in (2, 3, 4))
    )
    texts = asyncio.gather(
        *(change_realm(client, admin, default_code_block_language=name) for name in ("c", "go"))
    )
    await asyncio.gather(weekdays, texts)
    listener = await listen(client, admin, fetch_event_types=["realm"])
    assert listener.state["realm_digest_weekday"] in {2, 3, 4}
    assert listener.state["realm_default_code_block_language"] in {"c", "go"}
