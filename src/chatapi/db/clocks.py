"""A realm's clock in statements: read with other rows, or locked, maybe with message ids taken."""

from sqlalchemy import BigInteger, bindparam, exists, func, literal_column, select, true

from chatapi.db.models import RealmClock

_taken = func.generate_series(1, bindparam("count")).alias("taken")
_next_message_id = literal_column("nextval('message_id_seq')", BigInteger)

LAST_EVENT = (
    select(RealmClock.last_event)
    .where(RealmClock.realm_id == bindparam("realm_id", type_=BigInteger))
    .scalar_subquery()
)
"""A column: a statement with it says which event was the last when it read its rows."""
LOCK_CLOCK = (
    select(RealmClock.last_event)
    .where(RealmClock.realm_id == bindparam("realm_id"))
    .with_for_update()
)
_locked = LOCK_CLOCK.cte("stopped")
LOCK_CLOCK_AND_TAKE_IDS = select(_locked.c.last_event, _next_message_id).select_from(
    _locked.join(_taken, true())
)
"""On PostgreSQL. Ids are taken only once the clock is locked, when no other writer can take any."""
TAKE_IDS = select(_next_message_id).select_from(_taken)

_unchanged = (
    # Parameters must not be named like columns: updates would take them for new values.
    select(RealmClock.last_event)
    .where(
        RealmClock.realm_id == bindparam("known_realm"),
        RealmClock.last_event == bindparam("known_event"),
    )
    .with_for_update()
    .cte("unmoved")
)
CLOCK_IS_UNCHANGED = exists(select(_unchanged.c.last_event))
"""On PostgreSQL, for the parts of one statement: all of them write, or none does."""
TAKE_IDS_IF_UNCHANGED = select(_next_message_id).select_from(_unchanged.join(_taken, true()))
