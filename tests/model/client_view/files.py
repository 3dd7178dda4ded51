"""How a client applies events about the files of its own user."""

from tests.model.client_view.view import Event, View, applies


@applies("attachment")
def change_files(view: View, event: Event) -> None:
    view.space_used = event["upload_space_used"]
    number = event["attachment"]["id"]
    if event["op"] == "remove":
        view.files.pop(number, None)
    else:
        view.files[number] = event["attachment"]
