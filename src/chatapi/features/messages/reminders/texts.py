"""The texts of a reminder: when it is created, and when it is delivered."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import MessageId
from chatapi.features.channels import mention
from chatapi.features.messages.repository import HistoryRepository, HistoryRow
from chatapi.permissions.messages import message_access
from chatapi.rendering import NamedChannel, channel_address, quoted


async def text_of_request(ctx: Context, message_id: MessageId, note: str) -> str:
    """For a caller who may see the message; without its text, which may be deleted by then."""
    message = await _find(ctx, message_id)
    if message is None:
        raise BadRequestError("Invalid message(s)")
    link = f"[a message]({await _address(ctx, message)})"
    return _with_note(f"You requested a reminder for {link}.", note)


async def text_of_reminder(ctx: Context, message_id: MessageId, note: str) -> str:
    """With the message, if its reader may still see it."""
    message = await _find(ctx, message_id)
    if message is None:
        gone = "You requested a reminder for a message that is no longer available to you."
        return _with_note(gone, note)
    repository = HistoryRepository(ctx.db, ctx.realm.id)
    sender = (await repository.list_users([message.sender_id]))[message.sender_id]
    said = f"{mention(sender)} [said]({await _address(ctx, message)}):"
    asked = _with_note("You requested a reminder for the following message.", note)
    return f"{asked}\n\n{said}\n\n{quoted(message.content)}"


async def _find(ctx: Context, message_id: MessageId) -> HistoryRow | None:
    access = await message_access(ctx)
    message = await HistoryRepository(ctx.db, ctx.realm.id).find(message_id)
    return message if message is not None and await access.can_see_message(message) else None


async def _address(ctx: Context, message: HistoryRow) -> str:
    """The address at which clients show the message."""
    if message.channel_id is None:
        repository = HistoryRepository(ctx.db, ctx.realm.id)
        people = await repository.list_people([message.conversation_id])
        user_ids = ",".join(str(user_id) for user_id in people[message.conversation_id])
        return f"/#narrow/dm/{user_ids}/near/{message.id}"
    channels = await ctx.runtime.channels.many(ctx.db, ctx.realm.id, [message.channel_id])
    channel = channels[message.channel_id]
    place = channel_address(NamedChannel(channel.id, channel.name), message.topic)
    return f"{place}/near/{message.id}"


def _with_note(text: str, note: str) -> str:
    return f"{text}\n\nNote:\n\n{quoted(note)}" if note else text
