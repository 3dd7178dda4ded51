"""Channel folders: names under which clients show channels together."""
