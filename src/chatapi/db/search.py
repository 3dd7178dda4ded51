"""The index of words: what SQLite and PostgreSQL each call looking for text.

The tables `message_search` and `conversation_search` are no models of ours: the databases fill
them by triggers, and SQLite keeps its index in further tables of these names.
"""

import re
from collections.abc import Collection, Mapping
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
)
from sqlalchemy.sql.expression import TableClause

from chatapi.db.models import Conversation, Message
from chatapi.db.session import DatabaseSession

Searched = Literal["message", "conversation"]

_TEXTS = {
    "message": (Message.id, Message.content),
    "conversation": (Conversation.id, Conversation.topic),
}
_CONFIGURATION: ColumnElement[Any] = literal_column("'chatapi_words'::regconfig")
_BEGIN, _END = "\x02", "\x03"
_MARKED = re.compile(f"{_BEGIN}([^{_END}]*){_END}")


@dataclass(frozen=True)
class Found:
    """The rows of an index that contain all of the phrases."""

    id: ColumnElement[int]
    """Of the message or conversation; reading in its order is cheap."""
    is_match: ColumnElement[bool]

    def ids(self) -> Select[*tuple[int]]:
        return select(self.id).where(self.is_match).correlate(None)


def find_phrases(db: DatabaseSession, searched: Searched, phrases: Collection[str]) -> Found:
    """Phrases are words and blanks: whoever calls has taken away everything else."""
    if db.database.is_sqlite:
        index = _sqlite_index(searched)
        text = " ".join(f'"{phrase}"' for phrase in phrases)
        return Found(index.c.rowid, index.c[index.name].op("MATCH", is_comparison=True)(text))
    index = table(f"{searched}_search", column("id", BigInteger), column("words"))
    return Found(index.c.id, index.c.words.op("@@", is_comparison=True)(_tsquery(phrases)))


async def list_matched_words(
    db: DatabaseSession, searched: Searched, phrases: Collection[str], ids: Collection[int]
) -> Mapping[int, frozenset[str]]:
    """The words that made rows match, as they are written there."""
    found = find_phrases(db, searched, phrases)
    if db.database.is_sqlite:
        index = _sqlite_index(searched)
        marked = select(found.id, func.highlight(index.c[index.name], 0, _BEGIN, _END))
    else:
        key, text = _TEXTS[searched]
        options = f"HighlightAll=true, StartSel={_BEGIN}, StopSel={_END}"
        written = func.chatapi_search_text(text)
        headline = func.ts_headline(_CONFIGURATION, written, _tsquery(phrases), options)
        marked = select(key, headline).where(key == found.id)
    rows = await db.execute(marked.where(found.is_match, found.id.in_(ids)))
    return {row_id: frozenset(_MARKED.findall(text)) for row_id, text in rows}


def is_of_models(name: str | None, kind: str, _parents: object = None) -> bool:
    """Whether migrations should find a table among the models."""
    names = tuple(f"{searched}_search" for searched in _TEXTS)
    return kind != "table" or name is None or not name.startswith(names)


def _sqlite_index(searched: Searched) -> TableClause:
    name = f"{searched}_search"
    return table(name, column("rowid", BigInteger), column(name, String))


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
