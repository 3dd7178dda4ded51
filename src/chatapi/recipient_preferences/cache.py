"""Per-process cache of a realm's alert words, muted users and outgoing webhook bots.

It is invalidated by the event log.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import partial

from msgspec import Struct
from sqlalchemy import bindparam, select

from chatapi.core.ids import RealmId, UserId
from chatapi.core.roles import BotType
from chatapi.db.models import AlertWord, MutedUser, User
from chatapi.db.session import DatabaseSession
from chatapi.events.cache_tags import RecipientPreferencesTag
from chatapi.events.feed_cache import FeedCache
from chatapi.events.hub import Hub
from chatapi.recipient_preferences.alert_words import AlertWordMatcher

_WORDS = select(AlertWord.user_id, AlertWord.word).where(
    AlertWord.realm_id == bindparam("realm_id")
)
_MUTED = (
    select(MutedUser.muted_user_id, MutedUser.user_id)
    .join(User, User.id == MutedUser.user_id)
    .where(User.realm_id == bindparam("realm_id"))
)
_WEBHOOK_BOTS = select(User.id).where(
    User.realm_id == bindparam("realm_id"),
    User.bot_type == BotType.OUTGOING_WEBHOOK,
    User.is_active,
)


class RecipientPreferences(Struct, frozen=True):
    """The preferences of all users of a realm."""

    alert_words: AlertWordMatcher
    muted_by: Mapping[UserId, frozenset[UserId]]
    """The users who muted a sender, by sender."""
    webhook_bots: frozenset[UserId]
    """Active bots whose service is called when they are mentioned or written to."""


class RecipientPreferencesCache:
    """The cache between sending and the tables: most sends cost no statement."""

    def __init__(self, hub: Hub) -> None:
        self._preferences = FeedCache[None, RecipientPreferences](
            hub, max_values=1, realm_tags=(RecipientPreferencesTag,)
        )

    async def of(self, db: DatabaseSession, realm_id: RealmId) -> RecipientPreferences:
        """Call it with the realm locked, since the flags of new messages must not be outdated."""
        if not db.has_locked(realm_id):
            raise RuntimeError("lock the realm: the preferences must still hold at the commit")
        known = self._preferences.get(realm_id, None)
        if known is not None:
            return known
        return await self._preferences.load(realm_id, None, partial(_load, db, realm_id))


async def _load(db: DatabaseSession, realm_id: RealmId) -> RecipientPreferences:
    alert_words = await db.execute(_WORDS, {"realm_id": realm_id})
    watched = AlertWordMatcher((UserId(user_id), word) for user_id, word in alert_words)
    muted_by: defaultdict[UserId, set[UserId]] = defaultdict(set)
    for muted_id, user_id in await db.execute(_MUTED, {"realm_id": realm_id}):
        muted_by[UserId(muted_id)].add(UserId(user_id))
    webhook_bots = await db.execute(_WEBHOOK_BOTS, {"realm_id": realm_id})
    return RecipientPreferences(
        watched,
        {muted: frozenset(by) for muted, by in muted_by.items()},
        frozenset(UserId(bot_id) for (bot_id,) in webhook_bots),
    )
