"""Shows thumbnails in the messages that were sent before these were drawn.

A placeholder is replaced because its message links its file, and the file is pending. So it has to
go where one of the two does not become true, or ends: in a message that does not get the link, and
with the file.
"""

from msgspec.structs import replace

from chatapi.auth.context import RealmContext
from chatapi.core.clock import unix_seconds
from chatapi.core.ids import AttachmentId, MessageId, RealmId, UserId
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.edit_events import MessageChanged
from chatapi.features.messages.repository import (
    EditRepository,
    MessageRepository,
)
from chatapi.features.uploads import (
    AttachmentRecord,
    FinishedImage,
    finish_image,
    is_pending,
    list_linked_paths,
    list_messages_linking,
)
from chatapi.permissions.message_lookup import FoundMessage, find_message, message_audience
from chatapi.rendering import (
    LOADING_CLASS,
    RenderedMessage,
    finish_pictures,
    without_placeholders,
)

_AT_ONCE = 200


async def show_pictures(ctx: RealmContext, attachment_id: AttachmentId) -> None:
    """Replace the placeholders of an image in all messages that link it; the realm is locked.

    A message that links it later, rendered before it was drawn, makes it pending again.
    """
    image = await finish_image(ctx, attachment_id)
    if image is None:
        return
    await _update_all(ctx, attachment_id, image)


async def remove_placeholders(ctx: RealmContext, attachment: AttachmentRecord) -> None:
    """Show links in place of the placeholders of an image that is deleted; the realm is locked."""
    if await is_pending(ctx, attachment.id):
        await _update_all(ctx, attachment.id, FinishedImage(attachment.path_id, picture=None))


async def drop_lost_pictures(
    db: DatabaseSession, realm_id: RealmId, message_id: MessageId, rendered: RenderedMessage
) -> RenderedMessage:
    """Show links in a new text in place of placeholders that nothing would replace.

    Call it once the text is written and its files are linked. Since it was rendered, a file may
    have been deleted, or the sender may have lost access to it: then the message does not link it.
    """
    if not rendered.has_loading_picture:
        return rendered
    linked = await list_linked_paths(db, realm_id, message_id)
    html = without_placeholders(rendered.html, but_of=linked)
    if html == rendered.html:
        return rendered
    await EditRepository(db).change_text(message_id, {"rendered_content": html})
    return replace(rendered, html=html)


async def _update_all(ctx: RealmContext, attachment_id: AttachmentId, image: FinishedImage) -> None:
    last_id = MessageId(0)
    while message_ids := await list_messages_linking(ctx, attachment_id, last_id, _AT_ONCE):
        for message_id in message_ids:
            await _update(ctx, message_id, image)
        last_id = message_ids[-1]


async def _update(ctx: RealmContext, message_id: MessageId, image: FinishedImage) -> None:
    repository = EditRepository(ctx.db)
    before = await repository.get_text(message_id)
    if LOADING_CLASS not in before.rendered_content:
        return
    rendered = finish_pictures(before.rendered_content, image.path, image.picture)
    if rendered == before.rendered_content:
        return
    await repository.change_text(message_id, {"rendered_content": rendered})
    message = await find_message(ctx, message_id)
    mentions = await MessageRepository(ctx.db, ctx.realm.id).list_mentions(message_id)
    ctx.emit(
        MessageChanged(
            user_id=None,
            rendering_only=True,
            changes_wildcards=False,
            message_id=message_id,
            message_ids=[message_id],
            edit_timestamp=unix_seconds(ctx.now()),
            stream_id=message.channel_id,
            content=before.content,
            rendered_content=rendered,
            mentioned_users=mentions.user_ids,
            mentioned_groups=mentions.group_ids,
            mentions_channel=before.mentions_channel,
            topic_participants=await _participants(
                ctx, message, mentions_topic=before.mentions_topic
            ),
            alerted_users=mentions.alerted_user_ids,
        ),
        to=await message_audience(ctx, message),
    )


async def _participants(
    ctx: RealmContext, message: FoundMessage, *, mentions_topic: bool
) -> frozenset[UserId] | None:
    if not mentions_topic or message.channel_id is None:
        return None
    return await MessageRepository(ctx.db, ctx.realm.id).list_senders(message.conversation_id)
