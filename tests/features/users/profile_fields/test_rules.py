"""Validation of fields and their values, without a database."""

from typing import Any

import pytest
from msgspec.structs import replace

from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ProfileFieldId
from chatapi.features.users.profile_fields.field_types import FieldType
from chatapi.features.users.profile_fields.rules import (
    FieldDefinition,
    ProfileFieldRecord,
    check_field,
    default_name,
)
from chatapi.features.users.profile_fields.values import (
    FieldValue,
    Written,
    check_value,
    user_ids_in,
)
from tests.features.users.profile_fields.fields import CUSTOM_SITE, GITHUB, OPTIONS


def field_of(field_type: FieldType, **details: Any) -> ProfileFieldRecord:
    plain = ProfileFieldRecord(
        field_type=field_type,
        name="Thing",
        hint="",
        field_data={},
        display_in_profile_summary=False,
        required=False,
        editable_by_user=True,
        use_for_user_matching=False,
        id=ProfileFieldId(1),
        position=1,
    )
    return replace(plain, **details)


def complaint_about(field: FieldDefinition, *others: FieldDefinition) -> str:
    with pytest.raises(BadRequestError) as refusal:
        check_field(field, others)
    return refusal.value.msg


class TestOptions:
    def test_good(self) -> None:
        check_field(field_of(FieldType.DROPDOWN, field_data=OPTIONS), [])

    @pytest.mark.parametrize(
        "field_data",
        [
            {},
            {"": {"text": "Red", "order": "1"}},
            {"red": "Red"},
            {"red": {"text": "Red"}},
            {"red": {"order": "1"}},
            {"red": {"text": "", "order": "1"}},
            {"red": {"text": "x" * 101, "order": "1"}},
            {"red": {"text": "Red", "order": 1}},
            {"red": {"text": "Red", "order": "first"}},
            {"red": {"text": "Red", "order": "1", "colour": "#f00"}},
            {"a": {"text": "Red", "order": "1"}, "b": {"text": "Red", "order": "2"}},
            {str(number): {"text": str(number), "order": "1"} for number in range(201)},
        ],
    )
    def test_bad(self, field_data: dict[str, Any]) -> None:
        field = field_of(FieldType.DROPDOWN, field_data=field_data)
        assert "field_data" in complaint_about(field)


class TestExternalAccounts:
    @pytest.mark.parametrize("field_data", [GITHUB, {"subtype": "twitter"}, CUSTOM_SITE])
    def test_good(self, field_data: dict[str, str]) -> None:
        check_field(field_of(FieldType.EXTERNAL_ACCOUNT, field_data=field_data), [])

    @pytest.mark.parametrize(
        "field_data",
        [
            {},
            {"subtype": "myspace"},
            {"subtype": 1},
            {"subtype": "custom"},
            {"subtype": "github", "url_pattern": "https://a.example/%(username)s"},
            {"subtype": "custom", "url_pattern": "https://a.example/"},
            {"subtype": "custom", "url_pattern": "https://a.example/%(username)s/%(username)s"},
            {"subtype": "custom", "url_pattern": "javascript:alert('%(username)s')"},
            {"subtype": "custom", "url_pattern": "/%(username)s"},
            {"subtype": "custom", "url_pattern": "https://a.example/%(username)s" + "x" * 1000},
            {"subtype": "custom", "url_pattern": "https://a.example/%(username)s", "more": 1},
        ],
    )
    def test_bad(self, field_data: dict[str, Any]) -> None:
        field = field_of(FieldType.EXTERNAL_ACCOUNT, field_data=field_data)
        assert "field_data" in complaint_about(field)

    def test_only_accounts_are_named_after_sites(self) -> None:
        assert default_name(FieldType.EXTERNAL_ACCOUNT, GITHUB) == "GitHub username"
        assert default_name(FieldType.EXTERNAL_ACCOUNT, CUSTOM_SITE) == ""
        assert default_name(FieldType.DROPDOWN, GITHUB) == ""


class TestFlags:
    @pytest.mark.parametrize("field_type", [FieldType.PARAGRAPH, FieldType.USER])
    def test_types_not_allowed_in_the_summary(self, field_type: FieldType) -> None:
        field = field_of(field_type, display_in_profile_summary=True)
        assert complaint_about(field).startswith("display_in_profile_summary")

    @pytest.mark.parametrize(
        "field_type", set(FieldType) - {FieldType.SHORT_TEXT, FieldType.EXTERNAL_ACCOUNT}
    )
    def test_types_not_allowed_for_user_matching(self, field_type: FieldType) -> None:
        data = OPTIONS if field_type is FieldType.DROPDOWN else {}
        field = field_of(field_type, use_for_user_matching=True, field_data=data)
        assert complaint_about(field).startswith("use_for_user_matching")

    def test_texts_and_accounts_allowed_for_user_matching(self) -> None:
        check_field(field_of(FieldType.SHORT_TEXT, use_for_user_matching=True), [])
        account = field_of(FieldType.EXTERNAL_ACCOUNT, field_data=GITHUB)
        check_field(replace(account, use_for_user_matching=True), [])

    def test_two_others_fill_the_summary(self) -> None:
        shown = field_of(FieldType.DATE, display_in_profile_summary=True)
        first, second = replace(shown, name="First"), replace(shown, name="Second")
        check_field(shown, [first])
        assert "summary" in complaint_about(shown, first, second)


GOOD_VALUES: list[tuple[FieldType, Written, str]] = [
    (FieldType.SHORT_TEXT, "x" * 50, "x" * 50),
    (FieldType.PARAGRAPH, "x" * 500, "x" * 500),
    (FieldType.DROPDOWN, "red", "red"),
    (FieldType.DATE, "2024-02-29", "2024-02-29"),
    (FieldType.URL, "https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
    (FieldType.URL, "http://localhost:9000", "http://localhost:9000"),
    (FieldType.USER, [7, 3], "[7,3]"),
    (FieldType.EXTERNAL_ACCOUNT, "octocat", "octocat"),
    (FieldType.PRONOUNS, "they/them", "they/them"),
]

BAD_VALUES: list[tuple[FieldType, Written]] = [
    (FieldType.SHORT_TEXT, "x" * 51),
    (FieldType.SHORT_TEXT, [1]),
    (FieldType.PARAGRAPH, "x" * 501),
    (FieldType.DROPDOWN, "green"),
    (FieldType.DROPDOWN, "Red wine"),
    (FieldType.DROPDOWN, [1]),
    (FieldType.DATE, "2023-02-29"),
    (FieldType.DATE, "29.02.2024"),
    (FieldType.DATE, "20240229"),
    (FieldType.DATE, "2024-W09-4"),
    (FieldType.DATE, "2024-02-29T00:00"),
    (FieldType.DATE, "٢٠٢٤-٠٢-٢٩"),
    (FieldType.URL, "example.com"),
    (FieldType.URL, "ftp://example.com"),
    (FieldType.URL, "javascript:alert(1)"),
    (FieldType.URL, "https://"),
    (FieldType.URL, "https://example.com:port/"),
    (FieldType.URL, "https://[::1"),
    (FieldType.URL, "https://example.com/a b"),
    (FieldType.URL, "https://example.com/" + "x" * 2000),
    (FieldType.USER, "[1]"),
    (FieldType.USER, [1, 1]),
    (FieldType.USER, list(range(101))),
    (FieldType.EXTERNAL_ACCOUNT, "x" * 51),
    (FieldType.PRONOUNS, "x" * 51),
]


def field_for(field_type: FieldType) -> ProfileFieldRecord:
    return field_of(field_type, field_data=OPTIONS if field_type is FieldType.DROPDOWN else {})


class TestValues:
    @pytest.mark.parametrize(("field_type", "written", "kept"), GOOD_VALUES)
    def test_good(self, field_type: FieldType, written: Written, kept: str) -> None:
        value = check_value(field_for(field_type), written)
        assert value is not None
        assert value.text == kept
        assert (value.rendered is not None) == field_type.has_markdown

    @pytest.mark.parametrize(("field_type", "written"), BAD_VALUES)
    def test_bad_values_name_the_field(self, field_type: FieldType, written: Written) -> None:
        with pytest.raises(BadRequestError, match=r"^Thing "):
            check_value(field_for(field_type), written)

    @pytest.mark.parametrize("field_type", FieldType)
    @pytest.mark.parametrize("written", [None, "", " \n", []])
    def test_nothing_empties_every_field(self, field_type: FieldType, written: Written) -> None:
        assert check_value(field_for(field_type), written) is None

    def test_markdown_is_rendered_safely(self) -> None:
        value = check_value(field_for(FieldType.PARAGRAPH), "<b>**x**</b>")
        assert value is not None
        assert value.rendered == "<p>&lt;b&gt;<strong>x</strong>&lt;/b&gt;</p>"

    def test_users_in_a_value(self) -> None:
        friends = field_for(FieldType.USER)
        assert user_ids_in(friends, FieldValue("[7,3]")) == [7, 3]
        assert user_ids_in(friends, None) == []
        assert user_ids_in(field_for(FieldType.SHORT_TEXT), FieldValue("[7]")) == []
