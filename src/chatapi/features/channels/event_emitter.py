"""Emits the events of changes to a channel."""

from collections.abc import Iterator, Mapping
from typing import Any

from chatapi.auth.context import Context
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import UserId
from chatapi.events.audience import LostOrGainedVisibility, Users
from chatapi.features.channels.arrivals import Arrivals
from chatapi.features.channels.events import (
    ChannelsCreated,
    ChannelsDeleted,
    ChannelUpdated,
    ChannelValue,
)
from chatapi.features.channels.payloads import ChannelPayload, channel_payload
from chatapi.features.channels.repository import ChannelRepository, SubscriptionRepository
from chatapi.features.channels.rules import ChannelKind, PostPolicy, post_policy
from chatapi.features.channels.subscription_events import PeersAdded
from chatapi.permissions.changes import names_to_wire
from chatapi.permissions.channels import channel_visible_to
from chatapi.permissions.settings import ChannelPermission
from chatapi.wire.group_values import GroupSettingPayload


class ChannelEventEmitter:
    """Emits to all users who can see a channel, and to those who gain or lose its visibility."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def emit_change(
        self,
        before: ChannelRecord,
        after: ChannelRecord,
        permissions: Mapping[ChannelPermission, GroupSettingPayload],
    ) -> None:
        """One event for each changed property, and the channel for users who gain visibility."""
        realm = self._ctx.realm
        before_knew, knows = channel_visible_to(realm, before), channel_visible_to(realm, after)
        if before_knew != knows:
            gained = LostOrGainedVisibility(channel=knows, excluding=before_knew)
            self._ctx.emit(
                ChannelsCreated(streams=[await self._show(after)], is_new=False), to=gained
            )
            subscribers = SubscriptionRepository(self._ctx.db, self._ctx.realm.id)
            peers = await subscribers.list_active_subscribers(after.id)
            self._ctx.emit(PeersAdded(stream_ids=[after.id], user_ids=peers), to=gained)
        for event in self._updates(before, after, permissions):
            self._ctx.emit(event, to=knows)
        if before_knew != knows:
            lost = LostOrGainedVisibility(channel=before_knew, excluding=knows)
            self._ctx.emit(ChannelsDeleted.of(after.id), to=lost)

    def emit_archived(self, channel: ChannelRecord) -> None:
        knows = channel_visible_to(self._ctx.realm, channel)
        self._ctx.emit(_about_archived(channel, property="is_archived", value=True), to=knows)
        self._ctx.emit(ChannelsDeleted.of(channel.id, is_archived=True), to=knows)

    def emit_left_folder(self, channel: ChannelRecord) -> None:
        """An archived channel was removed from its folder."""
        event = _about_archived(channel, property="folder_id", value=None)
        self._ctx.emit(event, to=channel_visible_to(self._ctx.realm, channel))

    async def emit_unarchived(self, channel: ChannelRecord) -> None:
        knows = channel_visible_to(self._ctx.realm, channel)
        self._ctx.emit(_about_archived(channel, property="is_archived", value=False), to=knows)
        shown = await self._show(channel)
        self._ctx.emit(ChannelsCreated(streams=[shown], is_new=False, is_unarchived=True), to=knows)
        await self._emit_subscribers_again(channel, shown)

    async def _emit_subscribers_again(self, channel: ChannelRecord, shown: ChannelPayload) -> None:
        """Emit the subscribers of an unarchived channel to clients that had dropped it."""
        rows = SubscriptionRepository(self._ctx.db, self._ctx.realm.id)
        choices = await rows.list_choices(channel.id)
        peers = await rows.list_active_subscribers(channel.id)
        if not choices:
            return
        again = Arrivals(
            {channel.id: frozenset(choices)},
            {channel.id: peers},
            {(channel.id, user_id): each for user_id, each in choices.items()},
        )
        for own in await again.to_events({channel.id: shown}, is_unarchived=True):
            self._ctx.emit(own, to=Users(ids=frozenset(map(UserId, own.choices))))
        others = PeersAdded(stream_ids=[channel.id], user_ids=peers, is_unarchived=True)
        self._ctx.emit(others, to=channel_visible_to(self._ctx.realm, channel))

    def _updates(
        self,
        before: ChannelRecord,
        after: ChannelRecord,
        permissions: Mapping[ChannelPermission, GroupSettingPayload],
    ) -> Iterator[ChannelUpdated]:
        def update(name: str, value: ChannelValue) -> ChannelUpdated:
            return ChannelUpdated(
                stream_id=after.id, old_name=before.name, property=name, value=value
            )

        if before.name != after.name:
            yield update("name", after.name)
        if before.description != after.description:
            rendered = {"rendered_description": after.rendered_description}
            yield update("description", after.description).model_copy(update=rendered)
        if ChannelKind.of(before) != ChannelKind.of(after):
            rest = {
                "history_public_to_subscribers": after.history_public_to_subscribers,
                "is_web_public": after.is_web_public,
            }
            yield update("invite_only", after.invite_only).model_copy(update=rest)
        for name in _PLAIN:
            if getattr(before, name) != getattr(after, name):
                yield update(name, getattr(after, name))
        for name, value in names_to_wire(permissions).items():
            yield update(name, value)
        policy = post_policy(after, self._ctx.realm)
        if policy is not post_policy(before, self._ctx.realm):
            yield update("stream_post_policy", int(policy))
            yield update("is_announcement_only", policy is PostPolicy.ADMINISTRATORS)

    async def _show(self, channel: ChannelRecord) -> ChannelPayload:
        repository = ChannelRepository(self._ctx.db, self._ctx.realm.id)
        (summary,) = await repository.list_summaries_of([channel.id])
        return channel_payload(summary, self._ctx.realm, self._ctx.now())


_PLAIN = ("message_retention_days", "topics_policy", "default_push_notifications", "folder_id")


def _about_archived(channel: ChannelRecord, **change: Any) -> ChannelUpdated:  # noqa: ANN401 (fields of the event)
    """An event that is delivered only to clients that keep archived channels."""
    return ChannelUpdated(
        stream_id=channel.id, old_name=channel.name, is_about_archived=True, **change
    )
