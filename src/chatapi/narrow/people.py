"""Operators about senders and recipients: `dm`, `dm-including`, `group-pm-with`, `sender`."""

from collections.abc import Sequence
from typing import ClassVar

from sqlalchemy import and_, false, func, select, true
from typing_extensions import override

from chatapi.auth.users import UserRecord, is_named, user_records
from chatapi.channel_cache.participants import people_key
from chatapi.core.ids import ConversationId, UserId
from chatapi.db.models import Conversation, ConversationMember, Message, User
from chatapi.events.client import ClientView
from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.operator import (
    CompileContext,
    Compiled,
    LiveOperator,
    Scope,
    SentMessage,
    along_conversation,
)
from chatapi.narrow.terms import Operand
from chatapi.permissions.user_visibility import user_visibility

_FEWEST_IN_GROUP = 3
_NOTHING = Compiled(false(), Scope(false()))


class DirectWith(LiveOperator):
    """The conversation of the reader with exactly these users."""

    names: ClassVar = ("dm", "pm-with")

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        reader_id = context.access.reader_id
        people = await _find_people(operand, context)
        if reader_id is None:
            return _NOTHING
        rows = await context.ctx.db.execute(
            select(Conversation.id).where(
                Conversation.realm_id == context.ctx.realm.id,
                Conversation.people_key == people_key({reader_id, *people}),
            )
        )
        conversation_id = rows.scalar_one_or_none()
        if conversation_id is None:
            return _NOTHING
        place = along_conversation(ConversationId(conversation_id))
        # The reader is one of the participants of the conversation found.
        return Compiled(scope=Scope(true(), place), place=place)

    @override
    async def resolve(self, operand: Operand, context: CompileContext) -> Operand:
        return list[int](await _find_people(operand, context))

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        return message.people_ids == {view.user_id, *_people(operand)}


class DirectIncluding(LiveOperator):
    """Direct messages of the reader in which all of these users take part."""

    names: ClassVar = ("dm-including",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        conditions = [
            Message.conversation_id.in_(
                select(ConversationMember.conversation_id)
                .where(ConversationMember.user_id == user_id)
                .correlate(None)
            )
            for user_id in await _find_people(operand, context)
        ]
        in_direct = context.access.in_direct()
        return Compiled(and_(in_direct, *conditions), Scope(in_direct))

    @override
    async def resolve(self, operand: Operand, context: CompileContext) -> Operand:
        return list[int](await _find_people(operand, context))

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        return message.channel_id is None and message.people_ids.issuperset(_people(operand))


class GroupDirectWith(DirectIncluding):
    """Like `dm-including`, but only conversations of more than two participants."""

    names: ClassVar = ("group-pm-with",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        including = await super().compile(operand, context)
        groups = (
            select(ConversationMember.conversation_id)
            .group_by(ConversationMember.conversation_id)
            .having(func.count() >= _FEWEST_IN_GROUP)
            .where(ConversationMember.conversation_id == Message.conversation_id)
            .correlate(Message)
        )
        return Compiled(and_(including.condition, groups.exists()), including.scope)

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        is_group = len(message.people_ids) >= _FEWEST_IN_GROUP
        return is_group and super().matches(operand, message, view)


class SentBy(LiveOperator):
    """Messages of one sender."""

    names: ClassVar = ("sender",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        return Compiled(Message.sender_id == await self.resolve(operand, context))

    @override
    async def resolve(self, operand: Operand, context: CompileContext) -> UserId:
        people = await _find_people(operand, context)
        if len(people) != 1:
            raise BadNarrowError("the operand of sender must be one user")
        return people[0]

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        return message.sender_id == operand


def _people(operand: Operand) -> Sequence[object]:
    """The ids of a term whose operand was resolved."""
    return operand if isinstance(operand, list) else ()


async def _find_people(operand: Operand, context: CompileContext) -> list[UserId]:
    """Returns the users that a term names by id or address, whether active or not."""
    if isinstance(operand, int):
        return await _by_id([operand], context)
    if isinstance(operand, str):
        names = [name.strip() for name in operand.split(",")]
        return await _by_name([name for name in names if name], context)
    numbers = [each for each in operand if isinstance(each, int)]
    if len(numbers) == len(operand):
        return await _by_id(numbers, context)
    return await _by_name([str(each) for each in operand], context)


async def _by_id(numbers: Sequence[int], context: CompileContext) -> list[UserId]:
    rows = await context.ctx.db.execute(
        user_records.select().where(User.realm_id == context.ctx.realm.id, User.id.in_(numbers))
    )
    visibility = await user_visibility(context.ctx)
    found = {user.id for user in user_records.read_all(rows) if visibility.can_see(user)}
    for number in numbers:
        if number not in found:
            raise BadNarrowError(f"unknown user {number}")
    return sorted(found)


async def _by_name(names: Sequence[str], context: CompileContext) -> list[UserId]:
    return [(await _find_named(name, context)).id for name in names]


async def _find_named(name: str, context: CompileContext) -> UserRecord:
    """Find a user by API email, or by the real address if the reader may see it and the user."""
    ctx = context.ctx
    root_domain = ctx.settings.root_domain
    rows = await ctx.db.execute(user_records.select().where(is_named(ctx.realm, root_domain, name)))
    row = rows.one_or_none()
    user = None if row is None else user_records.read(row)
    made_up = None if user is None else user.made_up_email(ctx.realm, root_domain)
    is_known_by_it = user is not None and (
        name.lower() == made_up or user.shows_email_to(ctx.reader)
    )
    if user is None or not is_known_by_it or not (await user_visibility(ctx)).can_see(user):
        raise BadNarrowError(f"unknown user {name}")
    return user
