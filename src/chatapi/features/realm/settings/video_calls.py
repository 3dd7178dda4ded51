"""Video calls: clients start them on the Jitsi server that is configured; pure."""

from chatapi.core.errors import BadRequestError
from chatapi.core.settings import Settings
from chatapi.features.realm.payloads import ChoicePayload
from chatapi.wire.realm_settings import RealmSettings

_JITSI = 1
VIDEO_CALL_PROVIDERS: dict[str, ChoicePayload] = {
    "disabled": {"name": "None", "id": 0},
    "jitsi_meet": {"name": "Jitsi Meet", "id": _JITSI},
}


def jitsi_server_url(options: RealmSettings, settings: Settings) -> str | None:
    """The Jitsi server of an organization: its own, else that of the whole server."""
    return options.jitsi_server_url or settings.jitsi_server_url or None


def check_video_calls(options: RealmSettings, settings: Settings) -> None:
    """Refuse settings with which clients would offer calls without a server for them."""
    needs_server = options.video_chat_provider == _JITSI
    if needs_server and jitsi_server_url(options, settings) is None:
        raise BadRequestError("video_chat_provider needs a jitsi_server_url")
