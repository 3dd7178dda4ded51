"""Every SQL statement on reactions."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class EmojiCount:
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
            rows = await self._db.execute(_OF_MESSAGES, {"message_ids": chunk})
            for message_id, name, code, kind, user_id in rows:
                found[MessageId(message_id)].append(
                    {
                        "emoji_name": name,
                        "emoji_code": code,
                        "reaction_type": kind,
                        "user_id": user_id,
                    }
                )
        return found

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
