"""Use cases: add and remove reactions."""

from collections.abc import Sequence

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import MessageId
from chatapi.features.emoji import Emoji, EmojiKind, EmojiResolver
from chatapi.features.messages.message_data import SenderData
from chatapi.features.messages.reactions.errors import (
    ReactionAlreadyExistsError,
    ReactionDoesNotExistError,
)
from chatapi.features.messages.reactions.events import (
    ReactingUserPayload,
    ReactionAdded,
    ReactionChanged,
    ReactionRemoved,
)
from chatapi.features.messages.reactions.params import AddReactionParams, RemoveReactionParams
from chatapi.features.messages.repository import EmojiCount, ReactionRepository
from chatapi.permissions.message_lookup import FoundMessage, message_audience, message_to_change

MAX_EMOJI = 50
"""Limit of different emoji at one message."""
MAX_REACTIONS = 2_000
"""Limit of reactions to one message: all its readers receive all of them."""


class ReactionService:
    """Reactions of a user to messages that the user may see."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = ReactionRepository(ctx.db)
        self._choice = EmojiResolver(ctx)

    async def add(self, message_id: MessageId, params: AddReactionParams) -> None:
        """POST /messages/{message_id}/reactions."""
        await self._ctx.lock()
        message = await message_to_change(self._ctx, message_id)
        kind = EmojiKind.read(params.reaction_type)
        emoji = await self._choice.find(params.emoji_name, params.emoji_code, kind)
        counts = await self._repository.list_emoji_counts(message.id, self._ctx.user.id)
        emoji = await self._join(counts, emoji)
        await self._repository.add(message.id, self._ctx.user.id, emoji)
        await self._emit(ReactionAdded, message, emoji)

    async def remove(self, message_id: MessageId, params: RemoveReactionParams) -> None:
        """DELETE /messages/{message_id}/reactions (SPEC 4.19)."""
        await self._ctx.lock()
        message = await message_to_change(self._ctx, message_id)
        counts = await self._repository.list_emoji_counts(message.id, self._ctx.user.id)
        own = [each.emoji for each in counts if each.is_own]
        emoji = await self._find_own(own, params)
        await self._repository.remove(message.id, self._ctx.user.id, emoji)
        await self._emit(ReactionRemoved, message, emoji)

    async def _join(self, counts: Sequence[EmojiCount], emoji: Emoji) -> Emoji:
        """The emoji under the name of the first reaction with it, or a new one if there is room."""
        for each in counts:
            if (each.emoji.kind, each.emoji.code) == (emoji.kind, emoji.code):
                if each.is_own:
                    raise ReactionAlreadyExistsError
                self._check_room(counts)
                # Valid even if the emoji was removed since: the message has it already.
                return each.emoji
        await self._choice.check(emoji)
        self._check_room(counts)
        if len(counts) >= MAX_EMOJI:
            raise BadRequestError(f"A message can have {MAX_EMOJI} different reactions at most")
        return emoji

    def _check_room(self, counts: Sequence[EmojiCount]) -> None:
        if sum(each.count for each in counts) >= MAX_REACTIONS:
            raise BadRequestError(f"A message can have {MAX_REACTIONS} reactions at most")

    async def _find_own(self, own: Sequence[Emoji], params: RemoveReactionParams) -> Emoji:
        """The caller's reaction that the request means; the emoji may have been removed since."""
        kind = EmojiKind.read(params.reaction_type)
        code, name = params.emoji_code, params.emoji_name
        if code is None and name is not None and name not in {each.name for each in own}:
            # The reaction may be stored under another name of the emoji.
            emoji = await self._choice.find(name, None, kind)
            kind, code = emoji.kind, emoji.code
        for each in own:
            is_meant = each.name == name if code is None else each.code == code
            if is_meant and kind in {None, each.kind}:
                return each
        if code is not None:
            await self._choice.check_code(code, kind)
        raise ReactionDoesNotExistError

    async def _emit(
        self, change: type[ReactionChanged], message: FoundMessage, emoji: Emoji
    ) -> None:
        user = self._ctx.user
        shown = SenderData.of(user, self._ctx.realm, self._ctx.settings.root_domain)
        self._ctx.emit(
            change(
                message_id=message.id,
                emoji_name=emoji.name,
                emoji_code=emoji.code,
                reaction_type=emoji.kind.value,
                user_id=user.id,
                user=_reacting_user(shown),
                unknown_user=_reacting_user(shown.unknown()),
            ),
            to=await message_audience(self._ctx, message),
        )


def _reacting_user(shown: SenderData) -> ReactingUserPayload:
    return {"user_id": shown.id, "email": shown.email, "full_name": shown.full_name}
