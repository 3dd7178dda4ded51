"""The table of validation errors: one sentence for each way a value can be wrong."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from chatapi.core.roles import Role
from chatapi.wire.params import WireModel
from chatapi.wire.validation_errors import message_for, parameter_path


def even(value: int) -> int:
    if value % 2:
        raise ValueError("must be even")
    return value


@pytest.mark.parametrize(
    ("kind", "value", "sentence"),
    [
        (int, "x", "value is not an integer"),
        (str, 1, "value is not a string"),
        (dict[str, int], [], "value is not a dict"),
        (None, 1, "value must be null"),
        (Annotated[str, Field(max_length=2)], "abc", "value is too long (limit: 2 characters)"),
        (Annotated[str, Field(min_length=1)], "", "value cannot be empty"),
        (Annotated[str, Field(pattern="^a$")], "b", "value has the wrong form"),
        (Annotated[list[int], Field(min_length=2)], [1], "value has too few entries (at least: 2)"),
        (Annotated[int, Field(gt=3)], 3, "value is too small (more than: 3)"),
        (Annotated[int, Field(lt=3)], 3, "value is too large (less than: 3)"),
        (
            Annotated[float, Field(allow_inf_nan=False)],
            float("nan"),
            "value is not a finite number",
        ),
        (Annotated[int, AfterValidator(even)], 3, "value: must be even"),
        (Literal[1, 2], 3, "Invalid value; expected 1 or 2"),
        (Role, 7, "Invalid value; expected 100, 200, 300, 400 or 600"),
        (list[list[int]], [[1], ["x"]], "value[1][0] is not an integer"),
    ],
)
def test_each_kind_of_error_has_a_sentence(kind: Any, value: object, sentence: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value, strict=kind is not Role)
    assert message_for(caught.value, value, "value") == sentence


class Pair(WireModel):
    left: list[int]
    right: list[int]


class Change(WireModel):
    new: int | Pair


class Term(WireModel):
    operator: str
    operand: Annotated[str, Field(max_length=5)] | int | list[int]
    negated: bool = False


Terms = list[Term | Annotated[list[str | int], Field(min_length=2, max_length=2)]]


@pytest.mark.parametrize(
    ("kind", "value", "sentence"),
    [
        (int | Pair, {"left": []}, "Missing 'value[\"right\"]' argument"),
        (int | Pair, {"left": [], "right": ["x"]}, 'value["right"][0] is not an integer'),
        (int | Pair, "x", "value has an unsupported type or value"),
        (Change, {"new": {"left": []}}, 'Missing \'value["new"]["right"]\' argument'),
        (Change, {"new": "x"}, 'value["new"] has an unsupported type or value'),
        (int | list[int] | Pair, ["x"], "value[0] is not an integer"),
        (Terms, [{}], "Missing 'value[0][\"operator\"]' argument"),
        (Terms, [{"operator": "x"}], "Missing 'value[0][\"operand\"]' argument"),
        (
            Terms,
            [{"operator": "x", "operand": 1, "negated": 1}],
            'value[0]["negated"] is not a boolean',
        ),
        (Terms, [{"operator": 1, "operand": {}}], 'value[0]["operator"] is not a string'),
        (
            Terms,
            [{"operator": "", "operand": {}}],
            'value[0]["operand"] has an unsupported type or value',
        ),
        (Terms, [["a", "b"], ["a", {}]], "value[1][1] has an unsupported type or value"),
        (Terms, [["a"]], "value[0] has an unsupported type or value"),
        (Terms, [1], "value[0] has an unsupported type or value"),
        (bool | int, "x", "value has an unsupported type or value"),
        (dict[str, bool | int], {"a": "x"}, 'value["a"] has an unsupported type or value'),
        (dict[str, int], {"int": "x"}, 'value["int"] is not an integer'),
        (
            dict[Annotated[str, Field(max_length=2)], int],
            {"abc": 1},
            'value["abc"] is too long (limit: 2 characters)',
        ),
    ],
)
def test_error_names_the_intended_alternative_of_a_union(
    kind: Any, value: object, sentence: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value, strict=True)
    assert message_for(caught.value, value, "value") == sentence


def test_error_outside_the_table_still_names_the_parameter() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(bytes).validate_python(1)
    assert message_for(caught.value, 1, "value").startswith("Invalid value: ")


def test_paths_read_like_subscripts() -> None:
    assert parameter_path(("a",)) == "a"
    assert parameter_path(("a", 0, "b", 1)) == 'a[0]["b"][1]'
