"""Full-text search in SQLite and PostgreSQL.

The tables `message_search` and `conversation_search` have no models: the databases fill them by
triggers, and SQLite keeps its index in further tables with these prefixes.
"""

import re
from collections.abc import Collection
from functools import reduce
from typing import Any, Literal

from msgspec import Struct
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    String,
    bindparam,
    column,
    func,
    literal_column,
    select,
    table,
    true,
)

from chatapi.db.models import Conversation, Message
from chatapi.db.session import DatabaseSession

Searched = Literal["message", "conversation"]

_TEXTS = {
    "message": (Message.id, Message.content),
    "conversation": (Conversation.id, Conversation.topic),
}
_SQLITE = {
    searched: table(
        f"{searched}_search", column("rowid", BigInteger), column(f"{searched}_search", String)
    )
    for searched in _TEXTS
}
_POSTGRES = {
    searched: table(f"{searched}_search", column("id", BigInteger), column("words"))
    for searched in _TEXTS
}
_CONFIGURATION: ColumnElement[Any] = literal_column("'chatapi_words'::regconfig")
_FEW = 5_000
"""Up to this many matches are fetched and sorted at once; of more, the newest are found quickly."""
_BEGIN, _END = "\x02", "\x03"
_MARKED = re.compile(f"{_BEGIN}([^{_END}]*){_END}")


class SearchMatches(Struct, frozen=True):
    """The rows of an index that contain all of the phrases."""

    id: ColumnElement[int]
    """The id of the message or conversation."""
    is_match: ColumnElement[bool]
    key: ColumnElement[int]
    """The same id, to sort by; reading in its order is cheap."""

    def ids(self) -> Select[*tuple[int]]:
        return select(self.id).where(self.is_match).correlate(None)


def find_phrases(
    db: DatabaseSession, searched: Searched, phrases: Collection[str]
) -> SearchMatches:
    """Return the rows that contain all phrases.

    Phrases consist of words and blanks: the caller has removed everything else.
    """
    if db.database.is_sqlite:
        index = _SQLITE[searched]
        text = " ".join(f'"{phrase}"' for phrase in phrases)
        is_match = index.c[index.name].op("MATCH", is_comparison=True)(text)
        return SearchMatches(index.c.rowid, is_match, key=index.c.rowid)
    index = _POSTGRES[searched]
    is_match = index.c.words.op("@@", is_comparison=True)(_tsquery(phrases))
    return SearchMatches(index.c.id, is_match, key=index.c.id)


async def find_first(
    db: DatabaseSession, searched: Searched, phrases: Collection[str]
) -> SearchMatches:
    """Return the same matches in a form that is read in the order of ids, page by page.

    PostgreSQL has statistics of the most frequent words, and overestimates most others: it would
    search all rows for a rare word. So the matches are counted first, and for a rare word all of
    them are found before they are sorted.
    """
    found = find_phrases(db, searched, phrases)
    if db.database.is_sqlite:
        return found
    some = select(found.id).where(found.is_match).limit(_FEW + 1).subquery()
    counted = await db.execute(select(func.count()).select_from(some))
    if counted.scalar_one() > _FEW:
        return found
    # OFFSET, even with 0, keeps the planner from merging the subquery.
    few = select(found.id).where(found.is_match).offset(0).subquery()
    # Sorted by an expression: in the order of ids, it would join them with all messages, which an
    # index returns in this order, instead of looking up the few.
    return SearchMatches(few.c.id, true(), key=few.c.id + 0)


async def list_marked_texts(
    db: DatabaseSession, searched: Searched, phrases: Collection[str], ids: Collection[int]
) -> dict[int, str]:
    """Return the texts of matching rows with marks, from which `marked_words` gets the words."""
    found = find_phrases(db, searched, phrases)
    if db.database.is_sqlite:
        index = _SQLITE[searched]
        marked = select(found.id, func.highlight(index.c[index.name], 0, _BEGIN, _END)).where(
            # One scan of the index; with a list of ids it would be restarted for each of them.
            found.id.between(min(ids), max(ids)),
            (found.id + 0).in_(ids),
        )
    else:
        key, text = _TEXTS[searched]
        options = f"HighlightAll=true, StartSel={_BEGIN}, StopSel={_END}"
        written = func.chatapi_search_text(text)
        headline = func.ts_headline(_CONFIGURATION, written, _tsquery(phrases), options)
        marked = select(key, headline).where(key == found.id, key.in_(ids))
    rows = await db.execute(marked.where(found.is_match))
    return {row[0]: row[1] for row in rows.all()}


def marked_words(text: str) -> frozenset[str]:
    """Return the words that made a row match, as written there; for long texts, use a thread."""
    return frozenset(_MARKED.findall(text))


def is_of_models(name: str | None, kind: str, _parents: object = None) -> bool:
    """Whether migrations should compare a table with the models."""
    names = tuple(f"{searched}_search" for searched in _TEXTS)
    return kind != "table" or name is None or not name.startswith(names)


def _tsquery(phrases: Collection[str]) -> ColumnElement[Any]:
    # Literals in the statement, so that the database plans for frequent and for rare words.
    queries: list[ColumnElement[Any]] = [
        func.phraseto_tsquery(
            _CONFIGURATION,
            func.chatapi_search_text(
                bindparam(None, phrase, type_=String, literal_execute=True, unique=True)
            ),
        )
        for phrase in phrases
    ]
    return reduce(lambda one, other: one.op("&&")(other), queries)
