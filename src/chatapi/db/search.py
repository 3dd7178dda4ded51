"""The index of words: what SQLite and PostgreSQL each call looking for text.

The tables `message_search` and `conversation_search` are no models of ours: the databases fill
them by triggers, and SQLite keeps its index in further tables of these names.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

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
"""So many places are looked up and put in order at once; of more, the last ones are soon found."""
_BEGIN, _END = "\x02", "\x03"
_MARKED = re.compile(f"{_BEGIN}([^{_END}]*){_END}")


@dataclass(frozen=True)
class SearchMatches:
    """The rows of an index that contain all of the phrases."""

    id: ColumnElement[int]
    """Of the message or conversation; reading in its order is cheap."""
    is_match: ColumnElement[bool]

    def ids(self) -> Select[*tuple[int]]:
        return select(self.id).where(self.is_match).correlate(None)


def find_phrases(
    db: DatabaseSession, searched: Searched, phrases: Collection[str]
) -> SearchMatches:
    """Phrases are words and blanks: whoever calls has taken away everything else."""
    if db.database.is_sqlite:
        index = _SQLITE[searched]
        text = " ".join(f'"{phrase}"' for phrase in phrases)
        return SearchMatches(
            index.c.rowid, index.c[index.name].op("MATCH", is_comparison=True)(text)
        )
    index = _POSTGRES[searched]
    return SearchMatches(index.c.id, index.c.words.op("@@", is_comparison=True)(_tsquery(phrases)))


async def find_first(
    db: DatabaseSession, searched: Searched, phrases: Collection[str]
) -> SearchMatches:
    """The same in a form that is read in the order of ids, as far as a page goes.

    PostgreSQL knows how frequent the most frequent words are, and takes all others for more
    frequent than most of them are: it would look for a rare word in everything there is. So it is
    asked first, and told to find all places of a rare word before it looks at their order.
    """
    found = find_phrases(db, searched, phrases)
    if db.database.is_sqlite:
        return found
    some = select(found.id).where(found.is_match).limit(_FEW + 1).subquery()
    counted = await db.execute(select(func.count()).select_from(some))
    if counted.scalar_one() > _FEW:
        return found
    # A limit, even one that lets all through, keeps the planner from looking inside.
    few = select(found.id).where(found.is_match).offset(0).subquery()
    return SearchMatches(few.c.id, true())


async def list_marked_texts(
    db: DatabaseSession, searched: Searched, phrases: Collection[str], ids: Collection[int]
) -> dict[int, str]:
    """The texts of rows that match, for `marked_words` to find what made them match."""
    found = find_phrases(db, searched, phrases)
    if db.database.is_sqlite:
        index = _SQLITE[searched]
        marked = select(found.id, func.highlight(index.c[index.name], 0, _BEGIN, _END)).where(
            # One walk along the index; it would be started anew for each id of a list.
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
    """The words that made a row match, as they are written there; for long texts, in a thread."""
    return frozenset(_MARKED.findall(text))


def is_of_models(name: str | None, kind: str, _parents: object = None) -> bool:
    """Whether migrations should find a table among the models."""
    names = tuple(f"{searched}_search" for searched in _TEXTS)
    return kind != "table" or name is None or not name.startswith(names)


def _tsquery(phrases: Collection[str]) -> ColumnElement[Any]:
    # Part of the statement, so that the database plans for common and for rare words as it should.
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
