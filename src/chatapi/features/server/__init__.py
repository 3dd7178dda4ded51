"""The server as such: what it offers to clients that are not logged in, and how it is doing."""
