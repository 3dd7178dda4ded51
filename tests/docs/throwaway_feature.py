"""A feature that is written into a copy of the project by the steps of docs/adding-an-endpoint.md.

It has one of each: an endpoint, an event, an error, a table, a part of the state, and a permission
of the organization, of channels and of user groups.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from chatapi.core.version import FEATURE_LEVEL
from tests.docs.throwaway_sources import (
    CHANNEL_PERMISSION,
    ERRORS,
    EVENTS,
    GROUP_PERMISSION,
    MODEL,
    PARAMS,
    PAYLOADS,
    REALM_PERMISSION,
    REPOSITORY,
    ROUTER,
    SERVICE,
    STATE,
)
from tests.docs.throwaway_tests import (
    CLIENT_VIEW,
    EXAMPLE_CALL,
    MATRIX_ROW,
    PERMISSIONS_TEST,
    ROUTER_TEST,
)

FEATURE = "src/chatapi/features/realm/announcements"
TABLE = "src/chatapi/db/models/announcement.py"
OWN_TESTS = "tests/features/realm/announcements"
MIGRATION = "Add announcements"
"""The sentence for `python3 dev.py migration`."""


@dataclass(frozen=True)
class NewFile:
    """A file to write."""

    path: str
    content: str

    def apply(self, project: Path) -> None:
        target = project / self.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.content)


@dataclass(frozen=True)
class Replacement:
    """A text that occurs once in a file, and what it becomes."""

    path: str
    old: str
    new: str

    def apply(self, project: Path) -> None:
        target = project / self.path
        text = target.read_text()
        assert text.count(self.old) == 1, f"{self.path}: {self.old}"
        target.write_text(text.replace(self.old, self.new))


def addition(path: str, content: str, *, before: str) -> Replacement:
    """Lines to add to a file."""
    return Replacement(path, before, content + before)


CHANGELOG = f"""\
**Feature level {FEATURE_LEVEL + 1}**

- `POST /announcements`.

"""

_PERMISSIONS = "src/chatapi/permissions/settings.py"
_MODELS = "src/chatapi/db/models/__init__.py"

STEPS: dict[str, Iterable[NewFile | Replacement]] = {
    "`params.py`: request parameters": [
        NewFile(f"{FEATURE}/__init__.py", '"""Announcements."""\n'),
        NewFile(f"{FEATURE}/params.py", PARAMS),
    ],
    "`payloads.py`: the response": [NewFile(f"{FEATURE}/payloads.py", PAYLOADS)],
    "`events.py` and `errors.py`: events and errors for clients": [
        NewFile(f"{FEATURE}/events.py", EVENTS),
        NewFile(f"{FEATURE}/errors.py", ERRORS),
    ],
    "`permissions/settings.py`: the permission": [
        addition(_PERMISSIONS, REALM_PERMISSION, before="    CAN_CREATE_BOTS = (\n"),
        addition(_PERMISSIONS, CHANNEL_PERMISSION, before="    CAN_CREATE_TOPIC = (\n"),
        addition(_PERMISSIONS, GROUP_PERMISSION, before="    CAN_JOIN = (\n"),
    ],
    "`db/models/`: the table": [
        NewFile(TABLE, MODEL),
        addition(
            _MODELS,
            "from chatapi.db.models.announcement import Announcement\n",
            before="from chatapi.db.models.audit import",
        ),
        addition(_MODELS, '    "Announcement",\n', before='    "ApiKey",\n'),
    ],
    "`repository.py`: the statements": [NewFile(f"{FEATURE}/repository.py", REPOSITORY)],
    "`service.py`: the use case": [NewFile(f"{FEATURE}/service.py", SERVICE)],
    "`router.py` and `state.py`: the endpoint": [
        NewFile(f"{FEATURE}/router.py", ROUTER),
        NewFile(f"{FEATURE}/state.py", STATE),
        addition(
            "src/chatapi/features/registry.py",
            '    "realm.announcements",\n',
            before='    "realm.linkifiers",\n',
        ),
    ],
    "Tests": [
        NewFile(f"{OWN_TESTS}/test_router.py", ROUTER_TEST),
        NewFile(f"{OWN_TESTS}/test_permissions.py", PERMISSIONS_TEST),
        addition(
            "tests/contract/test_permission_matrix.py", MATRIX_ROW, before="GET    /users     "
        ),
        addition(
            "tests/contract/test_audited_routes.py",
            '    "POST /announcements",\n',
            before='    "PATCH /channel_folders",\n',
        ),
        addition(
            "tests/examples/organization.py",
            EXAMPLE_CALL,
            before='    text = "Welcome to **Acme**!"\n',
        ),
        addition(
            "tests/model/client_view/organization.py",
            CLIENT_VIEW,
            before='@applies("realm_emoji")\n',
        ),
    ],
    "`CHANGELOG.md`": [
        addition("CHANGELOG.md", CHANGELOG, before=f"**Feature level {FEATURE_LEVEL}**"),
        Replacement(
            "src/chatapi/core/version.py",
            f"FEATURE_LEVEL = {FEATURE_LEVEL}",
            f"FEATURE_LEVEL = {FEATURE_LEVEL + 1}",
        ),
    ],
}
"""What each step of the page adds, by the heading of the step."""
