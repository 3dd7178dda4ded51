"""Code keeps its text, gets the name of its language, and colours where that is quick."""

import re
import subprocess
import sys

import pytest
from pygments.lexers import get_all_lexers

from chatapi.rendering import render_markdown
from chatapi.rendering.highlighting import LANGUAGES, most_characters


def block(html: str, language: str | None = None) -> str:
    attribute = f' data-code-language="{language}"' if language else ""
    return f'<div class="codehilite"{attribute}><pre><span></span><code>{html}</code></pre></div>'


def is_coloured(html: str) -> bool:
    return '<span class="' in html


class TestText:
    def test_without_a_language(self) -> None:
        assert render_markdown("```\nif a < b:\n    **x**\n```") == block(
            "if a &lt; b:\n    **x**\n"
        )

    def test_indented(self) -> None:
        assert render_markdown("    a < b\n\n    c") == block("a &lt; b\n\nc\n")

    def test_is_kept_exactly(self) -> None:
        code = "\n\n  def f():\n\t return '&amp;'  \n\n\n"
        html = render_markdown(f"```python\n{code}```")
        shown = re.sub("<[^>]*>", "", html).replace("&amp;", "&")
        assert shown == code


class TestLanguages:
    def test_in_colours(self) -> None:
        keyword, number = '<span class="k">return</span>', '<span class="mi">1</span>'
        html = render_markdown("```python\nreturn 1\n```")
        assert html == block(f"{keyword} {number}\n", "Python")

    @pytest.mark.parametrize(
        ("info", "language"),
        [
            ("py", "Python"),
            ("PY", "Python"),
            (" js", "JavaScript"),
            ("c++", "C++"),
            ("c#", "C#"),
            ("sh linenos", "Bash"),
            ("text", "Text only"),
            (".python", "Python"),
            ("{.python}", "Python"),
            ("{python}", "Python"),
            ('{.python hl_lines="1"}', "Python"),
        ],
    )
    def test_are_called_by_their_full_names(self, info: str, language: str) -> None:
        assert f'data-code-language="{language}"' in render_markdown(f"```{info}\nx = 1\n```")

    @pytest.mark.parametrize("language", ["klingon", "gherkin-ish", "Gherkin", "viml"])
    def test_without_colours(self, language: str) -> None:
        html = render_markdown(f"```{language}\nif a:\n```")
        assert html == block("if a:\n", language)

    def test_something_else_than_a_language(self) -> None:
        assert render_markdown('```"><script>\na\n```') == block('"&gt;&lt;script&gt;\na\n')
        assert render_markdown("```some words\na\n```") == block("some words\na\n")

    def test_all_are_languages_of_the_library(self) -> None:
        assert {name for name, _, _, _ in get_all_lexers(plugins=False)} >= LANGUAGES


class TestBudget:
    @pytest.mark.parametrize("language", ["python", "java"])
    def test_long_code_has_no_colours(self, language: str) -> None:
        limit = most_characters("Java" if language == "java" else "Python")
        code = "x = 1;\n" * (limit // 7)
        assert is_coloured(render_markdown(f"```{language}\n{code}```"))
        longer = render_markdown(f"```{language}\n{code}{code[:7]}```")
        assert not is_coloured(longer)
        assert "data-code-language" in longer

    def test_code_with_long_gaps_has_no_colours(self) -> None:
        assert is_coloured(render_markdown(f"```c\nint{' ' * 79}a;\n```"))
        assert not is_coloured(render_markdown(f"```c\nint{' ' * 80}a;\n```"))

    def test_is_shared_by_all_blocks(self) -> None:
        half = "```python\n" + "x = 1\n" * 200 + "```\n"
        first, second = render_markdown(half * 2).split("</div>")[:2]
        assert is_coloured(first)
        assert not is_coloured(second)

    def test_covers_four_languages_per_message(self) -> None:
        languages = ["python", "ruby", "go", "rust", "c", "python"]
        blocks = render_markdown("".join(f"```{name}\nx = 1\n```\n" for name in languages))
        coloured = [is_coloured(html) for html in blocks.split("</div>")[:-1]]
        assert coloured == [True, True, True, True, False, True]


def test_highlighter_is_loaded_when_needed() -> None:
    code = (
        "import sys, chatapi.rendering as r\n"
        "r.render_markdown('**a** `b`')\n"
        "print({'emoji', 'pygments.lexers'} & set(sys.modules))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout == "set()\n"
