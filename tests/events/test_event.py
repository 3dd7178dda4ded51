"""Events on their own: names, audiences, forms for readers, and storing them in log rows."""

from typing import ClassVar

import orjson
import pytest

from chatapi.core.ids import EventNumber, RealmId, UserId
from chatapi.core.roles import Role
from chatapi.events.audience import Audience, Everyone, Nobody, RoleAtLeast, Users, UserVisibleTo
from chatapi.events.bus import Batch
from chatapi.events.cache_tags import RealmTag, SharedStateTag
from chatapi.events.entry import load_entry
from chatapi.events.event import Event
from chatapi.events.event_ids import id_of
from tests.support.sample_events import Graded, Noted, PersonTouched, entry, view


class TestEventClass:
    def test_name_is_type_and_op(self) -> None:
        assert Noted.name() == "test_note"
        assert Graded.name() == "test_grade/given"

    def test_two_classes_cannot_share_a_name(self) -> None:
        with pytest.raises(TypeError, match="two event classes are called test_note"):

            class Impostor(Event):
                type: ClassVar[str] = "test_note"

    def test_invalidates_only_shared_state_by_default(self) -> None:
        assert entry(1, Noted(text="")).cache_tags == {SharedStateTag()}


class TestAudience:
    @pytest.mark.parametrize(
        ("audience", "admits_member", "admits_admin"),
        [
            (Everyone(), True, True),
            (Nobody(), False, False),
            (Users.only(UserId(1)), True, False),
            (Users.only(UserId(1), UserId(2)), True, True),
            (RoleAtLeast(role=Role.ADMIN), False, True),
            (RoleAtLeast(role=Role.GUEST), True, True),
            (UserVisibleTo(user_id=UserId(3)), True, True),
        ],
    )
    def test_admits(self, audience: Audience, admits_member: bool, admits_admin: bool) -> None:
        assert audience.includes(view(1, Role.MEMBER), EventNumber(1)) is admits_member
        assert audience.includes(view(2, Role.ADMIN), EventNumber(1)) is admits_admin

    def test_candidates_are_the_named_users_only(self) -> None:
        assert set(Users.only(UserId(3)).candidates()) == {3}
        assert Everyone().candidates() is None
        assert list(Nobody().candidates()) == []


class TestEntry:
    def test_encodes_number_type_op_and_body(self) -> None:
        [encoded] = entry(7, Graded(public="a", private="b")).encoded_for(view(role=Role.OWNER))
        assert orjson.loads(encoded.json) == {
            "id": id_of(EventNumber(7)),
            "type": "test_grade",
            "op": "given",
            "public": "a",
            "private": "b",
        }

    def test_form_depends_on_the_reader(self) -> None:
        graded = entry(1, Graded(public="a", private="b"))
        assert orjson.loads(graded.encoded_for(view())[0].json)["private"] is None
        assert orjson.loads(graded.encoded_for(view(role=Role.ADMIN))[0].json)["private"] == "b"

    def test_is_encoded_once_for_readers_with_the_same_form(self) -> None:
        graded = entry(1, Graded(public="a", private="b"))
        assert graded.encoded_for(view(1)) is graded.encoded_for(view(2, Role.GUEST))

    def test_checks_audience_and_requested_types(self) -> None:
        assert entry(1).is_for(view())
        assert entry(1).is_for(view(event_types={"test_note"}))
        assert not entry(1).is_for(view(event_types={"message"}))
        assert not entry(1, to=Users.only(UserId(2))).is_for(view(1))

    def test_internal_events_are_delivered_to_no_client(self) -> None:
        assert not entry(1, PersonTouched(user_ids=frozenset({UserId(1)}))).is_for(view(1))

    def test_survives_a_log_row(self) -> None:
        original = entry(3, Graded(public="ä", private="b"), to=RoleAtLeast(role=Role.MODERATOR))
        number, name, audience, body = original.to_row()
        assert isinstance(number, int)
        assert load_entry(RealmId(1), number, str(name), str(audience), str(body)) == original

    @pytest.mark.parametrize(
        ("name", "audience", "body"),
        [
            ("invented_tomorrow", '{"kind":"everyone"}', "{}"),
            ("test_note", '{"kind":"everyone"}', '{"text":"a","added_tomorrow":1}'),
            ("test_note", '{"kind":"invented_tomorrow"}', '{"text":"a"}'),
        ],
    )
    def test_of_a_newer_version_is_not_delivered_and_clears_every_cache(
        self, name: str, audience: str, body: str
    ) -> None:
        loaded = load_entry(RealmId(1), 7, name, audience, body)
        assert loaded.number == 7
        assert RealmTag() in loaded.cache_tags
        assert not loaded.is_for(view())

    def test_survives_the_bus(self) -> None:
        batch = Batch(RealmId(1), logged=(entry(3), entry(4)), ephemeral=(entry(0),))
        assert Batch.decode(batch.encode()) == batch
