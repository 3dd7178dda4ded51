"""Presence in memory: the newest that is known of each user, in any order it arrives."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import orjson
from hypothesis import given
from hypothesis import strategies as st

from chatapi.core.ids import UserId
from chatapi.presence_cache.recent import PresenceForm, RecentPresences, SeenUser

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=14)
BY_ID = PresenceForm.BY_ID


def seen(user_id: int, update_id: int, *, days_ago: int = 0, is_hidden: bool = False) -> SeenUser:
    return SeenUser(
        id=UserId(user_id),
        update_id=update_id,
        idle_at=None if is_hidden else NOW - timedelta(days=days_ago),
        by_id=b'"%d":%d' % (user_id, update_id),
        by_email=b'"user%d@example.com":%d' % (user_id, update_id),
    )


def recent(*users: SeenUser) -> RecentPresences:
    return RecentPresences(users, since=LONG_AGO, up_to=max(user.update_id for user in users))


def listed(presences: RecentPresences, since: datetime = LONG_AGO) -> dict[str, int]:
    found: dict[str, int] = orjson.loads(orjson.dumps(presences.joined(BY_ID, since)))
    return found


class TestListing:
    def test_all_users_are_listed_in_both_forms(self) -> None:
        presences = recent(seen(1, 1), seen(2, 2))
        by_email = presences.joined(PresenceForm.BY_EMAIL, LONG_AGO)
        assert listed(presences) == {"1": 1, "2": 2}
        assert orjson.loads(orjson.dumps(by_email)) == {
            "user1@example.com": 1,
            "user2@example.com": 2,
        }

    def test_users_who_were_seen_before_the_moment_are_left_out_in_any_order(self) -> None:
        presences = recent(seen(1, 1, days_ago=3), seen(2, 2))
        for days in (4, 2, 4, 3, 2):
            expected = {"1": 1, "2": 2} if days >= 3 else {"2": 2}
            assert listed(presences, NOW - timedelta(days=days)) == expected

    def test_only_users_whom_the_reader_may_see_are_listed(self) -> None:
        presences = recent(seen(1, 1), seen(2, 2))
        for _ in range(2):
            assert listed(presences) == {"1": 1, "2": 2}
            shown = presences.joined(BY_ID, LONG_AGO, lambda user_id: user_id == 2)
            assert orjson.loads(orjson.dumps(shown)) == {"2": 2}

    def test_nobody_is_an_empty_object(self) -> None:
        assert listed(recent(seen(1, 1, is_hidden=True))) == {}


class TestChanges:
    def test_change_is_listed(self) -> None:
        presences = recent(seen(1, 1), seen(2, 2))
        assert listed(presences) == {"1": 1, "2": 2}
        presences.add([seen(1, 3), seen(3, 4)], up_to=4)
        assert listed(presences) == {"1": 3, "2": 2, "3": 4}
        assert presences.up_to == 4

    def test_hidden_user_is_not_shown_by_an_older_change(self) -> None:
        """Of a reader whose snapshot was older."""
        presences = recent(seen(1, 1))
        presences.add([seen(1, 3, is_hidden=True)], up_to=3)
        presences.add([seen(1, 2)], up_to=2)
        assert listed(presences) == {}
        assert presences.up_to == 3

    @given(st.permutations(range(12)), st.lists(st.integers(1, 4), min_size=12, max_size=12))
    def test_order_of_changes_does_not_matter(
        self, order: Sequence[int], users: Sequence[int]
    ) -> None:
        presences = recent(seen(1, 0))
        for update_id in order:
            change = seen(users[update_id], update_id + 1, is_hidden=update_id % 5 == 4)
            presences.add([change], up_to=0)
            listed(presences)
        newest = {user: update_id for update_id, user in enumerate(users)}
        assert {"1": 0, **listed(presences)} == {
            "1": 0,
            **{str(user): last + 1 for user, last in newest.items() if last % 5 != 4},
        }
