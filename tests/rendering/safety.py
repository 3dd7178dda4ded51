"""A second check of HTML: reads it with another parser and reports what could harm."""

import re
from html.parser import HTMLParser

from typing_extensions import override

_ATTRIBUTES: dict[str, set[str]] = {
    "a": {"class", "data-stream-id", "href", "rel", "title"},
    "annotation": {"encoding"},
    "div": {"aria-hidden", "class", "data-code-language"},
    "img": {"alt", "class", "src", "title"},
    "math": {"display", "xmlns"},
    "ol": {"start"},
    "span": {
        *("aria-hidden", "aria-label", "class", "data-user-group-id", "data-user-id", "role"),
        "title",
    },
    "td": {"style"},
    "th": {"style"},
    "time": {"datetime"},
}
_FORMULA_ATTRIBUTES = {
    *("accent", "columnalign", "columnspacing", "depth", "displaystyle", "fence", "form", "height"),
    *("largeop", "linethickness", "lspace", "mathcolor", "mathsize", "mathvariant", "maxsize"),
    *("minsize", "movablelimits", "notation", "rowlines", "rowspacing", "rspace", "scriptlevel"),
    *("separator", "stretchy", "symmetric", "voffset", "width", "columnlines", "frame"),
    "accentunder",
}
_FORMULA_TAGS = {
    *("menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom"),
    *("mprescripts", "mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup"),
    *("mtable", "mtd", "mtext", "mtr", "munder", "munderover", "none"),
}
_TAGS = {
    *_ATTRIBUTES,
    *("blockquote", "br", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "p", "pre"),
    *("code", "li", "semantics", "strong", "table", "tbody", "thead", "tr", "ul"),
    *_FORMULA_TAGS,
}
_CLASSES = {
    "a": "stream|stream-topic|message-link",
    "div": "codehilite|spoiler-(block|header|content)",
    "img": "emoji",
    "span": r"emoji emoji-[0-9a-f-]+|katex(-display|-html|-mathml)?|[a-z]{1,3}[0-9]?"
    r"|(user-mention( channel-wildcard-mention)?|user-group-mention|topic-mention)( silent)?",
}
_STYLES = {"text-align: left;", "text-align: center;", "text-align: right;"}
_RUNS_OR_READS = re.compile(
    r"(?:java|vb|live)script:|data:|file:|blob:|about:|filesystem:|ms-|view-"
)
_LINK_WITHOUT_TARGET = re.compile(r"<a (?![^>]*href=)")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:")


class _Inspector(HTMLParser):
    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _TAGS
        allowed = _FORMULA_ATTRIBUTES if tag in _FORMULA_TAGS else _ATTRIBUTES.get(tag, set())
        assert {name for name, _ in attrs} <= allowed
        values = dict(attrs)
        assert values.get("style") in {None, *_STYLES}
        if "class" in values:
            assert re.fullmatch(_CLASSES[tag], values["class"] or ""), values["class"]
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
    assert is_relative or _SCHEME.match(seen_by_browser), address
    assert not _RUNS_OR_READS.match(seen_by_browser), address


def assert_links_have_targets(html: str) -> None:
    assert not _LINK_WITHOUT_TARGET.search(html), html


def assert_harmless(html: str) -> None:
    inspector = _Inspector(convert_charrefs=True)
    inspector.feed(html)
    inspector.close()
