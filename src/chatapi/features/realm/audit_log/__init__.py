"""Reading the audit log: who changed what, and who logged in."""
