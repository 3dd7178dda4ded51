"""What the rules of the parser know about the text at hand, apart from the text."""

from dataclasses import dataclass, field

from markdown_it.utils import EnvType

from chatapi.rendering.directory import Directory

_KEY = "chatapi"


@dataclass(slots=True)
class HighlightingBudget:
    """How much of a text is still worth colours: some languages are costly to read."""

    left: float = 1.0
    languages: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Environment:
    directory: Directory
    is_quoted: bool = False
    """Whether the text being parsed stands in a quote."""
    highlighting: HighlightingBudget = field(default_factory=HighlightingBudget)

    def as_parser_env(self) -> EnvType:
        return {_KEY: self}


def environment_of(env: EnvType) -> Environment:
    environment: Environment = env[_KEY]
    return environment
