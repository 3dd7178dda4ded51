"""`chatapi doctor`: checks what the server needs, and says what to mend; one module per area."""

from chatapi.cli.doctor.command import doctor

__all__ = ["doctor"]
