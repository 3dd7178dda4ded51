"""Markdown for texts of other programs."""

import re

_WHITESPACE = re.compile(r"\s+")
_MENTION = re.compile(r"@(?=\*)")
_IN_LABEL = str.maketrans({"[": "(", "]": ")"})


def one_line(text: str, most: int = 300) -> str:
    """The text in one line, shortened, and without mentions that would notify users."""
    text = _WHITESPACE.sub(" ", text).strip()
    return silent(text if len(text) <= most else f"{text[: most - 1]}…")


def silent(text: str) -> str:
    """The text with mentions that notify no user: strangers wrote it."""
    return _MENTION.sub("@_", text)


def link(label: str, url: str) -> str:
    """A link, or the label alone if there is no usable address."""
    label = one_line(label).translate(_IN_LABEL)
    is_usable = url.startswith(("https://", "http://")) and not re.search(r"[\s()<>]", url)
    return f"[{label}]({url})" if is_usable else label


def quote(text: str, most: int = 2_000) -> str:
    """A quote block; empty for an empty text."""
    text = silent(text.strip())
    if not text:
        return ""
    if len(text) > most:
        text = f"{text[: most - 1]}…"
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"\n\n{fence} quote\n{text}\n{fence}"


def words(name: str) -> str:
    """The words of a name such as `ready_for_review`."""
    return name.replace("_", " ").replace("-", " ")
