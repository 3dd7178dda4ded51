"""What the parameters of POST /register choose; pure."""

from chatapi.events.client import ClientProfile
from chatapi.features.event_queues.params import RegisterParams
from chatapi.narrow import ResolvedTerm


def is_wanted(fetch_types: frozenset[str], params: RegisterParams) -> bool:
    """Whether the client requests a section of these types."""
    wanted = params.event_types if params.fetch_event_types is None else params.fetch_event_types
    return wanted is None or fetch_types <= set(wanted)


def profile_of(params: RegisterParams, narrow: tuple[ResolvedTerm, ...]) -> ClientProfile:
    """The form in which the client receives state and events."""
    capabilities = params.client_capabilities or {}
    return ClientProfile(
        event_types=None if params.event_types is None else frozenset(params.event_types),
        apply_markdown=params.apply_markdown,
        client_gravatar=params.client_gravatar,
        slim_presence=params.slim_presence,
        presence_history_limit_days=params.presence_history_limit_days,
        include_subscribers=params.include_subscribers,
        all_public_streams=params.all_public_streams,
        narrow=narrow,
        capabilities=frozenset(name for name, value in capabilities.items() if value is True),
    )
