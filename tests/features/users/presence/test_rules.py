"""Rules of presence: who is present, and which pings are stored."""

from datetime import UTC, datetime, timedelta

import pytest

from chatapi.features.users.presence.payloads import client_payload, moments_payload, user_payload
from chatapi.features.users.presence.rules import NEVER_SEEN, LastSeen, PingStatus, State

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


class TestState:
    @pytest.mark.parametrize(
        ("active", "idle", "state"),
        [
            (0, 0, State.ACTIVE),
            (139, 0, State.ACTIVE),
            (140, 0, State.IDLE),
            (10_000, 139, State.IDLE),
            (10_000, 140, State.OFFLINE),
            (-5, -5, State.ACTIVE),
            (-3600, -3600, State.OFFLINE),
            (-3600, 0, State.IDLE),
        ],
    )
    def test_is_of_the_last_minutes(self, active: float, idle: float, state: State) -> None:
        assert LastSeen(ago(active), ago(idle)).state(NOW) is state

    def test_user_never_seen_is_offline(self) -> None:
        assert NEVER_SEEN.state(NOW) is State.OFFLINE
        assert LastSeen(None, ago(0)).state(NOW) is State.IDLE


class TestPing:
    @pytest.mark.parametrize(
        ("before", "status", "after"),
        [
            (NEVER_SEEN, "active", LastSeen(NOW, NOW)),
            (NEVER_SEEN, "idle", LastSeen(None, NOW)),
            (LastSeen(ago(30), ago(30)), "active", LastSeen(NOW, NOW)),
            (LastSeen(ago(30), ago(30)), "idle", LastSeen(ago(30), NOW)),
            (LastSeen(ago(300), ago(10)), "active", LastSeen(NOW, NOW)),
            # The clock was set back by an hour.
            (LastSeen(ago(-3600), ago(-3600)), "active", LastSeen(NOW, NOW)),
            (LastSeen(ago(-3600), ago(-3600)), "idle", LastSeen(NOW, NOW)),
            (LastSeen(None, ago(-3600)), "idle", LastSeen(None, NOW)),
        ],
    )
    def test_is_stored(self, before: LastSeen, status: PingStatus, after: LastSeen) -> None:
        assert before.after_ping(status, NOW) == after

    @pytest.mark.parametrize(
        ("before", "status"),
        [
            (LastSeen(ago(29), ago(29)), "active"),
            (LastSeen(ago(29), ago(29)), "idle"),
            (LastSeen(ago(300), ago(29)), "idle"),
            (LastSeen(ago(-5), ago(-5)), "active"),
            (LastSeen(is_hidden=True), "active"),
            (LastSeen(is_hidden=True), "idle"),
        ],
    )
    def test_is_not_stored_twice_or_for_hidden_users(
        self, before: LastSeen, status: PingStatus
    ) -> None:
        assert before.after_ping(status, NOW) == before


class TestOldForm:
    @pytest.mark.parametrize(
        ("active", "idle", "status"),
        [(0, 0, "active"), (70, 0, "active"), (71, 0, "idle"), (9_000, 9_000, "active")],
    )
    def test_has_one_status_for_two_timestamps(
        self, active: float, idle: float, status: str
    ) -> None:
        shown = client_payload(moments_payload(LastSeen(ago(active), ago(idle))))
        moment = ago(active) if status == "active" else ago(idle)
        assert (shown["status"], shown["timestamp"]) == (status, int(moment.timestamp()))

    def test_shows_nothing_of_hidden_users(self) -> None:
        shown = client_payload(moments_payload(LastSeen(is_hidden=True)))
        assert (shown["status"], shown["timestamp"]) == ("idle", 0)

    def test_reports_absent_users_as_offline(self) -> None:
        shown = user_payload(LastSeen(ago(200), ago(200)), NOW)
        assert (shown["website"]["status"], shown["aggregated"]["status"]) == ("active", "offline")
