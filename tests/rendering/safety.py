"""A second opinion on HTML: reads it with another parser and complains about what could harm."""

from html.parser import HTMLParser

from typing_extensions import override

_TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr"),
    *("li", "ol", "p", "pre", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
_ATTRIBUTES = {"a": {"href", "title", "rel"}, "ol": {"start"}, "td": {"style"}, "th": {"style"}}
_STYLES = {"text-align:left", "text-align:center", "text-align:right"}
_SCHEMES = ("http:", "https:", "mailto:")


class _Inspector(HTMLParser):
    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _TAGS
        assert {name for name, _ in attrs} <= _ATTRIBUTES.get(tag, set())
        values = dict(attrs)
        assert values.get("style") in {None, *_STYLES}
        if tag == "a":
            assert values["rel"] == "noopener noreferrer nofollow"
            _check_target(values.get("href") or "")

    @override
    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    @override
    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)


def _check_target(href: str) -> None:
    # Browsers drop these characters before they look for the scheme.
    seen_by_browser = "".join(c for c in href if c > " ").lower()
    scheme, colon, _ = seen_by_browser.partition(":")
    is_relative = not colon or any(mark in scheme for mark in "/?#")
    assert is_relative or seen_by_browser.startswith(_SCHEMES), href


def assert_harmless(html: str) -> None:
    inspector = _Inspector(convert_charrefs=True)
    inspector.feed(html)
    inspector.close()
