"""The emoticons that stand for emoji."""

import re

EMOTICON_NAMES = {
    ":)": "slight_smile",
    "(:": "slight_smile",
    ":(": "frown",
    "<3": "heart",
    ":|": "neutral",
    ":/": "confused",
    ";)": "wink",
    ":D": "smile",
    ":o": "open_mouth",
    ":O": "open_mouth",
    ":p": "stuck_out_tongue",
    ":P": "stuck_out_tongue",
}
_AROUND = r"[^,.;?!()\[\] \"'\n\t]"
EMOTICON = re.compile(f"(?<!{_AROUND})(?:{'|'.join(map(re.escape, EMOTICON_NAMES))})(?!{_AROUND})")


def has_emoticon(content: str) -> bool:
    return EMOTICON.search(content) is not None
