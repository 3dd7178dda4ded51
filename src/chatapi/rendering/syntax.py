"""How people write mentions, references to channels, emoji, times and formulas.

Both the pass that looks for names and the parser go by these expressions. Each of them looks a
bounded way ahead of the place it is tried at, so that no text takes more than linear time.
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
FORMULA = re.compile(r"(?<!\$)\$\$(?P<formula>(?:[^\\$\n]|\\[^\n]){1,1000})\$\$(?!\$)")

_NAME_AND_ID = re.compile(rf"(?P<name>.*)\|(?P<id>{_ID})")


def split_id(name: str) -> tuple[str, int | None]:
    """The two parts of `Name|7`; a name alone has no id."""
    parts = _NAME_AND_ID.fullmatch(name)
    return (parts["name"], int(parts["id"])) if parts else (name, None)
