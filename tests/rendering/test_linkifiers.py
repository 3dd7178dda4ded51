"""Linkifiers of a realm create links, safely and in time."""

import random
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatapi.rendering import (
    Directory,
    InvalidPatternError,
    Linkifier,
    Linkifiers,
    Pattern,
    UrlTemplate,
    render_message,
)
from tests.rendering.people import DIRECTORY
from tests.rendering.safety import assert_harmless
from tests.rendering.test_time import HOSTILE, repeated
from tests.rendering.timing import assert_done_in_time

LENGTH = 10_000


def linkifiers(*pairs: tuple[str, str]) -> Linkifiers:
    return Linkifiers(
        [Linkifier(Pattern(pattern), UrlTemplate.parse(template)) for pattern, template in pairs]
    )


TICKETS = linkifiers(
    (r"#(?P<id>[0-9]+)", "https://t.example/{id}"),
    (
        r"(?P<project>[A-Z]+)-(?P<id>[0-9]+)(?:/(?P<part>\S+))?",
        "https://p.example/{project}/{id}{?part}",
    ),
)


def render(text: str, found: Linkifiers = TICKETS) -> str:
    return render_message(text, Directory.of(linkifiers=found)).html


def link(text: str, href: str) -> str:
    return f'<a href="{href}" rel="noopener noreferrer nofollow">{text}</a>'


def ticket(number: int) -> str:
    return link(f"#{number}", f"https://t.example/{number}")


class TestLinks:
    @pytest.mark.parametrize(
        ("text", "html"),
        [
            ("#12", ticket(12)),
            ("plain #12", f"plain {ticket(12)}"),
            ("#1 #2,#3 (#4) [#5] \"#6\": '#7'.", None),
            ("fixes:#12!", f"fixes:{ticket(12)}!"),
            (
                "**#1** *see #2* ~~#3~~",
                f"<strong>{ticket(1)}</strong> <em>see {ticket(2)}</em> <del>{ticket(3)}</del>",
            ),
            ("ABC-7", link("ABC-7", "https://p.example/ABC/7")),
            ("ABC-7/a&b", link("ABC-7/a&amp;b", "https://p.example/ABC/7?part=a%26b")),
            ("é #12 é", f"é {ticket(12)} é"),
            ("a\u3000#12\u3002", f"a\u3000{ticket(12)}\u3002"),
        ],
    )
    def test_match_whole_words(self, text: str, html: str | None) -> None:
        if html is None:
            rendered = render(text)
            assert [ticket(number) in rendered for number in range(1, 8)] == [True] * 7
        else:
            assert render(text) == f"<p>{html}</p>"

    @pytest.mark.parametrize(
        "text",
        ["a#12", "#12a", "#12é", "#12٣", "é#12", "#", "# 12", "/#12", "abc-7", "xABC-7", "ABC-7x"],
    )
    def test_do_not_match_within_words(self, text: str) -> None:
        assert "<a" not in render(text)

    @pytest.mark.parametrize(
        "text", ["`#12`", "```\n#12\n```", "    #12", "$$#12$$", ":tada:", "@**Iago**"]
    )
    def test_not_in_other_markup(self, text: str) -> None:
        found = linkifiers(
            (r"#(?P<id>\d+)", "https://x.y/{id}"), ("@?Iago|:?tada:?", "https://x.y")
        )
        html = render_message(
            text, Directory.of(users=DIRECTORY.users_by_id.values(), linkifiers=found)
        ).html
        assert "<a " not in html

    def test_not_in_other_links(self) -> None:
        html = render("[see #1](https://a.b/) https://a.b/#2 #3")
        assert html.count("<a ") == 3
        assert ticket(1) not in html
        assert ticket(3) in html

    def test_in_every_block(self) -> None:
        html = render("> #1\n\n- #2\n\n|a|\n|-|\n|#3|\n\n# #4\n\n```spoiler #5\n#6\n```")
        assert all(ticket(number) in html for number in range(1, 7))

    def test_count_as_links(self) -> None:
        message = render_message("see #12", Directory.of(linkifiers=TICKETS))
        assert message.has_link
        assert not render_message("see 12", Directory.of(linkifiers=TICKETS)).has_link

    def test_first_linkifier_has_priority(self) -> None:
        first, second = ("[a-z]+-1", "https://one.example"), ("b-[0-9]+|c", "https://two.example")
        assert render("b-1 b-2 c", linkifiers(first, second)) == (
            f"<p>{link('b-1', 'https://one.example')} {link('b-2', 'https://two.example')}"
            f" {link('c', 'https://two.example')}</p>"
        )
        assert "one.example" not in render("b-1 c", linkifiers(second, first))

    def test_never_go_over_the_end_of_a_line(self) -> None:
        greedy = linkifiers((r"a[^z]*b", "https://x.y"))
        assert "<a" not in render("a *c*\nb", greedy)
        assert "<a" not in render("a&#10;b", greedy)
        assert render("a b", greedy) == f"<p>{link('a b', 'https://x.y')}</p>"

    def test_lines_begin_and_end_where_the_text_does(self) -> None:
        assert render("x\nx y", linkifiers(("^x$", "https://x.y"))).count("<a ") == 1

    def test_are_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # On a busy machine the limit of time could come first.
        monkeypatch.setattr("chatapi.rendering.linkifiers._SECONDS", 60)
        assert render("#1 " * 1_000).count("<a ") == 500

    def test_invalid_address_makes_no_link(self) -> None:
        wild = linkifiers((r"go:(?P<host>\S+)", "https://{+host}/"))
        assert "<a" not in render("go:///", wild)
        assert "<a" not in render("go:[x", wild)
        assert link("go:a.b", "https://a.b/") in render("go:a.b", wild)


class TestPatterns:
    @pytest.mark.parametrize(
        ("pattern", "reason"),
        [
            ("(", "missing"),
            ("a)|(b", "unexpected )"),
            ("*", "no argument"),
            ("[z-a]", "invalid character class range"),
            ("(?=a)", "invalid perl operator"),
            ("(?<!a)b", "invalid perl operator"),
            (r"(a)\1", "invalid escape sequence"),
            (r"\C", "cut characters up"),
            ("(?P<é è>x)", "invalid named capture group"),
            ("a{1001}", "invalid repetition size"),
            ("a{900}", "too large"),
            ("(a{30}){30}", "too large"),
            (r"\pL{100}", "too large"),
            ("(" * 200 + "a" + "){9}" * 200, ""),
        ],
    )
    def test_that_are_refused(self, pattern: str, reason: str) -> None:
        with pytest.raises(InvalidPatternError) as refusal:
            Pattern(pattern)
        assert reason in str(refusal.value)

    def test_names_and_examples(self) -> None:
        pattern = Pattern(r"(?P<project>\w+)-(?P<number>[0-9]+)(x)?")
        assert pattern.names == {"project", "number"}
        assert pattern.is_all_of("a-1")
        assert not pattern.is_all_of("a-1 ")


# Each of these takes a backtracking engine exponential or high polynomial time, an engine that
# builds automata many states, or finds very much.
CATASTROPHES = [
    *("(a+)+$", "(a|a)*b", "(a|aa)+$", "(x+x+)+y", "([a-z]+)*Z", "(.*a){12}", "(.*a){40}"),
    *(r"(\S+\s*)+x", "(([a-z])+.)+[A-Z]([a-z])+$", "(.|\\s)*?z", ".*.*.*.*=.*", "^(([a-z])*)*$"),
    *("(?:a?){100}a{100}", "[ab]*a[ab]{15}", "[ab]*a[ab]{100}c?", "[ab]*a[ab]{500}c?"),
    *("(.{1,10}){1,5}z", "((a{0,5}){0,5}){0,5}", "[^x]*é[^x]{15}c?", "[ab ]*a[ab ]{200}c?"),
    *("a", "a(.*z)?", "a|a.*z", ".", ".*", r"\S", "a.*", "#[0-9]"),
]
_shuffle = random.Random(7)
TEXTS = {
    **{text: repeated(text) for text in ("a", "a ", "é", "😀", "*a* ")},
    **{
        f"any of {letters!r}": "".join(_shuffle.choices(letters, k=LENGTH))
        for letters in ("ab", "abxz #1é=-")
    },
}


class TestTime:
    @pytest.mark.parametrize("pattern", CATASTROPHES)
    def test_no_pattern_is_slow(self, pattern: str) -> None:
        directory = Directory.of(linkifiers=linkifiers((pattern, "https://x.y/")))
        for text in TEXTS.values():
            assert_done_in_time(partial(render_message, text, directory))

    @pytest.mark.parametrize("text", TEXTS)
    def test_all_patterns_together_are_not_slow(self, text: str) -> None:
        found = linkifiers(*((pattern, "https://x.y/") for pattern in CATASTROPHES * 4))
        directory = Directory.of(linkifiers=found)
        assert_done_in_time(partial(render_message, TEXTS[text], directory))

    @pytest.mark.slow
    @pytest.mark.parametrize("text", HOSTILE)
    def test_no_text_is_slow(self, text: str) -> None:
        directory = Directory.of(
            linkifiers=linkifiers((".", "https://x.y/"), (r"\S+", "https://x.y/"))
        )
        assert_done_in_time(partial(render_message, repeated(text), directory))


_hostile_links = linkifiers(
    (r"j:(?P<any>.*)", "https://x.y/{+any}"),
    (r"(?P<any>[^ ]+)", "https://x.y/{any}{#any}"),
    (r"<(?P<host>.*)>", "https://{+host}"),
)


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="<>\"'&:/j @*`[]()\\#\n\0é", max_size=60) | st.text(max_size=40))
def test_links_cannot_run_scripts(text: str) -> None:
    html = render_message(text, Directory.of(linkifiers=_hostile_links)).html
    assert_harmless(html)


@given(st.text(alphabet="# 12a,é\n*`", max_size=60))
def test_no_text_is_lost(text: str) -> None:
    """Links wrap existing text."""
    html = render(text)
    without = html
    for number in range(1, 10**4):
        if f"#{number}" in html:
            without = without.replace(ticket(number), f"#{number}")
    if "<a " not in without:
        assert without == render_message(text, Directory()).html
