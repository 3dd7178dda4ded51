"""TeX is passed on unchanged."""

import pytest

from chatapi.rendering import render_markdown


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("$$x$$", "x"),
        ("$$ x^2 $$", "x^2"),
        ("$$a_1 * b_1 * c$$", "a_1 * b_1 * c"),
        ("$$a < b \\\\ \\frac{1}{2}$$", "a &lt; b \\\\ \\frac{1}{2}"),
        ("$$5\\$$$", "5\\$"),
        ("$$@**all** :tada:$$", "@**all** :tada:"),
    ],
)
def test_in_a_line(text: str, formula: str) -> None:
    assert render_markdown(text) == f'<p><code class="math">{formula}</code></p>'


@pytest.mark.parametrize(
    "text", ["$x$", "$$$x$$$", "$$x", "$$$$", "$$x\ny$$", "`$$x$$`", "\\$$x$$"]
)
def test_stays_text(text: str) -> None:
    assert "math" not in render_markdown(text)


def test_in_a_block() -> None:
    html = render_markdown("```math\n\\int_0^1 x < y\n**z**\n```")
    assert html == '<pre><code class="math">\\int_0^1 x &lt; y\n**z**\n</code></pre>'
