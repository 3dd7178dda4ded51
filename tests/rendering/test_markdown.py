"""Markdown and its HTML."""

import pytest

from chatapi.rendering import render_markdown

REL = 'rel="noopener noreferrer nofollow"'


def link(href: str, text: str | None = None) -> str:
    return f'<a href="{href}" {REL}>{text or href}</a>'


class TestText:
    @pytest.mark.parametrize(
        ("text", "html"),
        [
            ("", ""),
            ("   \n ", ""),
            ("plain", "<p>plain</p>"),
            ("*soft* and **loud**", "<p><em>soft</em> and <strong>loud</strong></p>"),
            ("~~gone~~", "<p><del>gone</del></p>"),
            ("`a < b`", "<p><code>a &lt; b</code></p>"),
            ("one\ntwo", "<p>one<br>\ntwo</p>"),
            ("one\n\ntwo", "<p>one</p>\n<p>two</p>"),
            ("# Title", "<h1>Title</h1>"),
            ("a & b < c", "<p>a &amp; b &lt; c</p>"),
            ("2 * 3 * 4", "<p>2 * 3 * 4</p>"),
            ("snake_case_name", "<p>snake_case_name</p>"),
        ],
    )
    def test_renders(self, text: str, html: str) -> None:
        assert render_markdown(text) == html

    def test_lists_keep_their_first_number(self) -> None:
        assert render_markdown("3. c\n4. d").startswith('<ol start="3">\n<li>c</li>')

    def test_link_definition_stays_text(self) -> None:
        assert "[a]: b" in render_markdown("[a]: b")

    @pytest.mark.parametrize("mark", ["> ", "- ", "1. ", "> - "])
    def test_nothing_is_nested_too_deep_to_be_shown(self, mark: str) -> None:
        assert "word" in render_markdown(mark * 100 + "word")

    def test_nothing_is_nested_too_deep_to_be_shown_in_fences(self) -> None:
        assert "word" in render_markdown("```quote\n" * 100 + "word")


class TestTasks:
    @pytest.mark.parametrize("text", ["- [ ] a", "- [x] a"])
    def test_stay_text_because_clients_know_no_boxes(self, text: str) -> None:
        assert render_markdown(text) == f"<ul>\n<li>{text[2:]}</li>\n</ul>"


class TestQuotes:
    def test_quotes_nest(self) -> None:
        html = render_markdown("> a\n> > b")
        assert html.count("<blockquote>") == 2

    def test_the_line_after_a_quote_continues_it(self) -> None:
        html = render_markdown("> question\nanswer\n\nafter")
        assert html == ("<blockquote>\n<p>question<br>\nanswer</p>\n</blockquote>\n<p>after</p>")

    @pytest.mark.parametrize("text", ["> # a\nb", "> ```\n> a\n> ```\nb", "> a\n- b"])
    def test_only_paragraphs_are_continued(self, text: str) -> None:
        assert "b" not in render_markdown(text).split("</blockquote>")[0].split("<blockquote>")[1]

    def test_quotes_in_lists(self) -> None:
        html = render_markdown("- > a\n  > b\n- c")
        assert "<blockquote>\n<p>a<br>\nb</p>\n</blockquote>" in html
        assert html.count("<li>") == 2


class TestTables:
    def test_columns_are_aligned(self) -> None:
        html = render_markdown("|a|b|c|\n|:-|:-:|-:|\n|1|2|3|")
        for side, cell in (("left", "1"), ("center", "2"), ("right", "3")):
            assert f'<td style="text-align: {side};">{cell}</td>' in html

    def test_a_table_that_would_explode_stays_text(self) -> None:
        text = "|a" * 100 + "\n" + "|-" * 100 + "\n" + "x\n" * 1000
        assert "<table>" not in render_markdown(text)

    def test_a_small_table_after_an_exploding_one(self) -> None:
        huge = "|a" * 100 + "\n" + "|-" * 100 + "\n" + "x\n" * 100
        assert render_markdown(f"{huge}\n|a|\n|-|\n|1|").count("<table>") == 1


class TestLinks:
    def test_with_text_and_title(self) -> None:
        html = render_markdown('[docs](https://example.com/a?b=1&c=2 "The \\"docs\\"")')
        assert 'href="https://example.com/a?b=1&amp;c=2"' in html
        assert 'title="The &quot;docs&quot;"' in html
        assert REL in html

    @pytest.mark.parametrize(
        ("text", "html"),
        [
            ("see https://example.com/x.", f"see {link('https://example.com/x')}."),
            ("https://example.com/a_b_c", link("https://example.com/a_b_c")),
            ("(https://example.com/a_(b))", f"({link('https://example.com/a_(b)')})"),
            ("**http://example.com**", f"<strong>{link('http://example.com')}</strong>"),
            ("<https://example.com>", f"&lt;{link('https://example.com')}&gt;"),
            ("http://localhost:9000/", link("http://localhost:9000/")),
            ("https://bücher.de", link("https://xn--bcher-kva.de", "https://bücher.de")),
            ("HTTPS://EXAMPLE.COM/Ab", link("HTTPS://EXAMPLE.COM/Ab")),
            ("www.example.com, yes", f"{link('http://www.example.com', 'www.example.com')}, yes"),
            ("ask me@example.com!", f"ask {link('mailto:me@example.com', 'me@example.com')}!"),
            ("[x http://a.org](http://b.org)", link("http://b.org", "x http://a.org")),
            ("a_b@example.com", link("mailto:a_b@example.com", "a_b@example.com")),
            ("ftp://example.com", link("ftp://example.com")),
            ("tel:+49123", link("tel:+49123")),
        ],
    )
    def test_addresses_in_text(self, text: str, html: str) -> None:
        assert render_markdown(text) == f"<p>{html}</p>"

    @pytest.mark.parametrize(
        "text",
        [
            "main.py",
            "example.unheard",
            "tel:",
            "mailto:?.",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "time:12",
            "xhttp://example.com",
            "http://",
            "https://...",
            "www.",
            "@me@example.com",
            "me@localhost",
            "me@example.com@example.com",
        ],
    )
    def test_not_addresses(self, text: str) -> None:
        assert "<a" not in render_markdown(text)

    @pytest.mark.parametrize(
        ("text", "html"),
        [
            ("![cat](https://example.com/c.png)", link("https://example.com/c.png", "cat")),
            ("a ![*b*](/c.png) d", f"a {link('/c.png', '<em>b</em>')} d"),
            ("[![badge](/b.png)](/c)", f"[{link('/b.png', 'badge')}](/c)"),
            ("![cat]", "![cat]"),
            ("![cat](javascript:x)", "![cat](javascript:x)"),
        ],
    )
    def test_images_are_links(self, text: str, html: str) -> None:
        assert render_markdown(text) == f"<p>{html}</p>"

    def test_no_links_in_code(self) -> None:
        assert render_markdown("`http://a.org`") == "<p><code>http://a.org</code></p>"

    def test_brackets_inside_a_label(self) -> None:
        assert render_markdown("[a [b] c](/d)") == f"<p>{link('/d', 'a [b] c')}</p>"
