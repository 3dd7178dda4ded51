"""Turns host names in running text into links: example.com, www.example.com/path.

Only names that end in a top-level domain count, and not all of those: in a chat about programs,
`main.py` is rarely a host in Paraguay.
"""

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from chatapi.rendering.links import ADDRESS_CHARACTERS, without_sentence_end
from chatapi.rendering.text_tokens import Element, replace_texts

_TABLE = Path(__file__).with_name("top_level_domains.txt")
_FILE_ENDINGS = frozenset({"java", "md", "mov", "py", "zip"})

_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_HOST = rf"(?:{_LABEL}\.){{1,8}}(?P<domain>[^\W\d_]{{2,24}}|xn--[a-z0-9-]{{1,59}})"
_ADDRESS = re.compile(
    rf"(?<![^\s'\"(\[{{<>,;:|])(?P<host>{_HOST})(?![\w@-])(?P<port>:[0-9]{{1,5}})?"
    rf"(?P<path>[/?#]{ADDRESS_CHARACTERS})?",
    re.IGNORECASE,
)
_TARGET = re.compile(rf"{_HOST}(?![^:/?#])", re.IGNORECASE)
_MAIL_TARGET = re.compile(rf"[a-z0-9.+_-]{{1,64}}@{_HOST}", re.IGNORECASE)
_MAYBE_HOST = re.compile(r"[^\W_]\.[^\W\d_]")


def add_host_names(parser: MarkdownIt) -> None:
    """Added when texts are complete; links and code are not searched."""
    parser.core.ruler.push("host_names", _link_host_names)


def with_scheme(target: str) -> str:
    """The target of a link, completed if it is a host name or an email address alone."""
    if "://" in target:
        return target
    if (found := _TARGET.match(target)) and _is_domain(found["domain"]):
        return f"http://{target}"
    if (found := _MAIL_TARGET.fullmatch(target)) and _is_domain(found["domain"]):
        return f"mailto:{target}"
    return target


def _link_host_names(state: StateCore) -> None:
    if not _MAYBE_HOST.search(state.src):
        return

    def find(text: str) -> Iterator[Element]:
        for found in _ADDRESS.finditer(text):
            if _is_domain(found["domain"]):
                address = without_sentence_end(found[0])
                target = state.md.normalizeLink(f"http://{address}")
                end = found.start() + len(address)
                yield Element(found.start(), end, "link", "a", {"href": target}, address)

    replace_texts(state, find)


def _is_domain(name: str) -> bool:
    return name.lower() in _domains()


@functools.cache
def _domains() -> frozenset[str]:
    return frozenset(_TABLE.read_text(encoding="utf-8").split()) - _FILE_ENDINGS
