"""Use case: change flags of single messages."""

from collections import defaultdict
from collections.abc import Sequence

from chatapi.auth.context import Context
from chatapi.core.cooperative import yield_to_event_loop
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ConversationId, MessageId
from chatapi.features.messages.flags.details import load_details
from chatapi.features.messages.flags.params import ChangeFlagsParams, FlagChange
from chatapi.features.messages.flags.payloads import ChangedFlagsPayload
from chatapi.features.messages.flags.rules import Advance, advance
from chatapi.permissions.messages import message_access
from chatapi.read_state.events import FlagAdded, FlagRemoved
from chatapi.read_state.repository import (
    MarkRepository,
    MessageState,
    StateRepository,
    UnreadRepository,
)

_NOTES = ("starred", "collapsed")
_GIVEN_BY_THE_SERVICE = {
    "mentioned",
    "wildcard_mentioned",
    "stream_wildcard_mentioned",
    "topic_wildcard_mentioned",
    "has_alert_word",
    "historical",
}

_MANY = 1_000
"""With more messages than this, iterating takes milliseconds, so other tasks run in between."""


class FlagService:
    """Changes a reader's flags of messages that the reader may see."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        place = (ctx.db, ctx.realm.id, ctx.user.id)
        self._states = StateRepository(*place)
        self._marks = MarkRepository(*place)
        self._unread = UnreadRepository(ctx.db, ctx.user.id)

    async def change(self, params: ChangeFlagsParams) -> ChangedFlagsPayload:
        """Add or remove a flag; the request is refused if the caller may not see a message."""
        check_flag(params.flag)
        await self._ctx.lock()
        states = await self._visible_states([MessageId(number) for number in params.messages])
        return await self._change(states, params)

    async def change_visible(
        self, message_ids: Sequence[MessageId], change: FlagChange
    ) -> tuple[list[MessageId], ChangedFlagsPayload]:
        """The same in a locked realm, for those of the messages that the caller may see.

        Returns these and the result.
        """
        access = await message_access(self._ctx)
        states = await self._states.list_states(message_ids, access.channels.membership.groups)
        visible = await access.visible(states)
        seen = [state for state in states if state.id in visible]
        return [state.id for state in seen], await self._change(seen, change)

    async def _change(
        self, states: Sequence[MessageState], change: FlagChange
    ) -> ChangedFlagsPayload:
        if change.flag in _NOTES:
            return await self._note(states, change)
        if change.op == "add":
            return await self._mark_read(states)
        return await self._mark_unread(states)

    async def _visible_states(self, message_ids: Sequence[MessageId]) -> list[MessageState]:
        access = await message_access(self._ctx)
        states = await self._states.list_states(message_ids, access.channels.membership.groups)
        if len(await access.visible(states)) < len(set(message_ids)):
            raise BadRequestError("Invalid message(s)")
        if len(states) > _MANY:
            await yield_to_event_loop()
        return states

    async def _note(
        self, states: Sequence[MessageState], change: FlagChange
    ) -> ChangedFlagsPayload:
        is_set = change.op == "add"
        changed = [state for state in states if bool(getattr(state, change.flag)) != is_set]
        await self._states.note(changed, change.flag, value=is_set)
        message_ids = [state.id for state in changed]
        if message_ids:
            event = FlagAdded if is_set else FlagRemoved
            self._ctx.emit_to_caller(event(flag=change.flag, messages=message_ids))
        return {"messages": message_ids, "ignored_because_not_subscribed_channels": []}

    async def _mark_read(self, states: Sequence[MessageState]) -> ChangedFlagsPayload:
        unread = [state for state in states if state.is_unread]
        by_conversation: defaultdict[ConversationId, list[MessageState]] = defaultdict(list)
        for state in unread:
            by_conversation[state.conversation_id].append(state)
        advances = await self._advances(by_conversation)
        boundaries = {
            key: each.boundary for key, each in advances.items() if each.boundary is not None
        }
        await self._marks.forget_up_to(boundaries)
        await self._marks.move(
            {
                key: boundary
                for key, boundary in boundaries.items()
                if boundary > by_conversation[key][0].position
            }
        )
        beyond = {message_id for each in advances.values() for message_id in each.beyond}
        remaining = [state for state in unread if state.id in beyond]
        # At or below the position, a message can be unread only by an exception.
        excepted = [state.id for state in remaining if state.id <= state.position]
        await self._marks.forget(excepted)
        await self._marks.note(
            [state for state in remaining if state.id > state.position], is_read=True
        )
        message_ids = [state.id for state in unread]
        if message_ids:
            self._ctx.emit_to_caller(FlagAdded(flag="read", messages=message_ids))
        return {"messages": message_ids, "ignored_because_not_subscribed_channels": []}

    async def _advances(
        self, by_conversation: dict[ConversationId, list[MessageState]]
    ) -> dict[ConversationId, Advance]:
        if not by_conversation:
            return {}
        last_messages = await self._marks.last_messages(list(by_conversation))
        advances = {}
        for key, states in by_conversation.items():
            marked = {state.id for state in states}
            position = states[0].position
            first_unread = await self._unread.list_first(key, position, limit=len(marked) + 1)
            advances[key] = advance(first_unread, marked, last_messages[key])
        return advances

    async def _mark_unread(self, states: Sequence[MessageState]) -> ChangedFlagsPayload:
        ignored = {
            state.channel_id
            for state in states
            if state.channel_id is not None and not state.is_subscribed
        }
        changed = [
            state for state in states if state.channel_id not in ignored and not state.is_unread
        ]
        await self._marks.note(changed, is_read=False)
        message_ids = [state.id for state in changed]
        if message_ids:
            details = await load_details(self._ctx, changed)
            self._ctx.emit_to_caller(
                FlagRemoved(flag="read", messages=message_ids, message_details=details)
            )
        return {
            "messages": message_ids,
            "ignored_because_not_subscribed_channels": sorted(ignored),
        }


def check_flag(flag: str) -> None:
    if flag in _GIVEN_BY_THE_SERVICE:
        raise BadRequestError(f"Flag not editable: '{flag}'")
    if flag not in {"read", *_NOTES}:
        raise BadRequestError(f"Invalid flag: '{flag}'")
