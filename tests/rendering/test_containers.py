"""Fences that hold text: quotes and spoilers."""

import pytest

from chatapi.rendering import render_markdown

QUOTE = "<blockquote>\n<p>{}</p>\n</blockquote>"


class TestQuotes:
    @pytest.mark.parametrize(
        "text",
        [
            "```quote\n*a*\n```",
            "``` quote\n*a*\n```",
            "~~~quote\n*a*\n~~~",
            "`````quote\n*a*\n`````",
            "```quote\n*a*",
            "```quote\n*a*\n`````",
        ],
    )
    def test_renders(self, text: str) -> None:
        assert render_markdown(text) == QUOTE.format("<em>a</em>")

    def test_text_around_it(self) -> None:
        html = render_markdown("before\n```quote\na\n```\nafter")
        assert html == f"<p>before</p>\n{QUOTE.format('a')}\n<p>after</p>"

    @pytest.mark.parametrize(
        ("inner", "expected"),
        [
            ("```python\nb\n```", "<code>"),
            ("~~~\nb\n~~~", "<code>"),
            ("```quote\nb\n```", QUOTE.format("b")),
            ("> b", QUOTE.format("b")),
            ("- b", "<li>b</li>"),
            ("|b|\n|-|\n|c|", "<td>c</td>"),
        ],
    )
    def test_holds_other_blocks(self, inner: str, expected: str) -> None:
        html = render_markdown(f"```quote\na\n\n{inner}\n\nz\n```\nafter")
        assert expected in html
        assert html.endswith("<p>z</p>\n</blockquote>\n<p>after</p>")

    def test_a_shorter_fence_inside_is_code(self) -> None:
        html = render_markdown("````quote\n```\na\n```\nb\n````\nc")
        assert "<code>a\n</code>" in html
        assert html.endswith("<p>b</p>\n</blockquote>\n<p>c</p>")

    def test_fences_inside_of_code_are_code(self) -> None:
        html = render_markdown("```quote\n```text\n```quote\n```\nb\n```\nc")
        assert "<code>```quote\n</code>" in html
        assert html.endswith("<p>b</p>\n</blockquote>\n<p>c</p>")

    def test_in_a_list(self) -> None:
        html = render_markdown("- ```quote\n  a\n  ```\n- b")
        assert html == f"<ul>\n<li>\n{QUOTE.format('a')}\n</li>\n<li>b</li>\n</ul>"

    def test_ends_with_its_list(self) -> None:
        html = render_markdown("- ```quote\n  a\n\nb")
        assert html.endswith("</ul>\n<p>b</p>")

    def test_in_a_quote(self) -> None:
        html = render_markdown("> ```quote\n> a\n> ```\nb")
        assert html.endswith("</blockquote>\n</blockquote>\n<p>b</p>")

    @pytest.mark.parametrize("text", ["```quotes\na\n```", "    ```quote\n    a", "``quote``"])
    def test_is_no_quote(self, text: str) -> None:
        assert "<blockquote>" not in render_markdown(text)

    def test_empty(self) -> None:
        assert render_markdown("```quote\n```") == "<blockquote></blockquote>"


class TestSpoilers:
    def test_renders(self) -> None:
        assert render_markdown("```spoiler The *end*\nHe **dies**.\n```") == (
            '<div class="spoiler-block"><div class="spoiler-header">\n'
            "<p>The <em>end</em></p>\n"
            '</div><div class="spoiler-content" aria-hidden="true">\n'
            "<p>He <strong>dies</strong>.</p>\n"
            "</div></div>"
        )

    def test_without_a_header(self) -> None:
        html = render_markdown("```spoiler\na\n```")
        assert '<div class="spoiler-header"></div>' in html.replace("\n", "")

    def test_holds_code(self) -> None:
        html = render_markdown("```spoiler x\n```python\na\n```\n```\nafter")
        assert 'data-code-language="Python"' in html
        assert html.endswith("</div>\n</div></div>\n<p>after</p>")
