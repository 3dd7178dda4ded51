"""Changes users' settings for the channels to which they are subscribed."""

from collections import defaultdict
from collections.abc import Sequence

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelId
from chatapi.events.audience import Users
from chatapi.features.channels.access import ChannelFinder
from chatapi.features.channels.repository import SubscriptionRepository
from chatapi.features.channels.subscription_events import SubscriptionUpdated
from chatapi.features.channels.subscriptions.colors import is_color
from chatapi.features.channels.subscriptions.params import Choice, PropertyChange


class PropertyService:
    """Changes subscription settings: all that the request names, or none."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._subscriptions = SubscriptionRepository(ctx.db, ctx.realm.id)

    async def change(self, changes: Sequence[PropertyChange]) -> None:
        """SPEC 4.5; a change of muting is emitted under both of its property names."""
        await self._ctx.lock()
        subscribed = await self._subscriptions.channel_ids_of(self._ctx.user.id)
        chosen: defaultdict[str, dict[ChannelId, Choice]] = defaultdict(dict)
        for change in changes:
            channel_id = ChannelId(change.stream_id)
            if channel_id not in subscribed:
                await ChannelFinder(self._ctx).get_known(channel_id)
                raise BadRequestError(f"Not subscribed to channel ID {channel_id}")
            name, value = _checked(change)
            chosen[name][channel_id] = value
            self._emit_change(channel_id, name, value)
        for name, values in chosen.items():
            await self._subscriptions.change_own(self._ctx.user.id, name, values)

    def _emit_change(self, channel_id: ChannelId, name: str, value: Choice) -> None:
        self._emit(channel_id, name, value)
        if name == "is_muted":
            self._emit(channel_id, "in_home_view", not value)

    def _emit(self, channel_id: ChannelId, name: str, value: Choice) -> None:
        user_id = self._ctx.user.id
        event = SubscriptionUpdated(
            stream_id=channel_id, property=name, value=value, user_id=user_id
        )
        self._ctx.emit(event, to=Users.only(user_id))


def _checked(change: PropertyChange) -> tuple[str, Choice]:
    """The column to change and its new value."""
    value = change.value
    if change.property == "color":
        if not isinstance(value, str) or not is_color(value):
            raise BadRequestError("color is not a color, such as #a1b2c3")
        return "color", value.lower()
    if not isinstance(value, bool):
        raise BadRequestError(f"{change.property} is not a boolean")
    if change.property == "in_home_view":
        return "is_muted", not value
    return change.property, value
