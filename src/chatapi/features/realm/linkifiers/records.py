"""Records of linkifiers."""

from msgspec import Struct

from chatapi.core.ids import LinkifierId


class LinkifierDefinition(Struct, frozen=True):
    """A pattern, and the URL it links to."""

    pattern: str
    url_template: str
    example_input: str | None
    reverse_template: str | None
    """How clients turn a URL of this kind back into text."""
    alternative_url_templates: list[str]
    """Further URLs that clients turn into that text."""


class LinkifierRecord(LinkifierDefinition, frozen=True):
    """A linkifier of a realm."""

    id: LinkifierId
    position: int
