"""What users do with a widget, and who may do it; pure."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from chatapi.core.errors import BadRequestError
from chatapi.features.messages.widgets.content import Text
from chatapi.wire.params import StrictModel
from chatapi.wire.validation_errors import message_for

_MAX_INDEX = 1_000
_MAX_KEY_LENGTH = 100

Index = Annotated[int, Field(ge=0, le=_MAX_INDEX)]
Key = Annotated[str, Field(max_length=_MAX_KEY_LENGTH)]
"""Of an option or a task: who added it, and its index."""


class Vote(StrictModel):
    """A vote for an option, or its withdrawal."""

    type: Literal["vote"]
    key: Key
    vote: Literal[1, -1]


class Question(StrictModel):
    """Another question."""

    type: Literal["question"]
    question: Text


class NewOption(StrictModel):
    """A further option of a poll."""

    type: Literal["new_option"]
    idx: Index
    option: Text


class NewTask(StrictModel):
    """A further task of a list."""

    type: Literal["new_task"]
    key: Index
    task: Text
    desc: Text = ""
    completed: bool = False


class Strike(StrictModel):
    """A task is done, or open again."""

    type: Literal["strike"]
    key: Key


class NewTitle(StrictModel):
    """Another title of a list."""

    type: Literal["new_task_list_title"]
    title: Text


_ACTIONS: dict[str, TypeAdapter[StrictModel]] = {
    "poll": TypeAdapter(Annotated[Vote | Question | NewOption, Field(discriminator="type")]),
    "todo": TypeAdapter(Annotated[NewTask | Strike | NewTitle, Field(discriminator="type")]),
}
_OF_AUTHORS = {
    Question: "Only the author of a poll can change its question",
    NewOption: "Only the author of a poll can add options",
    NewTitle: "Only the author of a todo list can change its title",
}


def check_action(widget_type: str, action: object, *, is_author: bool) -> None:
    """Refuse what is no action of such a widget, or only for its author."""
    known = _ACTIONS.get(widget_type)
    if known is None:
        raise BadRequestError("content: This widget takes no submessages")
    try:
        read = known.validate_python(action)
    except ValidationError as error:
        raise BadRequestError(message_for(error, action, "content")) from None
    refusal = _OF_AUTHORS.get(type(read))
    if refusal is not None and not is_author:
        raise BadRequestError(refusal)
