"""TeX becomes MathML; formulas that are refused are shown as code."""

from functools import partial

import latex2mathml.commands
import pytest

from chatapi.rendering import render_markdown
from tests.rendering.safety import assert_harmless
from tests.rendering.timing import assert_done_in_time

COMMANDS = sorted(
    value
    for value in vars(latex2mathml.commands).values()
    if isinstance(value, str) and value.startswith("\\")
)


def katex(mathml: str, source: str, display: str = "") -> str:
    return (
        '<span class="katex"><span class="katex-mathml">'
        f'<math xmlns="http://www.w3.org/1998/Math/MathML"{display}><semantics>'
        f"<mrow>{mathml}</mrow>"
        f'<annotation encoding="application/x-tex">{source}</annotation></semantics></math></span>'
        f'<span class="katex-html" aria-hidden="true">{source}</span></span>'
    )


@pytest.mark.parametrize(
    ("text", "source", "mathml"),
    [
        ("$$x$$", "x", "<mi>x</mi>"),
        ("$$ x^2 $$", "x^2", "<msup><mi>x</mi><mn>2</mn></msup>"),
        ("$$a * b$$", "a * b", "<mi>a</mi><mo>*</mo><mi>b</mi>"),
        ("$$a < b$$", "a &lt; b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
    ],
)
def test_formula_in_a_line_becomes_mathml(text: str, source: str, mathml: str) -> None:
    assert render_markdown(text) == f"<p>{katex(mathml, source)}</p>"


@pytest.mark.parametrize("text", ["$x$", "$$$x$$$", "$$x", "$$$$", "$$x\ny$$", "`$$x$$`"])
def test_text_without_two_dollars_is_no_formula(text: str) -> None:
    assert "katex" not in render_markdown(text)


def test_in_a_block_one_formula_after_each_blank_line() -> None:
    first = katex("<mi>x</mi>", "x", ' display="block"')
    second = katex("<mi>y</mi>", "y", ' display="block"')
    assert render_markdown("```math\nx\n\ny\n```") == (
        f'<p><span class="katex-display">{first}</span></p>\n'
        f'<p><span class="katex-display">{second}</span></p>'
    )


@pytest.mark.parametrize(
    "source",
    [
        *("{", "\\sqrt", "a_", "x^y^z", "\\left(", "{" * 100 + "}" * 100, "\\begin{matrix}a"),
        *("\\def\\a{b}", "\\newcommand{\\a}{b}\\a", "\\sideset{a}{b}c", "x" * 1_000 + "y"),
    ],
)
def test_a_formula_that_is_refused_is_shown_as_code(source: str) -> None:
    shown = render_markdown(f"$${source}$$")
    assert shown in {f"<p><code>{source}</code></p>", f"<p>$${source}$$</p>"}
    assert render_markdown(f"```math\n{source}\n```") == (
        f'<div class="codehilite"><pre><span></span><code>{source}\n</code></pre></div>'
    )


@pytest.mark.parametrize(
    "source",
    [
        "\\text{<script>alert(1)</script>}",
        "\\href{javascript:alert(1)}{x}",
        "\\color{red;background:url(//evil.example)}x",
        "\\style{position:fixed}{x}",
        "\\class{modal}{x}",
        "\\unheard{<img src=x onerror=alert(1)>}",
        "</annotation><script>alert(1)</script>",
        "&lt;script&gt;",
    ],
)
def test_cannot_run_anything(source: str) -> None:
    for text in (f"$${source}$$", f"```math\n{source}\n```"):
        html = render_markdown(text)
        assert_harmless(html)
        assert "<script" not in html


def test_only_two_thousand_characters_are_converted() -> None:
    html = render_markdown(f"$${'x' * 900}$$ " * 3)
    assert html.count('class="katex"') == 2
    assert "<code>xxx" in html


@pytest.mark.slow
def test_no_command_of_the_library_takes_long() -> None:
    for command in COMMANDS:
        nested = "a"
        while len(nested) < 900:
            nested = f"{command}{{a}}{{b}}{{{nested}}}"
        for source in (nested[:1_000], (command * 1_000)[:1_000], f"{command}{{a}}{{b}}" * 60):
            assert_done_in_time(partial(render_markdown, f"```math\n{source}\n```"), 0.25)
