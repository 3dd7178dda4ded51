"""What a widget is when its message is sent: from the text, or from a parameter; pure."""

import re
from typing import Annotated, Literal

import orjson
from pydantic import Field, ValidationError

from chatapi.core.errors import BadRequestError
from chatapi.wire.params import StrictModel
from chatapi.wire.strict_json import (
    JsonBudget,
    NotJsonError,
    NulCharacterError,
    TooManyValuesError,
)
from chatapi.wire.validation_errors import message_for

MAX_WIDGET_LENGTH = 20_000
MAX_TEXT_LENGTH = 1_000
"""Of a question, an option, a task or the like."""
MAX_ENTRIES = 200
"""Of options, tasks or choices, when the message is sent."""

_COMMAND = re.compile(r"/(poll|todo)(?=\s|$)")
_BULLET = re.compile(r"[-*]\s+")

Text = Annotated[str, Field(max_length=MAX_TEXT_LENGTH)]


class PollData(StrictModel):
    """A poll."""

    question: Text = ""
    options: Annotated[list[Text], Field(max_length=MAX_ENTRIES, default_factory=list)]


class TaskData(StrictModel):
    """An entry of a todo list."""

    task: Text
    desc: Text = ""


class TodoData(StrictModel):
    """A todo list."""

    task_list_title: Text = ""
    tasks: Annotated[list[TaskData], Field(max_length=MAX_ENTRIES, default_factory=list)]


class ChoiceData(StrictModel):
    """A button of a form; the reader who presses it sends its reply."""

    type: Literal["multiple_choice"]
    short_name: Text
    long_name: Text
    reply: Text


class FormData(StrictModel):
    """A form of buttons, as bots send it."""

    type: Literal["choices"]
    heading: Text
    choices: Annotated[list[ChoiceData], Field(max_length=MAX_ENTRIES)]


class PollWidget(StrictModel):
    widget_type: Literal["poll"]
    extra_data: PollData


class TodoWidget(StrictModel):
    widget_type: Literal["todo"]
    extra_data: TodoData


class FormWidget(StrictModel):
    widget_type: Literal["zform"]
    extra_data: FormData


_WIDGETS: dict[str, type[PollWidget | TodoWidget | FormWidget]] = {
    "poll": PollWidget,
    "todo": TodoWidget,
    "zform": FormWidget,
}


def read_widget(content: str, widget_content: str | None) -> str | None:
    """The widget of a new message, as JSON; None for an ordinary message."""
    if widget_content is not None:
        return _read_parameter(widget_content)
    if not content.startswith("/"):
        return None
    command = _COMMAND.match(content)
    if command is None:
        return None
    lines = content[command.end() :].splitlines()
    title = lines[0].strip() if lines else ""
    entries = [entry for line in lines[1:] if (entry := _BULLET.sub("", line.strip(), count=1))]
    data = _poll(title, entries) if command[1] == "poll" else _todo(title, entries)
    return _checked({"widget_type": command[1], "extra_data": data}, "content")


def type_of(widget: str) -> str:
    """The type of a stored widget."""
    return str(orjson.loads(widget)["widget_type"])


def _poll(question: str, options: list[str]) -> dict[str, object]:
    return {"question": question, "options": options}


def _todo(title: str, entries: list[str]) -> dict[str, object]:
    tasks = []
    for entry in entries:
        task, _, description = entry.partition(": ")
        tasks.append({"task": task.strip(), "desc": description.strip()})
    return {"task_list_title": title, "tasks": tasks}


def _read_parameter(text: str) -> str:
    try:
        value = JsonBudget().parse(text)
    except NulCharacterError:
        raise BadRequestError("widget_content must not contain NUL characters") from None
    except (NotJsonError, TooManyValuesError):
        raise BadRequestError("widget_content is not valid JSON") from None
    return _checked(value, "widget_content")


def _checked(value: object, name: str) -> str:
    kind = value.get("widget_type") if isinstance(value, dict) else None
    model = _WIDGETS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise BadRequestError(f"{name}: widget_type must be poll, todo or zform")
    try:
        return orjson.dumps(model.model_validate(value).model_dump()).decode()
    except ValidationError as error:
        raise BadRequestError(message_for(error, value, name)) from None
