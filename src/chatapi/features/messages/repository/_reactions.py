"""Every SQL statement on reactions."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import bindparam, case, delete, func, insert, select

from chatapi.core.ids import MessageId, UserId
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import Reaction
from chatapi.db.session import DatabaseSession
from chatapi.features.emoji import Emoji, EmojiKind
from chatapi.features.messages.payloads import ReactionPayload

_IDS_PER_STATEMENT = 10_000

_OF_MESSAGES = (
    select(
        Reaction.message_id,
        Reaction.emoji_name,
        Reaction.emoji_code,
        Reaction.reaction_type,
        Reaction.user_id,
    )
    .where(is_one_of(Reaction.message_id, "message_ids"))
    .order_by(Reaction.id)
)
_COUNTS = (
    select(Reaction.message_id, func.count())
    .where(is_one_of(Reaction.message_id, "message_ids"))
    .group_by(Reaction.message_id)
)
_some = (
    select(Reaction)
    .where(is_one_of(Reaction.message_id, "message_ids"))
    .limit(bindparam("limit"))
    .subquery()
)
# The limit is inside: with the order, a database might read all reactions in that order.
_SOME_OF_MESSAGES = select(
    _some.c.message_id,
    _some.c.emoji_name,
    _some.c.emoji_code,
    _some.c.reaction_type,
    _some.c.user_id,
).order_by(_some.c.id)
_GROUPED = (
    select(
        Reaction.reaction_type,
        Reaction.emoji_code,
        func.min(Reaction.emoji_name),
        func.count(),
        func.max(case((Reaction.user_id == bindparam("user_id"), 1), else_=0)),
    )
    .where(Reaction.message_id == bindparam("message_id"))
    .group_by(Reaction.reaction_type, Reaction.emoji_code)
    .order_by(func.min(Reaction.id))
)
_REMOVE = delete(Reaction).where(
    Reaction.message_id == bindparam("of_message"),
    Reaction.user_id == bindparam("of_user"),
    Reaction.reaction_type == bindparam("kind"),
    Reaction.emoji_code == bindparam("code"),
)


class EmojiCount(Struct, frozen=True):
    """An emoji at a message, and how many users reacted with it."""

    emoji: Emoji
    count: int
    is_own: bool
    """Whether one of the reactions is the given user's."""


class ReactionRepository:
    """Reactions to messages; the caller has checked that the reader may see these."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def list_of(
        self, message_ids: Sequence[MessageId]
    ) -> dict[MessageId, list[ReactionPayload]]:
        """All reactions to some messages, the oldest first."""
        found: defaultdict[MessageId, list[ReactionPayload]] = defaultdict(list)
        for start in range(0, len(message_ids), _IDS_PER_STATEMENT):
            chunk = message_ids[start : start + _IDS_PER_STATEMENT]
            _add_rows(found, await self._db.execute(_OF_MESSAGES, {"message_ids": chunk}))
        return found

    async def list_up_to(
        self, message_ids: Sequence[MessageId], most: int
    ) -> dict[MessageId, list[ReactionPayload]] | None:
        """The same, unless there are more than so many; then None, and no more are read."""
        found: defaultdict[MessageId, list[ReactionPayload]] = defaultdict(list)
        limit = {"message_ids": message_ids, "limit": most + 1}
        count = _add_rows(found, await self._db.execute(_SOME_OF_MESSAGES, limit))
        return found if count <= most else None

    async def count_of(self, message_ids: Sequence[MessageId]) -> dict[MessageId, int]:
        """How many reactions messages have; those without any are left out."""
        rows = await self._db.execute(_COUNTS, {"message_ids": message_ids})
        return {MessageId(message_id): count for message_id, count in rows}

    async def list_emoji_counts(self, message_id: MessageId, user_id: UserId) -> list[EmojiCount]:
        """The emoji at a message: one row for each emoji, not for each user."""
        rows = await self._db.execute(_GROUPED, {"message_id": message_id, "user_id": user_id})
        return [
            EmojiCount(Emoji(EmojiKind(kind), code, name), count, bool(is_own))
            for kind, code, name, count, is_own in rows
        ]

    async def add(self, message_id: MessageId, user_id: UserId, emoji: Emoji) -> None:
        await self._db.execute(
            insert(Reaction),
            [
                {
                    "message_id": message_id,
                    "user_id": user_id,
                    "reaction_type": emoji.kind.value,
                    "emoji_code": emoji.code,
                    "emoji_name": emoji.name,
                }
            ],
        )

    async def remove(self, message_id: MessageId, user_id: UserId, emoji: Emoji) -> None:
        await self._db.execute(
            _REMOVE,
            {
                "of_message": message_id,
                "of_user": user_id,
                "kind": emoji.kind.value,
                "code": emoji.code,
            },
        )


def _add_rows(found: dict[MessageId, list[ReactionPayload]], rows: Iterable[Sequence[Any]]) -> int:
    """Add reactions by message; returns how many they are."""
    count = 0
    for message_id, name, code, kind, user_id in rows:
        found[MessageId(message_id)].append(
            {"emoji_name": name, "emoji_code": code, "reaction_type": kind, "user_id": user_id}
        )
        count += 1
    return count
