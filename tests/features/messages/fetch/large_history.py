"""Topics with more messages than a test could send through the API."""

from datetime import UTC, datetime

from sqlalchemy import CTE, func, insert, literal, select, text, update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import ConversationId, MessageId
from chatapi.db.models import Conversation, Message
from chatapi.db.session import DatabaseSession
from tests.factories import Person


def _numbers(first: int, last: int) -> CTE:
    """A table of all numbers from the first to the last."""
    numbers = select(literal(first).label("number")).cte(recursive=True)
    return numbers.union_all(select(numbers.c.number + 1).where(numbers.c.number < last))


async def fill_topic(
    runtime: Runtime, realm: RealmRecord, sender: Person, like: MessageId, count: int
) -> list[MessageId]:
    """Add messages to the topic of an existing one, faster than sending them."""
    async with DatabaseSession(runtime.database) as db:
        await db.lock_realm(realm.id)
        place = (
            await db.execute(
                select(Message.conversation_id, Message.channel_id).where(Message.id == like)
            )
        ).one()
        first = (await db.execute(select(func.max(Message.id)))).scalar_one() + 1
        ids = [MessageId(first + step) for step in range(count)]
        values = {
            "realm_id": realm.id,
            "conversation_id": place[0],
            "channel_id": place[1],
            "sender_id": sender.user_id,
            "content": "Hello",
            "rendered_content": "<p>Hello</p>",
            "sent_at": datetime(2026, 3, 1, 12, tzinfo=UTC),
            "client_name": "tests",
        }
        marks = ("is_me_message", "read_by_sender", "mentions_channel", "mentions_topic")
        more = dict.fromkeys((*marks, "has_link", "has_image", "has_attachment"), False)
        # In the database: sending it thousands of rows took longer than the rest of a test.
        types = Message.__table__.c
        same = [literal(value, types[name].type) for name, value in {**values, **more}.items()]
        rows = select(_numbers(first, ids[-1]).c.number, *same)
        await db.execute(insert(Message).from_select(["id", *values, *more], rows))
        await db.execute(
            update(Conversation)
            .where(Conversation.id == ConversationId(place[0]))
            .values(last_message_id=ids[-1])
        )
        if not runtime.database.is_sqlite:
            await db.execute(
                text("SELECT setval(pg_get_serial_sequence('message', 'id'), :last)"),
                {"last": ids[-1]},
            )
        await db.commit()
    return ids


async def update_statistics(runtime: Runtime) -> None:
    """What PostgreSQL does by itself after many changes, unless it was made for tests, as here.

    Rows that earlier tests deleted count for its plans until it has removed them.
    """
    async with runtime.database.reader.connect() as connection:
        await connection.execute(
            text("ANALYZE" if runtime.database.is_sqlite else "VACUUM (ANALYZE)")
        )
