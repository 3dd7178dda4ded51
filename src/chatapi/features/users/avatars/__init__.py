"""Pictures of users: uploaded, or drawn by the server."""
