"""Deletes from a copy of a database whatever one reader of each organization may not see."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Column, Table, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from chatapi.db.models import metadata
from tests.security.differential.visibility import Reader

_TABLES = metadata.tables
_ENTITIES = ("message", "conversation", "channel", "account")
_OF_HIDDEN_USERS = (
    "subscription",
    "subscription_period",
    "user_group_member",
    "presence",
    "user_status",
    "profile_value",
    "conversation_read_position",
    "global_read_position",
    "read_exception",
    "message_flag",
    "message_mention",
    "user_topic",
    "alert_word",
    "api_key",
)


@dataclass(frozen=True)
class Deletion:
    """Deletes in an open transaction, for readers of different organizations at once."""

    db: AsyncConnection
    readers: Sequence[Reader]

    async def run(self) -> None:
        messages: list[int] = []
        channels: list[int] = []
        users: list[int] = []
        for reader in self.readers:
            facts = reader.facts
            messages += [each["id"] for each in facts.messages if not reader.sees_message(each)]
            channels += [
                key for key, each in facts.channels.items() if not reader.knows_channel(each)
            ]
            users += [key for key, each in facts.users.items() if not reader.sees_user(each)]
        await self._delete("message", messages)
        await self._delete_conversations()
        await self._delete_channels(channels)
        await self._delete_users(users)

    async def _delete_conversations(self) -> None:
        """Conversations without a visible message; the others begin and end with visible ones."""
        table, message = _TABLES["conversation"], _TABLES["message"]
        rows = await self.db.execute(
            select(
                table, func.min(message.c.id).label("first"), func.max(message.c.id).label("last")
            )
            .outerjoin(message, message.c.conversation_id == table.c.id)
            .where(table.c.channel_id.is_not(None))
            .group_by(table.c.id)
        )
        bounds = list(rows)
        hidden = [each.id for each in bounds if each.first is None]
        for reader in self.readers:
            all_places = {place for _, place in reader.facts.participants}
            own = {place for user, place in reader.facts.participants if user == reader.user_id}
            hidden += all_places - own
        await self._delete("conversation", hidden)
        for each in bounds:
            if each.first not in {None, each.first_message_id} or each.last not in {
                None,
                each.last_message_id,
            }:
                await self.db.execute(
                    update(table)
                    .where(table.c.id == each.id)
                    .values(first_message_id=each.first, last_message_id=each.last)
                )

    async def _delete_channels(self, hidden: Collection[int]) -> None:
        """A channel that visible messages came from keeps its id and nothing else."""
        channel = _TABLES["channel"]
        for name in ("subscription", "subscription_period"):
            of_channel = _TABLES[name].c.channel_id
            await self.db.execute(delete(_TABLES[name]).where(of_channel.in_(hidden)))
        choice = _TABLES["user_topic"]
        await self.db.execute(
            delete(choice).where(
                choice.c.channel_id.in_(hidden),
                choice.c.user_id.not_in([each.user_id or 0 for each in self.readers]),
            )
        )
        kept = await self._referenced("channel", hidden)
        await self._delete("channel", set(hidden) - kept)
        for channel_id in kept:
            other = f"other name {channel_id}"
            await self.db.execute(
                update(channel)
                .where(channel.c.id == channel_id)
                .values(name=other, name_key=other, description=other, rendered_description=other)
            )

    async def _delete_users(self, hidden: Collection[int]) -> None:
        """A user whose actions are visible to the reader keeps their id and nothing else."""
        account = _TABLES["account"]
        for name in _OF_HIDDEN_USERS:
            await self.db.execute(delete(_TABLES[name]).where(_TABLES[name].c.user_id.in_(hidden)))
        kept = await self._referenced("account", hidden)
        await self._delete("account", set(hidden) - kept)
        for user_id in kept:
            await self.db.execute(
                update(account)
                .where(account.c.id == user_id)
                .values(
                    full_name=f"Other name {user_id}",
                    delivery_email=f"other{user_id}@other.test",
                    email_key=f"other{user_id}@other.test",
                    avatar_version=account.c.avatar_version + 7,
                    timezone="Europe/Paris",
                    is_active=~account.c.is_active,
                )
            )

    async def _referenced(self, name: str, ids: Collection[int]) -> set[int]:
        found: set[int] = set()
        for column in _references_to(_TABLES[name]):
            rows = await self.db.execute(select(column).where(column.in_(ids)))
            found.update(value for (value,) in rows)
        return found

    async def _delete(self, name: str, ids: Collection[int]) -> None:
        """Delete rows and the rows that depend on them."""
        for column in _references_to(_TABLES[name]):
            if column.table.name in _ENTITIES:
                continue
            await self.db.execute(delete(column.table).where(column.in_(ids)))
        await self.db.execute(delete(_TABLES[name]).where(_TABLES[name].c.id.in_(ids)))


def _references_to(table: Table) -> list[Column[int]]:
    return [
        key.parent
        for each in metadata.sorted_tables
        for key in each.foreign_keys
        if key.column.table is table
    ]
