"""The context of the parser's rules for one text."""

from dataclasses import dataclass, field

from markdown_it.utils import EnvType

from chatapi.rendering.directory import Directory

_KEY = "chatapi"


@dataclass(slots=True)
class HighlightingBudget:
    """How much of a text may still be highlighted: some languages are costly to lex."""

    left: float = 1.0
    languages: set[str] = field(default_factory=set)


@dataclass(slots=True)
class FormulaBudget:
    """How many characters of formulas in a text may still be converted."""

    left: int = 2_000


@dataclass(slots=True)
class Environment:
    directory: Directory
    is_quoted: bool = False
    """Whether the text being parsed is inside a quote."""
    highlighting: HighlightingBudget = field(default_factory=HighlightingBudget)
    formulas: FormulaBudget = field(default_factory=FormulaBudget)

    def renewed(self) -> "Environment":
        """For writing the same text again, with new budgets."""
        return Environment(self.directory)

    def as_parser_env(self) -> EnvType:
        return {_KEY: self}


def environment_of(env: EnvType) -> Environment:
    environment: Environment = env[_KEY]
    return environment
