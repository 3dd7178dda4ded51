"""`<time:2026-01-02T03:04:05Z>` is a point in time, shown by clients in the reader's time zone.

What cannot be read as a time stays as it was written.
"""

from datetime import UTC, datetime

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from chatapi.rendering.elements import push_element
from chatapi.rendering.syntax import TIME


def add_times(parser: MarkdownIt) -> None:
    """Added before links in angle brackets, which look the same."""
    parser.inline.ruler.before("autolink", "time", _time)


def _time(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    if state.src[state.pos] != "<":
        return False
    found = TIME.match(state.src, state.pos, state.posMax)
    moment = _read(found["time"]) if found else None
    if found is None or moment is None:
        return False
    if not silent:
        attributes = {"datetime": moment.isoformat().replace("+00:00", "Z")}
        push_element(state, "time", "time", attributes, found["time"])
    state.pos = found.end()
    return True


def _read(written: str) -> datetime | None:
    """Read an ISO 8601 time, in UTC unless it has a zone, or seconds since 1970."""
    written = written.strip()
    try:
        if written.isascii() and written.isdigit():
            return datetime.fromtimestamp(int(written), UTC)
        moment = datetime.fromisoformat(written)
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
