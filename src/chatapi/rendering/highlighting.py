"""Programs in colours, by Pygments: only where reading the language cannot take long.

The expressions for most languages take quadratic time for some texts, and those for a few would
not come to an end. So there is a list of languages, which were tried with many hostile texts, and
code that is longer than they are quick stays uncoloured.
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
"""In one text: what reads a language is made when it is first needed, which takes a while."""
_WIDE_GAP = re.compile(r"\s{80}")
"""Nothing takes these expressions longer than blanks that lead nowhere."""

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
    """The full name of the language, or what the author called it."""


def highlight(code: str, language: str, budget: HighlightingBudget) -> Highlighted:
    """Code as HTML; what the budget does not allow is not coloured."""
    alias = language.lower()
    name = _names_by_alias().get(alias)
    if name in LANGUAGES and not _WIDE_GAP.search(code) and _spend(budget, name, len(code)):
        return Highlighted(write_highlighted(code, _make_lexer(alias), _formatter), name)
    return Highlighted(escape(code, quote=False), name or language)


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
        # PHP is a language for pages; in a chat one shows the program without the page.
        return get_lexer_by_name(alias, stripnl=False, startinline=True)


@functools.cache
def _names_by_alias() -> dict[str, str]:
    """Without plugins: looking for them takes time, for each name nobody knows."""
    return {
        alias: name for name, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases
    }
