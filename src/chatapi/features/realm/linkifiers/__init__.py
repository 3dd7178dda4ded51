"""Linkifiers: patterns of a realm that become links in messages and topics."""
