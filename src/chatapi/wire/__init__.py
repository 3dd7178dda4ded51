"""What travels on the wire: parameter models, wire types and the table of faults."""
