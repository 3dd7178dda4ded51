"""The state of what this server does not offer: clients read it to hide the buttons for it."""
