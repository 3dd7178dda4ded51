"""Mail domains of a realm, to which addresses of users can be restricted."""
