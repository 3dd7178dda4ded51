"""The parts of a status; pure."""

from msgspec import Struct

from chatapi.features.emoji import Emoji, EmojiKind
from chatapi.features.users.status_payloads import UserStatusPayload

NO_EMOJI = Emoji(EmojiKind.UNICODE, code="", name="")


class Status(Struct, frozen=True):
    """A short text and an emoji; either may be missing."""

    text: str = ""
    emoji: Emoji = NO_EMOJI


NO_STATUS = Status()


def status_payload(status: Status, *, away: bool) -> UserStatusPayload:
    """Contains only the parts that are set."""
    payload = status_changes(NO_STATUS, status)
    return {"away": True, **payload} if away else payload


def status_changes(before: Status, after: Status) -> UserStatusPayload:
    """Contains only the parts that differ; empty for parts that were removed."""
    changes: UserStatusPayload = {}
    if after.text != before.text:
        changes["status_text"] = after.text
    if after.emoji != before.emoji:
        changes["emoji_name"] = after.emoji.name
        changes["emoji_code"] = after.emoji.code
        changes["reaction_type"] = after.emoji.kind.value
    return changes
