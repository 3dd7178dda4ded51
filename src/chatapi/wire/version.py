"""How old the service is, under the names of the document and those existing clients know."""

from typing_extensions import TypedDict

from chatapi.core.version import FEATURE_LEVEL, MERGE_BASE, VERSION


class VersionPayload(TypedDict):
    """Each fact twice: some clients read only the second name."""

    service_feature_level: int
    zulip_feature_level: int
    service_version: str
    zulip_version: str
    service_merge_base: str
    zulip_merge_base: str


VERSION_PAYLOAD: VersionPayload = {
    "service_feature_level": FEATURE_LEVEL,
    "zulip_feature_level": FEATURE_LEVEL,
    "service_version": VERSION,
    "zulip_version": VERSION,
    "service_merge_base": MERGE_BASE,
    "zulip_merge_base": MERGE_BASE,
}
