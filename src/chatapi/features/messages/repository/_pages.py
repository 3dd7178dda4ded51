"""Statements that read pages of messages: where they are, and what a reader did with them."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import cache, partial
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    bindparam,
    func,
    literal_column,
    or_,
    select,
)

from chatapi.core.ids import (
    ChannelId,
    ConversationId,
    EventNumber,
    GroupId,
    MessageId,
    RealmId,
    UserId,
)
from chatapi.db.clocks import LAST_EVENT
from chatapi.db.id_lists import is_one_of
from chatapi.db.index_order import IndexOrder
from chatapi.db.models import Conversation, Message
from chatapi.db.opaque_values import opaque_number
from chatapi.db.session import DatabaseSession
from chatapi.narrow import Narrow, along_channel, along_conversation
from chatapi.read_state.repository import join_states, reader_values, state_number

Direction = Literal["up_to", "since"]

_FEWEST_SEARCHED = 100
MAX_PLACE_ROWS = 250
"""How many messages of a whole place are read at once."""


class PageRow(NamedTuple):
    """A message without its text, and the reader's state of it.

    A tuple for speed, since a page has hundreds of them.
    """

    id: MessageId
    conversation_id: ConversationId
    channel_id: ChannelId | None
    sender_id: UserId
    arrival: EventNumber | None
    topic: str
    is_changed: bool
    """Whether it has an edit history: its text was edited, it was moved, or its topic renamed."""
    as_of: EventNumber
    """The last event of the realm when it was read."""
    state: int
    """The number of a `PageState`."""


_page_row = partial(tuple.__new__, PageRow)
"""Like `PageRow._make`, which takes a third longer since it also counts the columns."""


class TextRow(NamedTuple):
    """The rest of a message: what does not depend on its place."""

    id: MessageId
    content: str
    rendered_content: str
    sent_at: datetime
    client_name: str
    is_me_message: bool
    has_widget: bool


_MESSAGES: Select[*tuple[Any, ...]] = select(
    Message.id,
    Message.conversation_id,
    Message.channel_id,
    Message.sender_id,
    Message.arrival,
    Conversation.topic,
    or_(
        Message.last_edited_at.is_not(None),
        Message.last_moved_at.is_not(None),
        func.coalesce(Conversation.renamed_up_to, 0) >= Message.id,
    ).label("is_changed"),
    Message.read_by_sender,
    Message.mentions_channel,
    Message.mentions_topic,
).join(Conversation, Conversation.id == Message.conversation_id)
_TEXTS: Select[*tuple[Any, ...]] = select(
    Message.id,
    Message.content,
    Message.rendered_content,
    Message.sent_at,
    Message.client_name,
    Message.is_me_message,
    Message.has_widget,
).where(is_one_of(Message.id, "message_ids"))


def _with_states(messages: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    """A page of messages, each with the reader's state, and the realm's last event.

    One statement, and so one point in time.
    """
    selected = messages.subquery("page")
    page = selected.c
    statement: Select[*tuple[Any, ...]] = select(
        page.id,
        page.conversation_id,
        page.channel_id,
        page.sender_id,
        page.arrival,
        page.topic,
        page.is_changed,
        LAST_EVENT,
        state_number(page),
    ).select_from(selected)
    return join_states(statement, page)


def _side(
    messages: Select[*tuple[Any, ...]],
    order: IndexOrder,
    direction: Direction,
    bounds: tuple[ColumnElement[int], ColumnElement[int]],
) -> Select[*tuple[Any, ...]]:
    """Those of the messages on one side of an id, which is included, up to a limit."""
    bound, limit = bounds
    if direction == "up_to":
        found = messages.where(order.up_to(bound)).order_by(*order.descending)
    else:
        found = messages.where(order.since(bound)).order_by(*order.ascending)
    return found.limit(limit)


_PLACES = {
    order.column.key: order
    for order in (along_channel(ChannelId(0)), along_conversation(ConversationId(0)))
}


@cache
def _side_of_place(
    column: str, direction: Direction, *, is_sqlite: bool
) -> Select[*tuple[Any, ...]]:
    """The statement for all messages of a channel or topic, built once: most pages are these."""
    order = replace(_PLACES[column], value=opaque_number("place"))
    bound, limit = opaque_number("bound"), opaque_number("limit")
    if is_sqlite:
        return _with_states(_side(_MESSAGES, order, direction, (bound, limit)))
    # PostgreSQL expects a tenth of all rows if it does not know the limit, and for so many it would
    # read whole tables of the reader's states.
    most: ColumnElement[int] = literal_column(str(MAX_PLACE_ROWS))
    side = _side(_MESSAGES, order, direction, (bound, most)).subquery("side")
    keys = side.c[column], side.c.id
    in_order = [key.desc() for key in keys] if direction == "up_to" else keys
    return _with_states(select(side).order_by(*in_order).limit(limit))


_IDS = select(Message.id)
_BY_IDS = _with_states(_MESSAGES.where(is_one_of(Message.id, "message_ids")))
_ONE = _with_states(
    _MESSAGES.where(
        Message.realm_id == bindparam("realm_id", type_=BigInteger),
        Message.id == bindparam("message_id", type_=BigInteger),
    )
)


class PageRepository:
    """Messages of a narrow, which includes the reader's access, with the reader's states.

    Only all messages of one place are read by a single statement: take a snapshot for others.
    """

    def __init__(
        self,
        db: DatabaseSession,
        realm_id: RealmId,
        reader_id: UserId | None,
        groups: Collection[GroupId],
    ) -> None:
        self._db = db
        self._reader = {"realm_id": realm_id, **reader_values(reader_id, groups)}

    async def list_up_to(self, narrow: Narrow, message_id: int, limit: int) -> list[PageRow]:
        """The last messages up to and including an id, the oldest first."""
        return await self._list_side(narrow, "up_to", message_id, limit)

    async def list_from(self, narrow: Narrow, message_id: int, limit: int) -> list[PageRow]:
        """The first messages from an id on, including it."""
        return await self._list_side(narrow, "since", message_id, limit)

    async def list_some(self, narrow: Narrow, message_ids: Sequence[int]) -> list[PageRow]:
        found: set[MessageId] = set()
        for part in narrow.parts:
            found |= await self._read_ids(
                _IDS.where(part.condition, part.order.holds, Message.id.in_(message_ids))
            )
        return await self._read_by_ids(found)

    async def find(self, message_id: MessageId) -> PageRow | None:
        return next(iter(await self._read(_ONE, message_id=message_id)), None)

    async def list_texts(self, message_ids: Iterable[MessageId]) -> dict[MessageId, TextRow]:
        """The texts of messages that the caller may see."""
        rows = await self._db.execute(_TEXTS, {"message_ids": list(message_ids)})
        return {row[0]: TextRow(*row) for row in rows.all()}

    async def _list_side(
        self, narrow: Narrow, direction: Direction, message_id: int, limit: int
    ) -> list[PageRow]:
        """One statement for a whole place, for which it is built once; two for other narrows.

        The statement with the reader's states is large: to build it for a single narrow takes
        longer than to run another one, which finds the ids.
        """
        place = narrow.whole_place
        if place is not None:
            if limit > MAX_PLACE_ROWS:
                raise ValueError(f"{limit} rows are more than {MAX_PLACE_ROWS}")
            values = {"place": place.value, "bound": message_id, "limit": limit}
            statement = _side_of_place(
                str(place.column.key), direction, is_sqlite=self._db.database.is_sqlite
            )
            return await self._read(statement, **values)
        bounds = number_in(message_id, narrow), self._limit(limit, narrow)
        found: set[MessageId] = set()
        for part in narrow.parts:
            there = _IDS.where(part.condition)
            found |= await self._read_ids(_side(there, part.order, direction, bounds))
        return await self._read_by_ids(
            sorted(found)[-limit:] if direction == "up_to" else sorted(found)[:limit]
        )

    def _limit(self, limit: int, narrow: Narrow) -> ColumnElement[int]:
        """How many rows to request; where SQLite searches for words, never only a few.

        For a small limit, it scans all messages of a conversation or channel and searches for the
        words in each.
        """
        if narrow.search is not None and self._db.database.is_sqlite:
            limit = max(limit, _FEWEST_SEARCHED)
        return number_in(limit, narrow)

    async def _read_ids(self, statement: Select[*tuple[Any, ...]]) -> set[MessageId]:
        return set((await self._db.execute(statement)).scalars())

    async def _read_by_ids(self, message_ids: Collection[MessageId]) -> list[PageRow]:
        if not message_ids:
            return []
        return await self._read(_BY_IDS, message_ids=list(message_ids))

    async def _read(self, statement: Select[*tuple[Any, ...]], **values: object) -> list[PageRow]:
        rows = await self._db.fetch_alone(statement, {**self._reader, **values})
        return sorted(map(_page_row, rows), key=attrgetter("id"))


def number_in(number: int, narrow: Narrow) -> ColumnElement[int]:
    """A literal in the statement where words are searched, like the words themselves; else bound.

    PostgreSQL plans differently for few messages than for all, and for common and rare words; a
    prepared statement would use the same plan for all.
    """
    is_written_out = narrow.search is not None
    return bindparam(None, number, type_=BigInteger, literal_execute=is_written_out, unique=True)
