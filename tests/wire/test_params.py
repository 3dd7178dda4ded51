"""Parameter models: strings raw, everything else JSON, errors that name the parameter."""

from typing import Annotated, Any, Literal, Self

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, ValidationError, model_validator

from chatapi.core.errors import BadRequestError
from chatapi.core.ids import MAX_ID
from chatapi.wire.params import Alias, JsonOrString, NoParams, Params, WireModel
from chatapi.wire.types import Id


class Pet(WireModel):
    name: str
    age: int = 0


class SampleParams(Params):
    """One field of each kind."""

    name: str = "unset"
    nickname: str | None = None
    colour: Literal["red", "blue"] = "red"
    count: Annotated[int, Field(ge=0, le=10)] = 0
    id: Id = 0
    ratio: float = 0.5
    is_on: bool = False
    limit: int | None = 5
    tags: Annotated[list[str], Field(max_length=3, default_factory=list)]
    pet: Pet | None = None
    anything: Any = None
    topic: Annotated[str, Alias("subject"), Alias("heading")] = ""
    to: Annotated[str | int | list[int], JsonOrString()] = ""
    size: Annotated[int | Literal["mobile"], Field()] = 1


class RequiredParams(Params):
    wanted: str
    number: int


def read(**values: str) -> SampleParams:
    return SampleParams.read(values)[0]


def refusal(params: type[Params] = SampleParams, /, **values: str) -> str:
    with pytest.raises(BadRequestError) as caught:
        params.read(values)
    return caught.value.msg


def refusal_or_none(name: str, text: str) -> str | None:
    try:
        SampleParams.read({name: text})
    except BadRequestError as error:
        return error.msg
    return None


class TestStrings:
    @pytest.mark.parametrize(
        "text", ["", " ", "5", "true", "null", '"quoted"', "[1]", "ä€😀", "\n"]
    )
    def test_are_taken_as_they_are(self, text: str) -> None:
        assert read(name=text).name == text

    @given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
    def test_of_any_kind(self, text: str) -> None:
        assert read(name=text).name == text

    def test_optional_ones_too(self) -> None:
        assert read(nickname="null").nickname == "null"
        assert read(nickname="").nickname == ""

    def test_choices_are_strings(self) -> None:
        assert read(colour="blue").colour == "blue"
        assert refusal(colour="green") == "Invalid colour; expected 'red' or 'blue'"


class TestJson:
    @pytest.mark.parametrize(
        ("name", "text", "value"),
        [
            ("count", "7", 7),
            ("count", " 7 ", 7),
            ("ratio", "1.25", 1.25),
            ("ratio", "2", 2.0),
            ("is_on", "true", True),
            ("tags", '["a", ""]', ["a", ""]),
            ("pet", '{"name": "Rex"}', Pet(name="Rex")),
            ("anything", '{"a": [1, null]}', {"a": [1, None]}),
            ("limit", "null", None),
            ("size", '"mobile"', "mobile"),
            ("size", "30", 30),
        ],
    )
    def test_is_decoded(self, name: str, text: str, value: object) -> None:
        assert getattr(read(**{name: text}), name) == value

    @given(st.integers(0, MAX_ID))
    def test_integers_are_exact(self, number: int) -> None:
        assert read(id=str(number)).id == number

    @given(
        st.lists(
            st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), max_size=3
        )
    )
    def test_strings_inside_keep_everything(self, tags: list[str]) -> None:
        assert read(tags=orjson.dumps(tags).decode()).tags == tags

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "seven",
            "[1",
            "{'a': 1}",
            "NaN",
            "Infinity",
            "01",
            "1,",
            "tru",
            '"\\ud800"',
            "[" * 2000 + "]" * 2000,
            "[" * 300 + "]" * 300,
            '{"a":' * 200 + "1" + "}" * 200,
        ],
    )
    def test_broken_json_is_refused_by_name(self, text: str) -> None:
        assert refusal(anything=text) == 'Argument "anything" is not valid JSON.'

    @pytest.mark.parametrize("text", ['"\\u0000"', '"a\\\\\\u0000b"', '{"\\u0000": 1}'])
    def test_escaped_nul_is_refused_as_such(self, text: str) -> None:
        for name in ("anything", "to"):
            assert refusal(**{name: text}) == f"{name} must not contain NUL characters"

    def test_an_escaped_backslash_is_no_escape(self) -> None:
        assert read(anything='"\\\\u0000"').anything == "\\u0000"

    def test_long_lists_do_not_count_as_deep(self) -> None:
        assert len(read(anything=f"[{','.join(['[[]]'] * 5000)}]").anything) == 5000

    @pytest.mark.parametrize(
        ("values", "sentence"),
        [
            ({"count": '"7"'}, "count is not an integer"),
            ({"count": "7.0"}, "count is not an integer"),
            ({"count": "true"}, "count is not an integer"),
            ({"count": "1e2"}, "count is not an integer"),
            ({"count": "11"}, "count is too large (at most: 10)"),
            ({"count": "-1"}, "count is too small (at least: 0)"),
            ({"id": str(MAX_ID + 1)}, f"id is too large (at most: {MAX_ID})"),
            ({"id": "9" * 40}, "id is not an integer"),
            ({"id": "9" * 400}, 'Argument "id" is not valid JSON.'),
            ({"ratio": '"1"'}, "ratio is not a number"),
            ({"is_on": "1"}, "is_on is not a boolean"),
            ({"tags": '"a"'}, "tags is not a list"),
            ({"tags": "[1]"}, "tags[0] is not a string"),
            ({"tags": '["a","b","c","d"]'}, "tags has too many entries (limit: 3)"),
            ({"pet": "[]"}, "pet is not a dict"),
            ({"pet": "{}"}, """Missing 'pet["name"]' argument"""),
            ({"pet": '{"name": "Rex", "legs": 4}'}, 'pet["legs"] is not a known key'),
            ({"pet": '{"name": 1}'}, 'pet["name"] is not a string'),
            ({"size": '"tablet"'}, "size has an unsupported type or value"),
        ],
    )
    def test_errors_name_the_parameter(self, values: dict[str, str], sentence: str) -> None:
        assert refusal(**values) == sentence

    @given(st.text(max_size=30))
    def test_any_text_is_accepted_or_refused_by_name(self, text: str) -> None:
        for name in SampleParams.model_fields:
            message = refusal_or_none(name, text)
            assert message is None or name in message


class TestNul:
    @pytest.mark.parametrize("name", ["name", "count", "tags", "to", "topic"])
    def test_is_refused_everywhere(self, name: str) -> None:
        assert refusal(**{name: '"a\0b"'}) == f"{name} must not contain NUL characters"


class TestNull:
    def test_means_not_passed(self) -> None:
        params = read(count="null", tags="null")
        assert (params.count, params.tags) == (0, [])
        assert params.model_fields_set == set()

    def test_is_a_value_for_nullable_parameters(self) -> None:
        params = read(limit="null")
        assert params.limit is None
        assert params.model_fields_set == {"limit"}

    def test_does_not_satisfy_required_parameters(self) -> None:
        assert refusal(RequiredParams, wanted="x", number="null") == "Missing 'number' argument"


class TestAliases:
    @pytest.mark.parametrize("name", ["topic", "subject", "heading"])
    def test_every_name_works(self, name: str) -> None:
        assert read(**{name: "lunch"}).topic == "lunch"

    def test_the_proper_name_wins(self) -> None:
        for order in (("topic", "subject"), ("subject", "topic")):
            values = {name: name for name in order}
            assert SampleParams.read(values) == (read(topic="topic"), [])


class TestJsonOrString:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("general", "general"),
            ('"general"', "general"),
            ("7", 7),
            ("[1, 2]", [1, 2]),
            ("two words", "two words"),
            ("a@example.com", "a@example.com"),
        ],
    )
    def test_bare_text_is_a_string(self, text: str, value: object) -> None:
        assert read(to=text).to == value


class TestUnknownNames:
    def test_are_reported_in_order(self) -> None:
        _params, ignored = SampleParams.read({"zebra": "1", "name": "x", "apple": "\0"})
        assert ignored == ["apple", "zebra"]

    def test_all_are_reported_without_parameters(self) -> None:
        assert NoParams.read({"b": "", "a": ""})[1] == ["a", "b"]


class TestRequired:
    def test_missing_ones_are_named(self) -> None:
        assert refusal(RequiredParams, number="1") == "Missing 'wanted' argument"

    def test_empty_is_not_missing(self) -> None:
        assert RequiredParams.read({"wanted": "", "number": "1"})[0].wanted == ""


class TestRulesOverSeveralParameters:
    class Range(Params):
        low: int = 0
        high: int = 0

        @model_validator(mode="after")
        def _in_order(self) -> Self:
            if self.low > self.high:
                raise ValueError("low must not be above high")
            return self

    def test_give_their_own_message(self) -> None:
        assert refusal(self.Range, low="2", high="1") == "low must not be above high"


class TestModel:
    def test_is_frozen(self) -> None:
        with pytest.raises(ValidationError):
            read().count = 3  # type: ignore[misc]  # what the test is about

    def test_records_the_passed_parameters(self) -> None:
        assert read(name="", tags="[]").model_fields_set == {"name", "tags"}
