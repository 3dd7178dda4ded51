"""What one reader may see, computed from rows alone: the visibility rules in plain form."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, select
from sqlalchemy.ext.asyncio import AsyncConnection

from chatapi.db.models import metadata

ADMIN, MEMBER = 200, 400
"""Roles are numbers; a smaller one may do more."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Facts:
    """The rows of one realm that decide visibility."""

    users: dict[int, Row]
    channels: dict[int, Row]
    subscriptions: set[tuple[int, int]]
    """User and channel, as long as they are subscribed."""
    periods: list[Row]
    participants: set[tuple[int, int]]
    """User and direct-message conversation."""
    messages: list[Row]
    shows_web_public: bool
    guests_see_everybody: bool


async def load_facts(db: AsyncConnection, realm_id: int) -> Facts:
    async def rows(name: str) -> list[Row]:
        table = metadata.tables[name]
        found = await db.execute(_in_realm(table, realm_id))
        return [row._asdict() for row in found]

    realm = (await rows("realm"))[0]
    groups = {group["id"]: group["name"] for group in await rows("user_group")}
    chosen = _json(realm["settings"]).get("can_access_all_users_group", {"direct_subgroups": []})
    seeing = [chosen] if isinstance(chosen, int) else chosen["direct_subgroups"]
    users = {user["id"]: user for user in await rows("account")}
    return Facts(
        users=users,
        channels={channel["id"]: channel for channel in await rows("channel")},
        subscriptions={
            (each["user_id"], each["channel_id"])
            for each in await rows("subscription")
            if each["is_active"]
        },
        periods=await rows("subscription_period"),
        participants={
            (each["user_id"], each["conversation_id"]) for each in await rows("conversation_member")
        },
        messages=await rows("message"),
        shows_web_public=bool(_json(realm["settings"]).get("enable_spectator_access")),
        guests_see_everybody=not any(groups[each] == "role:members" for each in seeing),
    )


def _in_realm(table: Table, realm_id: int) -> Any:
    if table.name == "realm":
        return select(table).where(table.c.id == realm_id)
    if "realm_id" in table.c:
        return select(table).where(table.c.realm_id == realm_id).order_by(table.c.id)
    account = metadata.tables["account"]
    return (
        select(table)
        .join(account, account.c.id == table.c.user_id)
        .where(account.c.realm_id == realm_id)
    )


def _json(value: Any) -> dict[str, Any]:
    return json.loads(value) if isinstance(value, str) else dict(value)


@dataclass(frozen=True)
class Reader:
    """One reader of the realm; `user_id` is None for an anonymous reader."""

    facts: Facts
    user_id: int | None

    def sees_message(self, message: Row) -> bool:
        if message["channel_id"] is None:
            return (self.user_id, message["conversation_id"]) in self.facts.participants
        channel = self.facts.channels[message["channel_id"]]
        if channel["history_public_to_subscribers"]:
            return self._reads_channel(channel)
        return self._is_subscribed(channel) and self._was_there(message)

    def knows_channel(self, channel: Row) -> bool:
        if self._reads_channel(channel):
            return True
        if self._role is None or self._role > MEMBER:
            return False
        return self._role <= ADMIN or self._is_named(channel, "can_administer_channel_group")

    def sees_user(self, user: Row) -> bool:
        is_guest = self._role is None or self._role > MEMBER
        if not is_guest or self.facts.guests_see_everybody or user["is_system_bot"]:
            return True
        if self.user_id is None:
            return False
        if self.user_id in {user["id"], user["bot_owner_id"]}:
            return True
        return self._shares(self.facts.subscriptions, user) or self._shares(
            self.facts.participants, user
        )

    def _shares(self, memberships: set[tuple[int, int]], user: Row) -> bool:
        own = {place for user_id, place in memberships if user_id == self.user_id}
        return any((user["id"], place) in memberships for place in own)

    def _reads_channel(self, channel: Row) -> bool:
        if channel["is_web_public"] and (self.user_id is not None or self.facts.shows_web_public):
            return True
        if self._is_subscribed(channel):
            return True
        if self._role is None or self._role > MEMBER:
            return False
        return not channel["invite_only"] or self._is_named(channel, "can_subscribe_group")

    def _is_subscribed(self, channel: Row) -> bool:
        return (self.user_id, channel["id"]) in self.facts.subscriptions

    def _was_there(self, message: Row) -> bool:
        """Whether the message arrived there during a subscription period of the reader."""
        came, since, until = message["id"], "since_message", "until_message"
        if message["arrival"] is not None:
            came, since, until = message["arrival"], "since_event", "until_event"
        return any(
            period[since] < came and (period[until] is None or came <= period[until])
            for period in self.facts.periods
            if period["user_id"] == self.user_id and period["channel_id"] == message["channel_id"]
        )

    def _is_named(self, channel: Row, permission: str) -> bool:
        value = _json(channel["settings"])[permission]
        return isinstance(value, dict) and self.user_id in value["direct_members"]

    @property
    def _role(self) -> int | None:
        return None if self.user_id is None else int(self.facts.users[self.user_id]["role"])
