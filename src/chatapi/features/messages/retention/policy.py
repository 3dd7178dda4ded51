"""How long messages are kept (SPEC 2.6); pure."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.ids import ChannelId

_FOR_EVER = -1


class RetentionPolicy(Struct, frozen=True):
    """The retention of a realm and its channels; direct messages follow the realm."""

    realm_days: int
    channel_days: Mapping[ChannelId, int | None]
    """None: the realm's setting applies."""

    @classmethod
    def of(
        cls, realm: RealmRecord, channel_days: Mapping[ChannelId, int | None]
    ) -> "RetentionPolicy":
        return cls(realm.options.message_retention_days, channel_days)

    def deletes_before(self, channel_id: ChannelId | None, now: datetime) -> datetime | None:
        """Older messages in a channel, or in direct messages, are deleted; None: none are."""
        days = self.realm_days
        if channel_id is not None:
            chosen = self.channel_days[channel_id]
            days = days if chosen is None else chosen
        return None if days == _FOR_EVER else now - timedelta(days=days)

    @property
    def ever_deletes(self) -> bool:
        return any(days not in {None, _FOR_EVER} for days in self._all_days())

    def _all_days(self) -> tuple[int | None, ...]:
        return (self.realm_days, *self.channel_days.values())
