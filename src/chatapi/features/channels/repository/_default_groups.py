"""Every SQL statement on groups of default channels."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from msgspec import Struct
from sqlalchemy import Select, bindparam, delete, insert, select, update

from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelId, DefaultChannelGroupId, RealmId
from chatapi.core.names import name_key
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import DefaultChannelGroup, DefaultChannelGroupEntry
from chatapi.db.session import DatabaseSession


class DefaultGroupRecord(Struct, frozen=True):
    """A group of channels, with the ids of its channels in ascending order."""

    id: DefaultChannelGroupId
    name: str
    description: str
    channel_ids: list[ChannelId]


_OF_REALM: Select[*tuple[Any, ...]] = (
    select(
        DefaultChannelGroup.id,
        DefaultChannelGroup.name,
        DefaultChannelGroup.description,
        DefaultChannelGroupEntry.channel_id,
    )
    .outerjoin(
        DefaultChannelGroupEntry, DefaultChannelGroupEntry.group_id == DefaultChannelGroup.id
    )
    .where(DefaultChannelGroup.realm_id == bindparam("realm_id"))
    .order_by(DefaultChannelGroup.name_key, DefaultChannelGroupEntry.channel_id)
)
_REMOVE_CHANNELS = delete(DefaultChannelGroupEntry).where(
    DefaultChannelGroupEntry.group_id == bindparam("group"),
    is_one_of(DefaultChannelGroupEntry.channel_id, "channel_ids"),
)
_LEAVE_ALL = delete(DefaultChannelGroupEntry).where(
    DefaultChannelGroupEntry.channel_id == bindparam("channel")
)


class DefaultGroupRepository:
    """Groups of default channels of one realm; those of other realms are never found."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_all(self) -> list[DefaultGroupRecord]:
        """All groups by name, in one statement."""
        channels: defaultdict[tuple[int, str, str], list[ChannelId]] = defaultdict(list)
        for group_id, name, description, channel_id in await self._db.execute(
            _OF_REALM, {"realm_id": self._realm_id}
        ):
            listed = channels[group_id, name, description]
            if channel_id is not None:
                listed.append(ChannelId(channel_id))
        return [
            DefaultGroupRecord(DefaultChannelGroupId(group_id), name, description, listed)
            for (group_id, name, description), listed in channels.items()
        ]

    async def get(self, group_id: DefaultChannelGroupId) -> DefaultGroupRecord:
        for group in await self.list_all():
            if group.id == group_id:
                return group
        raise BadRequestError("Invalid default channel group ID")

    async def add(self, name: str, description: str) -> DefaultChannelGroupId:
        rows = await self._db.execute(
            insert(DefaultChannelGroup)
            .values(
                realm_id=self._realm_id,
                name=name,
                name_key=name_key(name),
                description=description,
            )
            .returning(DefaultChannelGroup.id)
        )
        return DefaultChannelGroupId(rows.scalar_one())

    async def change(self, group_id: DefaultChannelGroupId, name: str, description: str) -> None:
        await self._db.execute(
            update(DefaultChannelGroup)
            .where(
                DefaultChannelGroup.realm_id == self._realm_id, DefaultChannelGroup.id == group_id
            )
            .values(name=name, name_key=name_key(name), description=description)
        )

    async def add_channels(
        self, group_id: DefaultChannelGroupId, channel_ids: Collection[ChannelId]
    ) -> None:
        await self._db.execute_many(
            insert(DefaultChannelGroupEntry),
            ({"group_id": group_id, "channel_id": channel_id} for channel_id in channel_ids),
        )

    async def remove_channels(
        self, group_id: DefaultChannelGroupId, channel_ids: Collection[ChannelId]
    ) -> None:
        await self._db.execute(
            _REMOVE_CHANNELS, {"group": group_id, "channel_ids": list(channel_ids)}
        )

    async def leave_all(self, channel_id: ChannelId) -> None:
        """Remove a channel from all groups."""
        await self._db.execute(_LEAVE_ALL, {"channel": channel_id})

    async def delete(self, group: DefaultGroupRecord) -> None:
        await self.remove_channels(group.id, group.channel_ids)
        await self._db.execute(
            delete(DefaultChannelGroup).where(
                DefaultChannelGroup.realm_id == self._realm_id, DefaultChannelGroup.id == group.id
            )
        )
