"""Records of linkifiers."""

from dataclasses import dataclass

from chatapi.core.ids import LinkifierId


@dataclass(frozen=True)
class LinkifierDefinition:
    """A pattern, and the URL it links to."""

    pattern: str
    url_template: str
    example_input: str | None
    reverse_template: str | None
    """How clients turn a URL of this kind back into text."""
    alternative_url_templates: list[str]
    """Further URLs that clients turn into that text."""


@dataclass(frozen=True)
class LinkifierRecord(LinkifierDefinition):
    """A linkifier of a realm."""

    id: LinkifierId
    position: int
