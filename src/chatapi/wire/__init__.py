"""The wire format: parameter models, wire types and the messages of validation errors."""
