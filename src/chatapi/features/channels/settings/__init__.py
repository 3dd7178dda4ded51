"""Channel settings: listing, changing and archiving channels."""
