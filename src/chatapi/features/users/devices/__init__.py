"""Devices of users: registered for push notifications, which this version does not send yet."""
