"""Resolves the emoji of a request from its name, code and type, some of which may be missing."""

from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct

from chatapi.auth.context import RealmContext
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import MAX_ID, EmojiId
from chatapi.features.emoji.repository import EmojiRecord, EmojiRepository
from chatapi.rendering import is_unicode_emoji, is_unicode_emoji_code, unicode_emoji_code

ReactionType: TypeAlias = Literal[
    "unicode_emoji", "realm_emoji", "zulip_extra_emoji", "service_extra_emoji"
]
"""The last two mean the same."""


class EmojiKind(StrEnum):
    """The origin of an emoji, in the values that existing clients know."""

    UNICODE = "unicode_emoji"
    REALM = "realm_emoji"
    EXTRA = "zulip_extra_emoji"

    @classmethod
    def read(cls, reaction_type: ReactionType | None) -> "EmojiKind | None":
        if reaction_type is None:
            return None
        return cls.EXTRA if reaction_type == "service_extra_emoji" else cls(reaction_type)


_EXTRA_NAME = "zulip"
"""The only emoji that is neither a Unicode nor a custom emoji; its code is its name."""


class Emoji(Struct, frozen=True):
    """One emoji; kind and code identify it, the name is the one that was used."""

    kind: EmojiKind
    code: str
    name: str


class EmojiResolver:
    """Looks up the emoji that clients may currently use."""

    def __init__(self, ctx: RealmContext) -> None:
        self._repository = EmojiRepository(ctx.db, ctx.realm.id)

    async def find(self, name: str, code: str | None, kind: EmojiKind | None) -> Emoji:
        """The emoji that a client means; call `check` to validate a code that was passed."""
        if code is None:
            return await self._named(name, kind)
        if kind is None:
            kind = (await self._named(name, None)).kind
        return Emoji(kind, code, name)

    async def check(self, emoji: Emoji) -> None:
        """Refuse an emoji that does not exist, is no longer in use, or has another name."""
        own = await self._own(emoji.code) if emoji.kind is EmojiKind.REALM else None
        await self.check_code(emoji.code, emoji.kind)
        is_its_name = {
            EmojiKind.UNICODE: is_unicode_emoji(emoji.name, emoji.code),
            EmojiKind.EXTRA: emoji.name == _EXTRA_NAME,
            EmojiKind.REALM: own is not None and emoji.name == own.name,
        }
        if not is_its_name[emoji.kind]:
            raise BadRequestError("Invalid emoji name")
        if own is not None and own.deactivated:
            raise BadRequestError("This custom emoji has been deactivated")

    async def check_code(self, code: str, kind: EmojiKind | None) -> None:
        """Refuse a code that no emoji has or had; without a kind, all kinds are searched."""
        if await self._is_known(code, kind):
            return
        raise BadRequestError("Invalid emoji code")

    async def _is_known(self, code: str, kind: EmojiKind | None) -> bool:
        if kind in {None, EmojiKind.UNICODE} and is_unicode_emoji_code(code):
            return True
        if kind in {None, EmojiKind.EXTRA} and code == _EXTRA_NAME:
            return True
        return kind in {None, EmojiKind.REALM} and await self._own(code) is not None

    async def _named(self, name: str, kind: EmojiKind | None) -> Emoji:
        """A custom emoji takes precedence over others of the same name."""
        if kind in {None, EmojiKind.REALM}:
            own = await self._repository.find_named(name)
            if own is not None:
                return Emoji(EmojiKind.REALM, str(own.id), name)
        if kind in {None, EmojiKind.EXTRA} and name == _EXTRA_NAME:
            return Emoji(EmojiKind.EXTRA, name, name)
        code = unicode_emoji_code(name)
        if kind not in {None, EmojiKind.UNICODE} or code is None:
            raise BadRequestError(f"Emoji '{name}' does not exist")
        return Emoji(EmojiKind.UNICODE, code, name)

    async def _own(self, code: str) -> EmojiRecord | None:
        emoji_id = _read_id(code)
        return None if emoji_id is None else await self._repository.find(emoji_id)


def _read_id(code: str) -> EmojiId | None:
    """Accepts only the canonical spelling of an id: another one would be a second reaction."""
    if not (code.isascii() and code.isdecimal()) or str(int(code)) != code:
        return None
    return EmojiId(int(code)) if int(code) <= MAX_ID else None
