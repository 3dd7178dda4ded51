"""Changes the text of a message, with all consequences."""

from chatapi.auth.context import Context
from chatapi.core.clock import unix_seconds
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import UserId
from chatapi.features.messages.edit.rules import check_digest, check_edits_so_far, check_may_edit
from chatapi.features.messages.edit_events import MessageChanged
from chatapi.features.messages.picture_updates import drop_lost_pictures
from chatapi.features.messages.recipients import find_channel, require_direct_messages
from chatapi.features.messages.repository import (
    AlertFlagRepository,
    EditRepository,
    MessageRepository,
    MessageText,
)
from chatapi.features.messages.wildcards import check_wildcards
from chatapi.features.uploads import AttachmentPayload, Claim, relink_attachments
from chatapi.permissions.message_lookup import (
    FoundMessage,
    channel_of,
    message_audience,
    participants_of,
)
from chatapi.rendering import RenderedMessage, without_placeholders


class ContentChange:
    """One new text for one message; the realm is locked."""

    def __init__(self, ctx: Context, message: FoundMessage) -> None:
        self._ctx = ctx
        self._message = message
        self._repository = EditRepository(ctx.db)
        self._messages = MessageRepository(ctx.db, ctx.realm.id)

    async def apply(
        self, content: str, rendered: RenderedMessage, digest: str | None
    ) -> list[AttachmentPayload]:
        """Write the text; returns the files that no message links any more."""
        ctx, message = self._ctx, self._message
        before = await self._repository.get_text(message.id)
        check_may_edit(ctx.user.id, message.sender_id, before.sent_at, ctx.now(), ctx.realm.options)
        check_digest(before.content, digest)
        # Users who may no longer write in a conversation may not do so by editing either.
        if message.channel_id is not None:
            await find_channel(ctx, message.channel_id)
        else:
            await require_direct_messages(ctx, await participants_of(ctx, message))
        if content == before.content:
            return []
        if before.has_widget:
            raise BadRequestError("Widgets cannot be edited.")
        check_edits_so_far(*await self._repository.count_texts(message.id))
        await self._check_wildcards(before, rendered)
        await self._write(before, content, rendered)
        alerted = await self._mark_alerts(content)
        claim = Claim(message.id, ctx.user, rendered.upload_paths, rendered.has_loading_picture)
        detached = await relink_attachments(ctx, claim)
        rendered = await drop_lost_pictures(ctx.db, ctx.realm.id, message.id, rendered)
        await self._emit(before, content, rendered, alerted)
        return [attachment.payload() for attachment in detached]

    async def _check_wildcards(self, before: MessageText, rendered: RenderedMessage) -> None:
        """Wildcard mentions that the old text contained already are permitted again."""
        channel = await channel_of(self._ctx, self._message)
        is_louder = (rendered.mentions_channel and not before.mentions_channel) or (
            rendered.mentions_topic and not before.mentions_topic
        )
        if channel is not None and is_louder:
            await check_wildcards(self._ctx, channel, self._message.topic, rendered)

    async def _write(self, before: MessageText, content: str, rendered: RenderedMessage) -> None:
        now, message_id = self._ctx.now(), self._message.id
        await self._repository.note(
            message_id=message_id,
            editor_id=self._ctx.user.id,
            edited_at=now,
            prev_content=before.content,
            prev_rendered_content=without_placeholders(before.rendered_content),
        )
        await self._repository.change_text(
            message_id,
            {
                "content": content,
                "rendered_content": rendered.html,
                "is_me_message": rendered.is_me_message,
                "mentions_channel": rendered.mentions_channel,
                "mentions_topic": rendered.mentions_topic,
                "has_link": rendered.has_link,
                "has_image": rendered.has_image,
                "has_attachment": bool(rendered.upload_paths),
                "last_edited_at": now,
            },
        )
        await self._repository.forget_mentions(message_id)
        if people := [(message_id, user_id) for user_id in rendered.mentioned_user_ids]:
            await self._messages.add_mentions(people)
        if groups := [(message_id, group_id) for group_id in rendered.mentioned_group_ids]:
            await self._messages.add_group_mentions(groups)

    async def _mark_alerts(self, content: str) -> frozenset[UserId]:
        """Flag the message for users with a matching alert word; returns these users."""
        ctx, message = self._ctx, self._message
        recipient_preferences = await ctx.runtime.recipient_preferences.of(ctx.db, ctx.realm.id)
        watching = recipient_preferences.alert_words.users_alerted_by(content)
        if message.channel_id is None:
            alerted = watching.intersection(await participants_of(ctx, message))
        else:
            alerted = await self._messages.list_subscribed(message.channel_id, watching)
        await AlertFlagRepository(ctx.db).mark_again(message.id, alerted)
        return alerted

    async def _emit(
        self,
        before: MessageText,
        content: str,
        rendered: RenderedMessage,
        alerted: frozenset[UserId],
    ) -> None:
        ctx, message = self._ctx, self._message
        shows_old_text = ctx.realm.options.message_edit_history_visibility_policy == "all"
        participants = None
        if rendered.mentions_topic and message.channel_id is not None:
            participants = await self._messages.list_senders(message.conversation_id)
        ctx.emit(
            MessageChanged(
                user_id=ctx.user.id,
                message_id=message.id,
                message_ids=[message.id],
                edit_timestamp=unix_seconds(ctx.now()),
                stream_id=message.channel_id,
                content=content,
                rendered_content=rendered.html,
                orig_content=before.content if shows_old_text else None,
                orig_rendered_content=(
                    without_placeholders(before.rendered_content) if shows_old_text else None
                ),
                is_me_message=rendered.is_me_message,
                mentioned_users=rendered.mentioned_user_ids,
                mentioned_groups=rendered.mentioned_group_ids,
                mentions_channel=rendered.mentions_channel,
                topic_participants=participants,
                changes_wildcards=_wildcards(rendered) != _wildcards(before),
                alerted_users=alerted,
            ),
            to=await message_audience(ctx, message),
        )


def _wildcards(text: MessageText | RenderedMessage) -> tuple[bool, bool]:
    return text.mentions_channel, text.mentions_topic
