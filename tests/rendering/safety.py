"""A second check of HTML: reads it with another parser and reports what could harm."""

import re
from html.parser import HTMLParser

from typing_extensions import override

_ATTRIBUTES: dict[str, set[str]] = {
    "a": {"class", "data-stream-id", "href", "rel", "title"},
    "code": {"class"},
    "div": {"aria-hidden", "class", "data-code-language"},
    "img": {"alt", "class", "src", "title"},
    "input": {"checked", "class", "disabled", "type"},
    "li": {"class"},
    "ol": {"class", "start"},
    "span": {"aria-label", "class", "data-user-group-id", "data-user-id", "role", "title"},
    "td": {"style"},
    "th": {"style"},
    "time": {"datetime"},
    "ul": {"class"},
}
_TAGS = {
    *_ATTRIBUTES,
    *("blockquote", "br", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "p", "pre"),
    *("strong", "table", "tbody", "thead", "tr"),
}
_CLASSES = {
    "a": "stream|stream-topic|message-link",
    "code": "math",
    "div": "codehilite|spoiler-(block|header|content)",
    "img": "emoji",
    "input": "task-list-item-checkbox",
    "li": "task-list-item",
    "ol": "contains-task-list",
    "span": r"emoji emoji-[0-9a-f-]+|timestamp-error|[a-z]{1,3}[0-9]?"
    r"|(user-mention( channel-wildcard-mention)?|user-group-mention|topic-mention)( silent)?",
    "ul": "contains-task-list",
}
_STYLES = {"text-align:left", "text-align:center", "text-align:right"}
_SCHEMES = ("http:", "https:", "mailto:")


class _Inspector(HTMLParser):
    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _TAGS
        assert {name for name, _ in attrs} <= _ATTRIBUTES.get(tag, set())
        values = dict(attrs)
        assert values.get("style") in {None, *_STYLES}
        if "class" in values:
            assert re.fullmatch(_CLASSES[tag], values["class"] or ""), values["class"]
        if tag == "input":
            assert values["type"] == "checkbox"
        if tag == "a":
            assert values["rel"] == "noopener noreferrer nofollow"
        _check_target(values.get("href") or values.get("src") or "")

    @override
    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    @override
    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)


def _check_target(address: str) -> None:
    # Browsers drop these characters before they look for the scheme.
    seen_by_browser = "".join(c for c in address if c > " ").lower()
    scheme, colon, _ = seen_by_browser.partition(":")
    is_relative = not colon or any(mark in scheme for mark in "/?#")
    assert is_relative or seen_by_browser.startswith(_SCHEMES), address


def assert_harmless(html: str) -> None:
    inspector = _Inspector(convert_charrefs=True)
    inspector.feed(html)
    inspector.close()
