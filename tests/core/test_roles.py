"""Roles, and the visibility of email addresses by role."""

import pytest

from chatapi.core.roles import EmailVisibility, Role


class TestRole:
    def test_order(self) -> None:
        by_power = [Role.OWNER, Role.ADMIN, Role.MODERATOR, Role.MEMBER, Role.GUEST]
        for place, role in enumerate(by_power):
            assert [role.at_least(other) for other in by_power] == [
                place <= other for other in range(5)
            ]


class TestEmailVisibility:
    @pytest.mark.parametrize(
        ("visibility", "least_role"),
        [
            (EmailVisibility.EVERYONE, Role.GUEST),
            (EmailVisibility.MEMBERS, Role.MEMBER),
            (EmailVisibility.MODERATORS, Role.MODERATOR),
            (EmailVisibility.ADMINS, Role.ADMIN),
            (EmailVisibility.NOBODY, None),
        ],
    )
    def test_shows_to_a_role_and_higher_ones(
        self, visibility: EmailVisibility, least_role: Role | None
    ) -> None:
        for role in Role:
            expected = least_role is not None and role.at_least(least_role)
            assert visibility.shows_to(role) is expected

    @pytest.mark.parametrize("visibility", list(EmailVisibility))
    def test_shows_nothing_to_anonymous_readers(self, visibility: EmailVisibility) -> None:
        assert not visibility.shows_to(None)
