"""The syntax of mentions, channel links, emoji, times and formulas.

Both the search for names and the parser use these expressions. Each looks only a bounded distance
ahead of the current position, so that no text takes more than linear time.
"""

import re

CHANNEL_WILDCARDS = frozenset({"all", "everyone", "channel", "stream"})
TOPIC_WILDCARDS = frozenset({"topic"})

_NAME = r"(?P<name>[^*\n]{1,100})"
_NAME_OR_NAME_AND_ID = r"(?P<name>[^*\n]{1,119})"
_ID = r"[0-9]{1,18}"

USER = re.compile(rf"@(?P<silent>_?)\*\*{_NAME_OR_NAME_AND_ID}\*\*")
GROUP = re.compile(rf"@(?P<silent>_?)\*{_NAME}\*(?!\*)")
CHANNEL = re.compile(
    r"#\*\*(?P<name>[^*>\n]{1,60})"
    rf"(?:>(?P<topic>[^*\n]{{0,60}}?)(?:@(?P<message_id>{_ID}))?)?\*\*"
)
EMOJI = re.compile(r":(?P<name>[\w+-]{1,60}):")
TIME = re.compile(r"<time:(?P<time>[^<>\n]{1,60})>")
FORMULA = re.compile(r"(?<!\$)\$\$(?!_)(?P<formula>(?:[^\\$\n]|\\[^\n]){1,1000})\$\$(?!\$)")

_NAME_AND_ID = re.compile(rf"(?P<name>.*)\|(?P<id>{_ID})")


def split_id(name: str) -> tuple[str, int | None]:
    """Split `Name|7` into name and id; the id is None for a name alone."""
    parts = _NAME_AND_ID.fullmatch(name)
    return (parts["name"], int(parts["id"])) if parts else (name, None)
