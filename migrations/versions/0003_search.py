"""Search: an index of words that the database keeps by itself, and indexes for narrows.

The words are in tables of their own. Whatever else happens to a message, a move to another
channel above all, leaves them alone.
"""

import unicodedata
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

SEARCHED = (("message", "content"), ("conversation", "topic"))

SQLITE_INDEX = """
CREATE VIRTUAL TABLE {table}_search USING fts5(
    {column}, content = '{table}', content_rowid = 'id', columnsize = 0,
    tokenize = "porter unicode61 remove_diacritics 2"
)
"""
SQLITE_TRIGGERS = (
    """
    CREATE TRIGGER {table}_search_insert AFTER INSERT ON {table} BEGIN
        INSERT INTO {table}_search (rowid, {column}) VALUES (new.id, new.{column});
    END
    """,
    """
    CREATE TRIGGER {table}_search_update AFTER UPDATE OF {column} ON {table} BEGIN
        INSERT INTO {table}_search ({table}_search, rowid, {column})
        VALUES ('delete', old.id, old.{column});
        INSERT INTO {table}_search (rowid, {column}) VALUES (new.id, new.{column});
    END
    """,
    """
    CREATE TRIGGER {table}_search_delete AFTER DELETE ON {table} BEGIN
        INSERT INTO {table}_search ({table}_search, rowid, {column})
        VALUES ('delete', old.id, old.{column});
    END
    """,
)
SQLITE_FILL = "INSERT INTO {table}_search ({table}_search) VALUES ('rebuild')"

# Every word counts, also those that dictionaries of stop words leave out.
POSTGRES_WORDS = (
    "CREATE TEXT SEARCH DICTIONARY chatapi_stem (TEMPLATE = snowball, LANGUAGE = english)",
    "CREATE TEXT SEARCH CONFIGURATION chatapi_words (COPY = pg_catalog.simple)",
    "ALTER TEXT SEARCH CONFIGURATION chatapi_words ALTER MAPPING FOR asciiword WITH chatapi_stem",
)
# Without punctuation, PostgreSQL cuts words where SQLite does: it knows addresses and files.
POSTGRES_TEXT = """
CREATE FUNCTION chatapi_search_text(written text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length(written) = length(written)
        THEN translate(written, {marks}, {blanks})
        ELSE translate(written, {all_from}, {all_to}) END
$$
"""
POSTGRES_INDEX = (
    "CREATE TABLE {table}_search (id bigint PRIMARY KEY, words tsvector NOT NULL)",
    # What came last waits in a list that every search looks through: it is not to grow long.
    """
    CREATE INDEX ix_{table}_search_words ON {table}_search USING gin (words)
    WITH (gin_pending_list_limit = 256)
    """,
    """
    CREATE FUNCTION {table}_search_index() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO {table}_search
        VALUES (new.id, to_tsvector('chatapi_words', chatapi_search_text(new.{column})))
        ON CONFLICT (id) DO UPDATE SET words = excluded.words;
        RETURN NULL;
    END
    $$
    """,
    """
    CREATE FUNCTION {table}_search_forget() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF tg_op = 'TRUNCATE' THEN
            TRUNCATE {table}_search;
        ELSE
            DELETE FROM {table}_search WHERE id = old.id;
        END IF;
        RETURN NULL;
    END
    $$
    """,
    """
    CREATE TRIGGER {table}_search_insert AFTER INSERT OR UPDATE OF {column} ON {table}
    FOR EACH ROW EXECUTE FUNCTION {table}_search_index()
    """,
    """
    CREATE TRIGGER {table}_search_delete AFTER DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION {table}_search_forget()
    """,
    """
    CREATE TRIGGER {table}_search_truncate AFTER TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION {table}_search_forget()
    """,
    """
    INSERT INTO {table}_search
    SELECT id, to_tsvector('chatapi_words', chatapi_search_text({column})) FROM {table}
    """,
)

MARKS = {
    "ix_message_realm_id_id_link": ("has_link",),
    "ix_message_realm_id_id_image": ("has_image",),
    "ix_message_realm_id_id_attachment": ("has_attachment",),
    "ix_message_realm_id_id_mention": ("mentions_channel", "mentions_topic"),
}
IS_RESOLVED = sa.text("topic LIKE '✔ %'")


def upgrade() -> None:
    op.create_index("ix_message_sender_id_id", "message", ["sender_id", "id"])
    for name, marks in MARKS.items():
        op.create_index(
            name,
            "message",
            ["realm_id", "id"],
            sqlite_where=sa.text(" OR ".join(f"{mark} = 1" for mark in marks)),
            postgresql_where=sa.text(" OR ".join(marks)),
        )
    op.create_index(
        "ix_conversation_realm_id_resolved",
        "conversation",
        ["realm_id"],
        sqlite_where=IS_RESOLVED,
        postgresql_where=IS_RESOLVED,
    )
    if op.get_bind().dialect.name == "sqlite":
        for table, column in SEARCHED:
            for statement in (SQLITE_INDEX, *SQLITE_TRIGGERS, SQLITE_FILL):
                _run(statement.format(table=table, column=column))
        return
    for statement in (*POSTGRES_WORDS, _postgres_text()):
        _run(statement)
    for table, column in SEARCHED:
        for statement in POSTGRES_INDEX:
            _run(statement.format(table=table, column=column))


def downgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for table, _ in SEARCHED:
        for verb in ("insert", "update", "delete") if is_sqlite else ():
            _run(f"DROP TRIGGER {table}_search_{verb}")
        for verb in () if is_sqlite else ("index", "forget"):
            _run(f"DROP FUNCTION {table}_search_{verb} CASCADE")
        _run(f"DROP TABLE {table}_search")
    if not is_sqlite:
        _run("DROP FUNCTION chatapi_search_text")
        _run("DROP TEXT SEARCH CONFIGURATION chatapi_words")
        _run("DROP TEXT SEARCH DICTIONARY chatapi_stem")
    op.drop_index("ix_conversation_realm_id_resolved", "conversation")
    for name in MARKS:
        op.drop_index(name, "message")
    op.drop_index("ix_message_sender_id_id", "message")


def _run(statement: str) -> None:
    # As the driver takes it: colons and percent signs have no meaning of ours here.
    op.get_bind().exec_driver_sql(statement)


def _postgres_text() -> str:
    ascii_marks = "".join(chr(code) for code in range(33, 127) if not chr(code).isalnum())
    letters = [chr(code) for span in (range(0xC0, 0x250), range(0x370, 0x530)) for code in span]
    folded = {letter: _fold(letter) for letter in letters if _fold(letter) != letter}
    marks = ascii_marks + "".join(
        chr(code)
        for span in (range(0xA1, 0xC0), range(0x2010, 0x2060), range(0x3001, 0x3020))
        for code in span
        if not chr(code).isalnum()
    )
    return POSTGRES_TEXT.format(
        marks=_quoted(ascii_marks),
        blanks=_quoted(" " * len(ascii_marks)),
        all_from=_quoted(marks + "".join(folded)),
        all_to=_quoted(" " * len(marks) + "".join(folded.values())),
    )


def _fold(letter: str) -> str:
    """In lower case; Latin letters without what is above and below them, as in SQLite."""
    small = letter.lower()
    base = unicodedata.normalize("NFD", small)[0]
    plain = base if base.isascii() else small
    return plain if len(plain) == 1 else letter


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
