"""Syntax highlighting by Pygments, only for languages whose lexing cannot take long.

The expressions for most languages take quadratic time for some texts, and those for a few would not
end. So there is a list of languages, which were tested with many hostile texts, and code that
exceeds the limit for its language is not highlighted.
"""

import functools
import re
import threading
from html import escape
from typing import NamedTuple

from pygments import highlight as write_highlighted
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_all_lexers, get_lexer_by_name

from chatapi.rendering.environment import HighlightingBudget

_MAX_CHARACTERS = 1_500
_MAX_CHARACTERS_IF_SLOW = 500
_MAX_LANGUAGES = 4
"""In one text: a lexer is built when it is first needed, which takes a while."""
_WIDE_GAP = re.compile(r"\s{80}")
"""Long runs of blanks are the worst case of these expressions."""

SLOW_LANGUAGES = frozenset({"C#", "Groovy", "Java", "Makefile", "Terraform"})
LANGUAGES = SLOW_LANGUAGES | {
    *("Bash", "Bash Session", "Batchfile", "C", "C++", "Clojure", "CMake", "CSS", "Dart", "Diff"),
    *("Docker", "Elixir", "Erlang", "F#", "Go", "GraphQL", "Haskell", "HTML", "INI", "JavaScript"),
    *("JSON", "JSX", "Julia", "Kotlin", "Lua", "Matlab", "MySQL", "Nginx configuration file"),
    *("Nix", "Objective-C", "OCaml", "Perl", "PHP", "PostgreSQL SQL dialect", "PowerShell"),
    *("Protocol Buffer", "Python", "Python console session", "Python Traceback", "Ruby", "Rust"),
    *("S", "Scheme", "SCSS", "SQL", "Swift", "TeX", "TOML", "TSX"),
    *("TypeScript", "VB.net", "XML", "YAML", "Zig"),
}

_formatter = HtmlFormatter(nowrap=True)
_making_lexers = threading.Lock()


class Highlighted(NamedTuple):
    html: str
    language: str
    """The full name of the language, or the author's name for it."""


def highlight(code: str, language: str, budget: HighlightingBudget) -> Highlighted:
    """Returns code as HTML, highlighted if the budget allows it."""
    alias = language.lower()
    name = _names_by_alias().get(alias)
    if name in LANGUAGES and not _WIDE_GAP.search(code) and _spend(budget, name, len(code)):
        return Highlighted(write_highlighted(code, _make_lexer(alias), _formatter), name)
    return Highlighted(escape(code, quote=False), name or language)


def is_language(name: str) -> bool:
    return name.lower() in _names_by_alias()


def most_characters(language: str) -> int:
    return _MAX_CHARACTERS_IF_SLOW if language in SLOW_LANGUAGES else _MAX_CHARACTERS


def _spend(budget: HighlightingBudget, language: str, characters: int) -> bool:
    cost = characters / most_characters(language)
    languages = budget.languages | {language}
    if cost > budget.left or len(languages) > _MAX_LANGUAGES:
        return False
    budget.left -= cost
    budget.languages = languages
    return True


def _make_lexer(alias: str) -> Lexer:
    # The first lexer of a class completes the class, which two threads must not do at once.
    with _making_lexers:
        # PHP is usually embedded in pages; in a chat it is shown without the page.
        return get_lexer_by_name(alias, stripnl=False, startinline=True)


@functools.cache
def _names_by_alias() -> dict[str, str]:
    """Without plugins: looking for them takes time, for each unknown name."""
    return {
        alias: name for name, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases
    }
