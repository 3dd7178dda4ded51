"""Lists channels and topics as a reader sees them."""

from collections.abc import Collection
from functools import partial

import orjson

from chatapi.auth.context import RealmContext
from chatapi.channel_cache.records import ChannelRecord
from chatapi.channel_cache.snapshots import ShownChannel
from chatapi.core.cooperative import map_in_steps
from chatapi.core.errors import BadRequestError, NotLoggedInError
from chatapi.core.ids import ChannelId, MessageId
from chatapi.features.channels.params import ListChannelsParams, ListTopicsParams
from chatapi.features.channels.payloads import (
    ChannelEmailPayload,
    ChannelIdPayload,
    ChannelsPayload,
    OneChannelPayload,
    TopicsPayload,
    channel_payload,
    show_channel,
)
from chatapi.features.channels.repository import ChannelRepository, SubscriptionRepository
from chatapi.permissions.channels import ChannelAccess, channel_access
from chatapi.wire.topics import show_topic


class ChannelReader:
    """Lists channels that the reader can see, who may be a visitor without an account."""

    def __init__(self, ctx: RealmContext) -> None:
        self._ctx = ctx
        self._channels = ChannelRepository(ctx.db, ctx.realm.id)

    async def list_shown(self) -> list[ShownChannel]:
        """All channels that the caller can see, archived ones included, by id.

        Call it in a snapshot. Several parts of POST /register use it.
        """
        return await self._ctx.db.memoize("channels shown", self._show_known)

    async def _show_known(self) -> list[ShownChannel]:
        ctx = self._ctx
        access = await channel_access(ctx)
        listed = await ctx.runtime.channel_snapshots.list_all(
            ctx.realm.id, ctx.db.snapshot_event, ctx.now(), self._channels.list_ids, self._show
        )
        return [each for each in listed if access.can_see(each.summary.channel)]

    async def _show(self, channel_ids: Collection[ChannelId]) -> dict[ChannelId, ShownChannel]:
        show = partial(show_channel, realm=self._ctx.realm, now=self._ctx.now())
        summaries = await self._channels.list_summaries_of(channel_ids)
        shown = await map_in_steps(show, summaries)
        return {each.summary.channel.id: each for each in shown}

    async def list_channels(self, params: ListChannelsParams) -> ChannelsPayload:
        """GET /streams."""
        await self._ctx.snapshot()
        access = await channel_access(self._ctx)
        of_owner = await self._channels_of_owner(params)
        wanted = [
            shown
            for shown in await self.list_shown()
            if _is_wanted(shown.summary.channel, params, access)
            or _is_open(shown.summary.channel, params, of_owner)
        ]

        def list_entry(shown: ShownChannel) -> orjson.Fragment:
            if not params.include_default:
                return shown.json.fragment
            return shown.json.continued({"is_default": shown.summary.channel.is_default})

        return {"streams": await map_in_steps(list_entry, wanted)}

    async def get(self, channel_id: ChannelId) -> OneChannelPayload:
        """GET /streams/{stream_id}."""
        access = await channel_access(self._ctx)
        for summary in await self._channels.list_summaries_of([channel_id]):
            if access.can_see(summary.channel):
                return {"stream": channel_payload(summary, self._ctx.realm, self._ctx.now())}
        raise BadRequestError("Invalid channel ID")

    async def find_id(self, name: str) -> ChannelIdPayload:
        """GET /get_stream_id."""
        known = await self._ctx.runtime.channels.by_name(self._ctx.db, self._ctx.realm.id, name)
        access = await channel_access(self._ctx)
        if known is None or not access.can_see(known.record):
            raise BadRequestError(f"Invalid channel name '{name}'")
        return {"stream_id": known.record.id}

    async def get_email_address(self, channel_id: ChannelId) -> ChannelEmailPayload:
        """GET /streams/{stream_id}/email_address: refused, since the server receives no mail."""
        await self.get(channel_id)
        raise BadRequestError("This server does not receive email")

    async def _channels_of_owner(self, params: ListChannelsParams) -> set[ChannelId]:
        reader = self._ctx.reader
        owner_id = None if reader is None else reader.bot_owner_id
        if not params.include_owner_subscribed or owner_id is None:
            return set()
        subscriptions = SubscriptionRepository(self._ctx.db, self._ctx.realm.id)
        return await subscriptions.channel_ids_of(owner_id)


class TopicReader:
    """Lists the topics of a channel for a reader who may read in it, logged in or not."""

    def __init__(self, ctx: RealmContext) -> None:
        self._ctx = ctx

    async def list_topics(self, channel_id: ChannelId, params: ListTopicsParams) -> TopicsPayload:
        """GET /users/me/{stream_id}/topics: topics with messages that the reader may see."""
        known = await self._ctx.runtime.channels.by_id(self._ctx.db, self._ctx.realm.id, channel_id)
        access = await channel_access(self._ctx)
        if known is None or not access.can_read(known.record):
            if self._ctx.reader is None:
                raise NotLoggedInError
            raise BadRequestError("Invalid channel ID")
        topics = await self._topics(known.record, access)
        allow_empty = params.allow_empty_topic_name
        return {
            "topics": [
                {"name": show_topic(topic, allow_empty=allow_empty), "max_id": last}
                for topic, last in topics
            ]
        }

    async def _topics(
        self, channel: ChannelRecord, access: ChannelAccess
    ) -> list[tuple[str, MessageId]]:
        repository = ChannelRepository(self._ctx.db, self._ctx.realm.id)
        if access.can_read_all(channel):
            return await repository.list_topics(channel.id)
        if not access.is_subscribed(channel.id):
            return []
        return await repository.list_topics_within(
            channel.id, access.membership.subscription_periods[channel.id]
        )


def _is_wanted(channel: ChannelRecord, params: ListChannelsParams, access: ChannelAccess) -> bool:
    if channel.is_archived and params.exclude_archived:
        return False
    if params.include_all or params.include_all_active:
        return True
    if params.include_subscribed and access.is_subscribed(channel.id):
        return True
    return params.include_can_access_content and access.can_read(channel)


def _is_open(channel: ChannelRecord, params: ListChannelsParams, of_owner: set[ChannelId]) -> bool:
    if channel.is_archived and params.exclude_archived:
        return False
    if params.include_public and channel.is_public:
        return True
    if params.include_web_public and channel.is_web_public:
        return True
    return channel.id in of_owner
